#include "runtime/tooling/RandomTensor.h"
#include "runtime/base/Random.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>

using namespace heddle::runtime;

namespace {
template <typename T>
std::vector<T> elements(const HostTensor &tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}
} // namespace

TEST(RandomTensor, IndicesCoverTheirRangeAndStayInside) {
  StatusOr<HostTensor> tensor = randomTensor(DType::I64, {10000}, 7, 3, "ids");
  ASSERT_TRUE(tensor.isOk());
  std::vector<int64_t> counts(7);
  for (int64_t value : elements<int64_t>(*tensor)) {
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 7);
    ++counts[value];
  }
  // Expected 1429 each with deviation 35: eight deviations leave no room for chance.
  for (int64_t count : counts)
    EXPECT_NEAR(count, 10000 / 7.0, 8 * 35);
}

TEST(RandomTensor, WideRangesAreDrawnWhole) {
  constexpr int64_t kLimit = int64_t{1} << 53;
  StatusOr<HostTensor> tensor = randomTensor(DType::I64, {4096}, kLimit, 3, "dropout_key");
  ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
  double sum = 0;
  uint64_t ones = 0;
  for (int64_t i = 0; i < 4096; ++i) {
    int64_t value;
    std::memcpy(&value, tensor->data.data() + i * 8, 8);
    ASSERT_TRUE(value >= 0 && value < kLimit);
    sum += static_cast<double>(value) / kLimit;
    ones |= static_cast<uint64_t>(value);
  }
  EXPECT_EQ(ones, uint64_t{kLimit} - 1);         // No bit is always zero.
  EXPECT_NEAR(sum / 4096, 0.5, 5 * 0.2887 / 64); // Five deviations of a mean of uniform numbers.
}

TEST(RandomTensor, MasksSeeTheFirstOfEachRow) {
  StatusOr<HostTensor> tensor = randomTensor(DType::I32, {500, 3}, 2, 3, "attention_mask");
  ASSERT_TRUE(tensor.isOk());
  int64_t ones = 0;
  for (int64_t i = 0; i < 1500; ++i) {
    int32_t value;
    std::memcpy(&value, tensor->data.data() + i * 4, 4);
    ASSERT_TRUE(value == 0 || value == 1);
    ones += value;
    if (i % 3 == 0) {
      EXPECT_EQ(value, 1) << i;
    }
  }
  // 500 and half of 1000, within ten deviations.
  EXPECT_NEAR(static_cast<double>(ones), 1000.0, 160.0);
}

TEST(RandomTensor, DependsOnSeedAndNameAlone) {
  auto draw = [](uint64_t seed, const char *name) {
    return randomTensor(DType::I32, {64}, 1000, seed, name)->data;
  };
  EXPECT_EQ(draw(1, "ids"), draw(1, "ids"));
  EXPECT_NE(draw(1, "ids"), draw(2, "ids"));
  EXPECT_NE(draw(1, "ids"), draw(1, "targets"));
}

TEST(RandomTensor, FloatsAreTheGeneratorsNormal) {
  StatusOr<HostTensor> tensor = randomTensor(DType::F32, {2, 3}, 0, 5, "x");
  ASSERT_TRUE(tensor.isOk());
  std::vector<float> values = elements<float>(*tensor);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], normalElement(5, streamOf("x"), i, normalFactor(1.0)));
}

TEST(RandomTensor, IntegersWithoutARangeAreRefused) {
  for (int64_t limit : {int64_t{0}, int64_t{-1}, (int64_t{1} << 53) + 1}) {
    StatusOr<HostTensor> tensor = randomTensor(DType::I64, {4}, limit, 0, "ids");
    ASSERT_FALSE(tensor.isOk());
    EXPECT_EQ(tensor.status().code(), StatusCode::InvalidInput);
    EXPECT_NE(tensor.status().message().find("'ids' (i64[4])"), std::string::npos);
  }
}

TEST(RandomTensor, ParametersAreDrawnByElement) {
  ParameterPart part{"blocks.0.q.weight", {3, 5}, 0, InitKind::Normal, 0.02};
  std::vector<double> values = drawParameter(part, 9);
  ASSERT_EQ(values.size(), 15u);
  EXPECT_EQ(values[14], normalElement(9, streamOf(part.name), 14, normalFactor(0.02)));
  part.init = InitKind::Constant;
  part.scale = 0.1;
  // The device stores float32, and so does the reference see it.
  EXPECT_EQ(drawParameter(part, 9), std::vector<double>(15, 0.1f));
}

TEST(RandomTensor, IntegersWantARange) {
  for (int64_t limit : {int64_t{0}, (int64_t{1} << 53) + 1})
    EXPECT_EQ(randomTensor(DType::I64, {2}, limit, 3, "ids").status().message(),
              "input 'ids' (i64[2]): the plan states no range for its values, so none can be drawn; give it "
              "from a file");
}
