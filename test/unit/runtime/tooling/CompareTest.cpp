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
  difference.carriers = 1000;
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
  EXPECT_TRUE(passes(DType::F32, withError(1e-3), withError(1.5e-3), {.longestSum = 1024}));
  EXPECT_FALSE(passes(DType::F32, withError(1e-3), withError(1.6e-3), {.longestSum = 1024}));
  // Eager happens to be exact: sixteen roundings of float32 are left, four of a narrower type.
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(16 * 0x1p-24), {.longestSum = 1024}));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(16.1 * 0x1p-24), {.longestSum = 1024}));
  EXPECT_TRUE(passes(DType::BF16, withError(0), withError(4 * 0x1p-8), {.longestSum = 1024}));
  // A longer sum may be off by more; of a short one the four roundings are left.
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(32 * 0x1p-24), {.longestSum = 4096}));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(33 * 0x1p-24), {.longestSum = 4096}));
  EXPECT_TRUE(passes(DType::F32, withError(0), withError(4 * 0x1p-24), {.longestSum = 4}));
  EXPECT_FALSE(passes(DType::F32, withError(0), withError(5 * 0x1p-24), {.longestSum = 4}));
  // Integers have no rounding.
  EXPECT_TRUE(passes(DType::I64, withError(0), withError(0), {.longestSum = 1024}));
  EXPECT_FALSE(passes(DType::I64, withError(0), withError(1e-9), {.longestSum = 1024}));
}

TEST(Compare, CarriersAreTheElementsThatTheNormIsMadeOf) {
  EXPECT_DOUBLE_EQ(differ({1, -1, 1, 1}, {1, -1, 1, 1}).carriers, 4);
  EXPECT_DOUBLE_EQ(differ({1, 0, 0, 0}, {1, 0, 0, 0}).carriers, 1);
  EXPECT_DOUBLE_EQ(differ({0, 0}, {0, 0}).carriers, 0);
}

TEST(Compare, AFewElementsMayBeOffByThreeTimesEager) {
  Difference eager = withError(1e-3);
  eager.carriers = 63;
  EXPECT_TRUE(passes(DType::F32, eager, withError(2.9e-3), {.longestSum = 4}));
  EXPECT_FALSE(passes(DType::F32, eager, withError(3.1e-3), {.longestSum = 4}));
  eager.carriers = 64;
  EXPECT_FALSE(passes(DType::F32, eager, withError(2.9e-3), {.longestSum = 4}));
}

TEST(Compare, AFewElementsMayBeOffByARoundingOfTheProducts) {
  Difference exact = withError(0), off = withError(0x1p-8);
  exact.carriers = 63;
  EXPECT_TRUE(passes(DType::F32, exact, off, {.longestSum = 4, .roundoff = 0x1p-8}));
  EXPECT_FALSE(passes(DType::F32, exact, withError(0x1.1p-8), {.longestSum = 4, .roundoff = 0x1p-8}));
  exact.carriers = 64;
  EXPECT_FALSE(passes(DType::F32, exact, off, {.longestSum = 4, .roundoff = 0x1p-8}));
}

TEST(Compare, AGradientThatIsZeroByAlgebraIsJudgedByTheLargest) {
  // Noise of 1e-6 in compiled, 1e-8 in eager, where another gradient's norm is 10.
  Difference eager = withError(0), compiled = withError(0);
  eager.carriers = compiled.carriers = 1000;
  eager.referenceNorm = compiled.referenceNorm = 1e-16;
  eager.errorNorm = 1e-8;
  compiled.errorNorm = 1e-6;
  ErrorScale scale{.longestSum = 4, .roundoff = 0x1p-24, .gradients = 10};
  EXPECT_TRUE(passes(DType::F32, eager, compiled, scale));
  compiled.errorNorm = 3e-6; // Above four roundings of 10.
  EXPECT_FALSE(passes(DType::F32, eager, compiled, scale));
  eager.errorNorm = 2e-6; // But not above 1.5 times eager's.
  EXPECT_TRUE(passes(DType::F32, eager, compiled, scale));
  // The same where the reference is 0 itself.
  eager.referenceNorm = compiled.referenceNorm = 0;
  EXPECT_TRUE(passes(DType::F32, eager, compiled, scale));
  eager.errorNorm = 0;
  EXPECT_FALSE(passes(DType::F32, eager, compiled, scale));
  // A small gradient is judged by itself.
  eager.referenceNorm = compiled.referenceNorm = 1e-8;
  compiled.errorNorm = 1e-6;
  EXPECT_FALSE(passes(DType::F32, eager, compiled, scale));
}

TEST(Compare, AStepMayMoveAWeightThisWayOrThat) {
  // Of 1024 elements a share of 2^-6 has a gradient within four errors of 2^-8 of 0: 16, and 4 by chance.
  EXPECT_DOUBLE_EQ(movedScale(1e-3, 1024, 0x1p-8, false), 2e-3 * std::sqrt(20.0));
  EXPECT_DOUBLE_EQ(movedScale(1e-3, 2, 0x1p-8, false), 2e-3 * std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(movedScale(1e-3, 1024, 0x1p-8, true), 2e-3 * 32);
  EXPECT_DOUBLE_EQ(squaresScale(0x1p-8, 3), 3 * 0x1p-12);
  Difference eager = withError(0);
  ErrorScale scale{.longestSum = 4, .roundoff = 0x1p-8, .moved = 8e-3};
  EXPECT_TRUE(passes(DType::F32, eager, withError(7e-3 / eager.referenceNorm), scale));
  EXPECT_FALSE(passes(DType::F32, eager, withError(9e-3 / eager.referenceNorm), scale));
}

TEST(Compare, NothingMisplacedPasses) {
  Difference bad = withError(0);
  bad.misplaced = 1;
  EXPECT_FALSE(passes(DType::F32, withError(1), bad, {.longestSum = 1024}));
  // Not even where eager has the same fault.
  EXPECT_FALSE(passes(DType::F32, bad, bad, {.longestSum = 1024}));
}

TEST(Compare, ElementsMustAgreeInNumber) {
  std::vector<uint8_t> bytes(4);
  EXPECT_EQ(compare(DType::F32, bytes, std::vector<double>{1, 2}).status().message(),
            "the result has 1 elements, the reference 2");
}
