// Accuracy of math ops against float64, in units of the last place of the float32 result.
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace heddle::test;

namespace {
class Math : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Targets, Math, testing::ValuesIn(targetsHere()),
                         [](const auto &info) { return "v" + info.param.substr(8); });

/// y = op(x), elementwise, then the same for each value alone as a scalar op of a row.
std::vector<float> apply(const std::string &op, const std::string &target, const std::vector<float> &xs,
                         const std::vector<float> &ys, bool scalar) {
  std::string body = fill(
      scalar
          ? R"(kernel.func @f(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %z: !kernel.buffer<f32>, %n: index) {
    kernel.rows (%i) in (%n) {
      %a = kernel.load %x [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
      %b = kernel.load %y [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
      $OP
      kernel.store %r, %z [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
    }
  })"
          : R"(kernel.func @f(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %z: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
      kernel.columns %i in %n {
        %a = kernel.load %x [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
        %b = kernel.load %y [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
        $OP
        kernel.store %r, %z [affine_map<(d0) -> (d0)>] (%i) : !kernel.buffer<f32>
      }
    }
  })",
      {{"OP", op}});
  Buffer<float> x(xs), y(ys), z(xs.size());
  CpuKernel kernel(body, target, {{int64_t(xs.size())}});
  kernel.run(0, {x.data(), y.data(), z.data()});
  return z.values();
}

/// Distance in units in the last place of `expected`; 0 for equal values that are not finite.
double ulps(float value, double expected) {
  float rounded = float(expected);
  if (std::isnan(expected) || std::isinf(rounded))
    return (std::isnan(value) && std::isnan(rounded)) || value == rounded ? 0 : INFINITY;
  int exponent = expected == 0 ? -126 : std::max(std::ilogb(expected), -126);
  return std::fabs(value - expected) / std::ldexp(1.0, exponent - 23);
}

void expectWithin(double bound, const std::string &op, const std::string &target,
                  const std::vector<float> &xs, const std::vector<float> &ys,
                  const std::function<double(double, double)> &exact) {
  for (bool scalar : {false, true}) {
    std::vector<float> results = apply(op, target, xs, ys, scalar);
    double worst = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      double error = ulps(results[i], exact(xs[i], ys[i]));
      if (!(error <= bound))
        ADD_FAILURE() << op << " of " << xs[i] << ", " << ys[i] << " is " << results[i] << ", wanted "
                      << exact(xs[i], ys[i]) << ", " << error << " ulp";
      if (!(error <= bound))
        return;
      worst = std::max(worst, error);
    }
    // A bound that is far above what is reached would not notice a worse approximation.
    EXPECT_GE(worst * 4, bound) << op << " is much better than its bound: " << worst;
  }
}

/// Evenly over [low, high], and over magnitudes, with the special values.
std::vector<float> sweep(double low, double high, bool special = true) {
  std::vector<float> values;
  for (int i = 0; i <= 20000; ++i)
    values.push_back(float(low + (high - low) * i / 20000));
  for (double size = 1e-37; size < high; size *= 1.37) {
    values.push_back(float(size));
    if (-size > low)
      values.push_back(float(-size));
  }
  if (special)
    values.insert(values.end(),
                  {0.0f, -0.0f, INFINITY, NAN, std::numeric_limits<float>::denorm_min(), 1e-40f});
  if (special && low < 0)
    values.insert(values.end(), {-INFINITY, -1e-40f});
  return values;
}

std::vector<float> same(const std::vector<float> &values) { return std::vector<float>(values.size(), 0.0f); }
} // namespace

TEST_P(Math, Exp) {
  auto xs = sweep(-86, 88.5);
  expectWithin(1.5, "%r = math.exp %a : f32", GetParam(), xs, same(xs),
               [](double x, double) { return std::exp(x); });
}
TEST_P(Math, Log) {
  auto xs = sweep(1e-6, 1e6);
  expectWithin(0.51, "%r = math.log %a : f32", GetParam(), xs, same(xs),
               [](double x, double) { return std::log(x); });
}
TEST_P(Math, LogOfNegativeNumbers) {
  for (float result :
       apply("%r = math.log2 %a : f32", GetParam(), {-1.0f, -INFINITY, -1e-40f}, {0, 0, 0}, false))
    EXPECT_TRUE(std::isnan(result));
}
TEST_P(Math, Tanh) {
  auto xs = sweep(-10, 10);
  expectWithin(5, "%r = math.tanh %a : f32", GetParam(), xs, same(xs),
               [](double x, double) { return std::tanh(x); });
}
TEST_P(Math, Erf) {
  auto xs = sweep(-5, 5);
  expectWithin(5, "%r = math.erf %a : f32", GetParam(), xs, same(xs),
               [](double x, double) { return std::erf(x); });
}
TEST_P(Math, Rsqrt) {
  auto xs = sweep(1e-6, 1e6);
  expectWithin(1.5, "%r = math.rsqrt %a : f32", GetParam(), xs, same(xs),
               [](double x, double) { return 1 / std::sqrt(x); });
}
TEST_P(Math, SinAndCosOfLargeAngles) {
  // 2^40 and 3.4e38 are where one range reduction ends and where float32 does.
  for (double range : {3.2, 1000.0, 1e6, 1e12, 1e14, 1e20, 3.4e38}) {
    auto xs = sweep(-range, range);
    // Next to multiples of pi/2, the first the nearest of all.
    for (float near : {16367173 * 0x1p72f, 0x1.6ac5b2p+112f, 0x1p40f, 0x1.000002p40f, 0x1.fffffep127f})
      xs.insert(xs.end(), {near, -near});
    expectWithin(0.51, "%r = math.sin %a : f32", GetParam(), xs, same(xs),
                 [](double x, double) { return std::sin(x); });
    expectWithin(0.51, "%r = math.cos %a : f32", GetParam(), xs, same(xs),
                 [](double x, double) { return std::cos(x); });
  }
}
TEST_P(Math, PowerOfAnyExponent) {
  std::vector<float> xs, ys;
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 2.0f, -2.0f, 3.7f, -3.7f, 1e-40f, 1e30f, 10000.0f,
                  INFINITY, -INFINITY, NAN, 0.99999f, 1.00001f})
    for (float y : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.25f, 7.3f, -0.984375f, 101.0f, 1e9f,
                    INFINITY, -INFINITY, NAN, 0.333f}) {
      xs.push_back(x);
      ys.push_back(y);
    }
  for (float x : randomFloats(5000, 20, 3))
    xs.push_back(std::fabs(x));
  for (float y : randomFloats(5000, 12, 4))
    ys.push_back(y);
  expectWithin(0.51, "%r = math.powf %a, %b : f32", GetParam(), xs, ys,
               [](double x, double y) { return std::pow(x, y); });
}
TEST_P(Math, PowerOfConstants) {
  auto xs = sweep(0.01, 100, /*special=*/false);
  for (auto [exponent, bound] : {std::pair<double, double>{2, 0.5},
                                 {3, 1.5},
                                 {4, 2},
                                 {-2, 2},
                                 {0.5, 0.5},
                                 {-0.5, 1.5},
                                 {-1, 0.5},
                                 {7, 0.51},
                                 {1.25, 0.51}})
    expectWithin(
        bound, "%e = arith.constant " + std::to_string(exponent) + " : f32\n%r = math.powf %a, %e : f32",
        GetParam(), xs, same(xs), [exponent = exponent](double x, double) { return std::pow(x, exponent); });
}

TEST_P(Math, WithoutCodeOfItsOwnIsRefused) {
  try {
    apply("%r = math.acosh %a : f32", GetParam(), {1.0f}, {1.0f}, false);
    FAIL() << "compiled";
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("math.acosh"), std::string::npos) << error.what();
  }
  try {
    apply("%r = math.exp2 %a : f32", GetParam(), {1.0f}, {1.0f}, false);
    FAIL() << "compiled";
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("kernel needs 'exp2f' of a library"), std::string::npos)
        << error.what();
  }
}
