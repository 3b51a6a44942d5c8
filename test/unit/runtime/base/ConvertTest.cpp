//===- ConvertTest.cpp - Conversions between floating types ---------------===//
#include "runtime/base/Convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace heddle::runtime;

namespace {

TEST(Convert, Bf16RoundsToNearestTiesToEven) {
  EXPECT_EQ(f32ToBf16(1.0f), 0x3f80);
  EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3f808000u)), 0x3f80); // Half way, even below.
  EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3f818000u)), 0x3f82); // Half way, even above.
  EXPECT_EQ(f32ToBf16(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(f32ToBf16(std::numeric_limits<float>::max()), 0x7f80); // Rounds to infinity.
  EXPECT_EQ(f32ToBf16(-std::numeric_limits<float>::infinity()), 0xff80);
  EXPECT_EQ(f32ToBf16(-0.0f), 0x8000);
}

TEST(Convert, NanStaysNan) {
  // The payload is only in the bits that bf16 and f16 drop: plain rounding would give infinity.
  float low = std::bit_cast<float>(0x7f800001u);
  EXPECT_TRUE(std::isnan(bf16ToF32(f32ToBf16(low))));
  EXPECT_TRUE(std::isnan(f16ToF32(f32ToF16(low))));
  float all = std::bit_cast<float>(0xffffffffu);
  EXPECT_TRUE(std::isnan(bf16ToF32(f32ToBf16(all))));
  EXPECT_TRUE(std::isnan(f16ToF32(f32ToF16(all))));
}

TEST(Convert, EveryBf16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = bf16ToF32(static_cast<uint16_t>(bits));
    if (!std::isnan(wide)) {
      ASSERT_EQ(f32ToBf16(wide), bits);
    }
  }
}

TEST(Convert, EveryF16SurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float wide = f16ToF32(static_cast<uint16_t>(bits));
    if (!std::isnan(wide)) {
      ASSERT_EQ(f32ToF16(wide), bits);
    }
  }
}

TEST(Convert, F16KnownValues) {
  EXPECT_EQ(f16ToF32(0x3c00), 1.0f);
  EXPECT_EQ(f16ToF32(0x0001), 0x1p-24f);
  EXPECT_EQ(f16ToF32(0x7bff), 65504.0f);
  EXPECT_EQ(f32ToF16(65519.0f), 0x7bff);
  EXPECT_EQ(f32ToF16(65520.0f), 0x7c00); // Half way to 65536: overflows.
  EXPECT_EQ(f32ToF16(0x1p-25f), 0x0000); // Half of the smallest denormal: ties to even, zero.
  EXPECT_EQ(f32ToF16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(f32ToF16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f32ToF16(1.0f + 3 * 0x1p-11f), 0x3c02);
}

TEST(Convert, ArraysAgreeWithElementsAtOddSizes) {
  for (int64_t count : {0, 1, 7, 31, 33, 100}) {
    std::vector<float> values(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = std::bit_cast<float>(0x3f7f0000u + 0x1357u * static_cast<uint32_t>(i));
    for (DType type : {DType::BF16, DType::F16, DType::F32}) {
      std::vector<uint8_t> narrow(count * sizeOf(type));
      std::vector<float> wide(count);
      ASSERT_TRUE(narrowFromF32(type, values.data(), narrow.data(), count).isOk());
      ASSERT_TRUE(widenToF32(type, narrow.data(), wide.data(), count).isOk());
      for (int64_t i = 0; i < count; ++i) {
        float expected = type == DType::F32    ? values[i]
                         : type == DType::BF16 ? bf16ToF32(f32ToBf16(values[i]))
                                               : f16ToF32(f32ToF16(values[i]));
        EXPECT_EQ(wide[i], expected) << nameOf(type) << " " << i;
      }
    }
  }
}

TEST(Convert, RefusesIntegers) {
  float value = 0;
  EXPECT_EQ(widenToF32(DType::I32, &value, &value, 0).message(),
            "conversion wants f32, bf16 or f16, found i32");
}

TEST(Convert, WidensIntegersToF64) {
  std::vector<int64_t> source = {-3, 0, int64_t{1} << 52};
  std::vector<double> wide(3);
  widenToF64(DType::I64, source.data(), wide.data(), 3);
  EXPECT_EQ(wide, (std::vector<double>{-3, 0, 0x1p52}));
}

} // namespace
