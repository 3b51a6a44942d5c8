#include "runtime/tooling/Compare.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace heddle::runtime;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Difference differ(const std::vector<float> &result, const std::vector<double> &reference) {
  std::vector<uint8_t> bytes(result.size() * sizeof(float));
  std::memcpy(bytes.data(), result.data(), bytes.size());
  StatusOr<Difference> difference = compare(DType::F32, bytes, reference);
  EXPECT_TRUE(difference.isOk());
  return *difference;
}

Difference withError(double relative) {
  Difference difference;
  difference.referenceNorm = 2;
  difference.errorNorm = 2 * relative;
  return difference;
}

} // namespace

TEST(Compare, NormsOfKnownValues) {
  Difference d = differ({3, 4.5f}, {3, 4});
  EXPECT_DOUBLE_EQ(d.referenceNorm, 5);
  EXPECT_DOUBLE_EQ(d.errorNorm, 0.5);
  EXPECT_DOUBLE_EQ(d.maxAbs, 0.5);
  EXPECT_DOUBLE_EQ(d.relative(), 0.1);
  EXPECT_EQ(d.misplaced, 0);
}

TEST(Compare, NormNeitherOverflowsNorUnderflows) {
  EXPECT_DOUBLE_EQ(differ({0, 0}, {3e300, 4e300}).referenceNorm, 5e300);
  EXPECT_DOUBLE_EQ(differ({0, 0}, {3e-300, 4e-300}).referenceNorm, 5e-300);
}

TEST(Compare, EqualInfinitiesAndNaNsAgree) {
  Difference d = differ({INFINITY, -INFINITY, NAN, 1}, {kInf, -kInf, kNaN, 1});
  EXPECT_EQ(d.misplaced, 0);
  EXPECT_DOUBLE_EQ(d.referenceNorm, 1);
  EXPECT_DOUBLE_EQ(d.errorNorm, 0);
  EXPECT_EQ(d.bothNaN, 1);
  EXPECT_EQ(d.compared, 1);
}

TEST(Compare, NothingIsComparedWhereNothingIsFinite) {
  Difference d = differ({NAN, INFINITY}, {kNaN, kInf});
  EXPECT_EQ(d.compared, 0);
  EXPECT_EQ(d.bothNaN, 1);
  EXPECT_EQ(d.misplaced, 0);
}

TEST(Compare, OtherInfinitiesAndNaNsAreMisplaced) {
  EXPECT_EQ(differ({-INFINITY}, {kInf}).misplaced, 1);
  EXPECT_EQ(differ({NAN}, {kInf}).misplaced, 1);
  EXPECT_EQ(differ({NAN, 1}, {1, 1}).misplaced, 1);
  EXPECT_EQ(differ({INFINITY}, {1}).misplaced, 1);
  EXPECT_EQ(differ({1}, {kInf}).misplaced, 1);
  EXPECT_EQ(differ({1}, {kNaN}).misplaced, 1);
}

TEST(Compare, AnotherNumberOfElementsIsAnError) {
  std::vector<uint8_t> bytes(8);
  std::vector<double> reference(3);
  EXPECT_EQ(compare(DType::F32, bytes, reference).status().code(), StatusCode::InvalidInput);
}

TEST(Compare, AZeroReferenceIsJudgedByTheAbsoluteError) {
  Difference d = differ({0.25f}, {0});
  EXPECT_DOUBLE_EQ(d.relative(), 0.25);
}

TEST(Compare, TheBoundIsOneAndAHalfTimesEagerWithAFloor) {
  EXPECT_TRUE(passes(DType::F32, withError(1e-3), withError(1.5e-3), 1024));
  EXPECT_FALSE(passes(DType::F32, withError(1e-3), withError(1.6e-3), 1024));
  // Eager happens to be exact: sixteen roundings of float32 are left, four of a narrower type.
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(16 * 0x1p-24), 1024));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(16.1 * 0x1p-24), 1024));
  EXPECT_TRUE(passes(DType::BF16, withError(0), withError(4 * 0x1p-8), 1024));
  // A longer sum may be off by more; of a short one the four roundings are left.
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(32 * 0x1p-24), 4096));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(33 * 0x1p-24), 4096));
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(4 * 0x1p-24), 4));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(5 * 0x1p-24), 4));
  // Integers have no rounding.
  EXPECT_TRUE(passes(DType::I64, withError(0), withError(0), 1024));
  EXPECT_FALSE(passes(DType::I64, withError(0), withError(1e-9), 1024));
}

TEST(Compare, NothingMisplacedPasses) {
  Difference bad = withError(0);
  bad.misplaced = 1;
  EXPECT_FALSE(passes(DType::F32, withError(1), bad, 1024));
  // Not even where eager has the same fault.
  EXPECT_FALSE(passes(DType::F32, bad, bad, 1024));
}

TEST(Compare, ElementsMustAgreeInNumber) {
  std::vector<uint8_t> bytes(4);
  EXPECT_EQ(compare(DType::F32, bytes, std::vector<double>{1, 2}).status().message(),
            "the result has 1 elements, the reference 2");
}
