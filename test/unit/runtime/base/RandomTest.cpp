//===- RandomTest.cpp - Counter-based generator ---------------------------===//
#include "runtime/base/Random.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::runtime;

namespace {

using Block = std::array<uint32_t, 4>;

// Known answers published with the Random123 library (kat_vectors, philox4x32 10).
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, StreamIsFnv1a) {
  EXPECT_EQ(streamOf(""), 0xcbf29ce484222325u);
  EXPECT_EQ(streamOf("a"), 0xaf63dc4c8601ec8cu);
}

TEST(Random, ElementIsTheCentredSumOfEightHalves) {
  Block block = philox4x32({5, 1, 7, 2}, {3, 4});
  int64_t sum = 0;
  for (uint32_t word : block)
    sum += (word & 0xffff) + (word >> 16);
  uint64_t index = 5 | uint64_t{1} << 32, stream = 7 | uint64_t{2} << 32, seed = 3 | uint64_t{4} << 32;
  EXPECT_EQ(normalElement(seed, stream, index, 1.0f), static_cast<float>(sum - 4 * 65535));
}

TEST(Random, MeanAndDeviation) {
  const int64_t count = 1 << 20;
  const double scale = 0.02;
  float factor = normalFactor(scale);
  double sum = 0, squares = 0;
  int64_t withinOne = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = normalElement(42, streamOf("blocks.0.q.weight"), static_cast<uint64_t>(i), factor);
    sum += value;
    squares += value * value;
    withinOne += std::fabs(value) < scale;
  }
  double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
  // Five standard errors: of the mean scale/sqrt(n), of the deviation at most scale/sqrt(2n).
  EXPECT_NEAR(mean, 0, 5 * scale / std::sqrt(double(count)));
  EXPECT_NEAR(deviation, scale, 5 * scale / std::sqrt(2.0 * count));
  // The distribution function is within 0.01 of the normal's on each side.
  EXPECT_NEAR(double(withinOne) / count, 0.6827, 0.02);
}

TEST(Random, SeedsStreamsAndElementsDiffer) {
  EXPECT_NE(normalElement(1, 1, 1, 1.0f), normalElement(2, 1, 1, 1.0f));
  EXPECT_NE(normalElement(1, 1, 1, 1.0f), normalElement(1, 2, 1, 1.0f));
  EXPECT_NE(normalElement(1, 1, 1, 1.0f), normalElement(1, 1, 2, 1.0f));
}

} // namespace
