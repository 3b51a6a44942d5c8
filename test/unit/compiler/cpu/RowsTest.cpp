// Values of row kernels against plain loops, on every target that runs here, over sizes around the vector
// widths.
#include "CpuKernel.h"

#include "runtime/base/Convert.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::test;

namespace {
const std::vector<int64_t> kSizes = {1, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 768, 1000, 1025};

class Rows : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Targets, Rows, testing::ValuesIn(targetsHere()),
                         [](const auto &info) { return "v" + info.param.substr(8); });

std::vector<std::vector<int64_t>> oneCountEach(const std::vector<int64_t> &sizes) {
  std::vector<std::vector<int64_t>> counts;
  for (int64_t size : sizes)
    counts.push_back({size});
  return counts;
}
} // namespace

TEST_P(Rows, FlatPointwiseWithRunTimeExtent) {
  std::vector<int64_t> sizes = kSizes;
  sizes.insert(sizes.end(), {0, 4095, 4096, 4097, 10000});
  CpuKernel kernel(
      R"(kernel.func @axpy(%a: !kernel.buffer<f32>, %x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
      %two = arith.constant 2.0 : f32
      kernel.columns %c in %n {
        %s = kernel.load %a [affine_map<(d0) -> (0)>] (%c) : !kernel.buffer<f32>
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %t = arith.addf %v, %s : f32
        %r = arith.mulf %t, %two : f32
        kernel.store %r, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      }
    }
  })",
      GetParam(), oneCountEach(sizes));
  Buffer<float> a(std::vector<float>{0.5f});
  for (size_t launch = 0; launch < sizes.size(); ++launch) {
    int64_t n = sizes[launch];
    EXPECT_EQ(kernel.items[launch], (n + 4095) / 4096);
    Buffer<float> x(randomFloats(n, 3)), y(n);
    kernel.run(launch, {a.data(), x.data(), y.data()}, 3);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(y[i], (x[i] + 0.5f) * 2.0f) << "column " << i << " of " << n;
  }
}

static std::string rmsNorm(const std::string &width, const std::string &arguments, const std::string &type) {
  bool low = type != "f32";
  return fill(
      R"(kernel.func @rms_norm(%x: !kernel.buffer<$T>, %w: !kernel.buffer<f32>, %y: !kernel.buffer<$T>$ARGS) {
    $WIDTH
    kernel.rows (%r) in (%rows) {
      %kept, %sum = kernel.columns %c in %width reduce [add] {
        $LOAD
        %s = arith.mulf %v, %v : f32
        kernel.yield %v, %s : f32, f32
      } : !kernel.row<f32>, f32
      %i = arith.index_cast %width : index to i32
      %n = arith.sitofp %i : i32 to f32
      %eps = arith.constant 1.0e-5 : f32
      %mean = arith.divf %sum, %n : f32
      %a = arith.addf %mean, %eps : f32
      %inv = math.rsqrt %a : f32
      kernel.columns %c in %width {
        %v = kernel.get %kept : !kernel.row<f32>
        %g = kernel.load %w [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %s = arith.mulf %v, %inv : f32
        %t = arith.mulf %s, %g : f32
        $STORE
      }
    }
  })",
      {{"ARGS", arguments},
       {"WIDTH", width},
       {"LOAD", low ? "%l = kernel.load %x [affine_map<(r, c)[w] -> (r * w + c)>] (%r, %c)[%width] : "
                      "!kernel.buffer<$T>\n %v = arith.extf %l : $T to f32"
                    : "%v = kernel.load %x [affine_map<(r, c)[w] -> (r * w + c)>] (%r, %c)[%width] : "
                      "!kernel.buffer<f32>"},
       {"STORE",
        low ? "%u = arith.truncf %t : f32 to $T\n kernel.store %u, %y [affine_map<(r, c)[w] -> (r * w + "
              "c)>] (%r, %c)[%width] : !kernel.buffer<$T>"
            : "kernel.store %t, %y [affine_map<(r, c)[w] -> (r * w + c)>] (%r, %c)[%width] : "
              "!kernel.buffer<f32>"},
       {"T", type}});
}

/// The norm of rows in float64.
static std::vector<double> expectedNorm(const std::vector<double> &x, const std::vector<float> &w,
                                        int64_t rows) {
  std::vector<double> y(x.size());
  int64_t width = w.size();
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (int64_t c = 0; c < width; ++c)
      sum += x[r * width + c] * x[r * width + c];
    for (int64_t c = 0; c < width; ++c)
      y[r * width + c] = x[r * width + c] / std::sqrt(sum / width + 1e-5) * w[c];
  }
  return y;
}

static void checkNorm(CpuKernel &kernel, size_t launch, int64_t rows, int64_t width) {
  std::vector<float> xs = randomFloats(rows * width, 2, width), ws = randomFloats(width, 1, 7);
  Buffer<float> x(xs), w(ws), y(rows * width), whole(rows * width);
  kernel.run(launch, {x.data(), w.data(), y.data()}, 3);
  kernel.run(launch, {x.data(), w.data(), whole.data()});
  EXPECT_EQ(y.values(), whole.values()) << "the cut into ranges changes bits";
  std::vector<double> expected = expectedNorm({xs.begin(), xs.end()}, ws, rows);
  // A sum of squares in 16 lanes or more, a root, a quotient, two products: a few roundings of 6e-8.
  for (int64_t i = 0; i < rows * width; ++i)
    ASSERT_NEAR(y[i], expected[i], 1e-6 * std::fabs(expected[i]) + 1e-12)
        << "element " << i << ", width " << width;
}

TEST_P(Rows, NormKeepsRowsOfRunTimeWidth) {
  std::vector<std::vector<int64_t>> counts;
  for (int64_t width : kSizes)
    counts.push_back({5, width});
  CpuKernel kernel(rmsNorm("", ", %rows: index, %width: index", "f32"), GetParam(), counts);
  for (size_t launch = 0; launch < counts.size(); ++launch)
    checkNorm(kernel, launch, 5, kSizes[launch]);
}

TEST_P(Rows, NormOfConstantWidth) {
  // 131072 columns are 512 KB of kept row: computed again, not kept.
  for (int64_t width : {1, 15, 64, 768, 1000, 1025, 131072}) {
    std::string constant = "%width = arith.constant " + std::to_string(width) + " : index";
    CpuKernel kernel(rmsNorm(constant, ", %rows: index", "f32"), GetParam(), {{4}});
    EXPECT_EQ(kernel.items[0], 4);
    checkNorm(kernel, 0, 4, width);
  }
}

TEST_P(Rows, NormOfBF16) {
  for (int64_t width : {1, 17, 64, 1000}) {
    CpuKernel kernel(rmsNorm("", ", %rows: index, %width: index", "bf16"), GetParam(), {{3, width}});
    std::vector<uint16_t> xs;
    std::vector<double> wide;
    for (float value : randomFloats(3 * width, 2)) {
      xs.push_back(toBF16(value));
      wide.push_back(fromBF16(xs.back()));
    }
    std::vector<float> ws = randomFloats(width, 1, 7);
    Buffer<uint16_t> x(xs), y(3 * width);
    Buffer<float> w(ws);
    kernel.run(0, {x.data(), w.data(), y.data()}, 2);
    std::vector<double> expected = expectedNorm(wide, ws, 3);
    // Half a step of bf16 is up to 2^-8 of the value.
    for (int64_t i = 0; i < 3 * width; ++i)
      ASSERT_NEAR(fromBF16(y[i]), expected[i], std::fabs(expected[i]) * 0.00391)
          << "element " << i << " of " << width;
  }
}

TEST_P(Rows, BF16RoundsToEvenAndKeepsNaN) {
  CpuKernel kernel(R"(kernel.func @round(%x: !kernel.buffer<f32>, %y: !kernel.buffer<bf16>, %n: index) {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %r = arith.truncf %v : f32 to bf16
        kernel.store %r, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<bf16>
      }
    }
  })",
                   GetParam(), {{1003}});
  std::vector<float> xs = randomFloats(1003, 1e3);
  float special[] = {1.00390625f, 1.01171875f, INFINITY, -INFINITY, NAN,
                     0.0f,        -0.0f,       1e-40f,   3.4e38f,   -1e-45f};
  std::copy(std::begin(special), std::end(special), xs.begin());
  uint32_t bits = 0x7f800001; // A NaN whose payload rounding would lose.
  std::memcpy(&xs[10], &bits, 4);
  Buffer<float> x(xs);
  Buffer<uint16_t> y(1003);
  kernel.run(0, {x.data(), y.data()});
  for (size_t i = 0; i < xs.size(); ++i)
    ASSERT_EQ(y[i], toBF16(xs[i])) << xs[i];
}

TEST_P(Rows, RowsOfConstantWidthEndWhereTheyEnd) {
  // Rows are written last first: what one writes behind its end is missing in the next.
  const int64_t rows = 3;
  for (int64_t width = 1; width <= 40; ++width) {
    CpuKernel kernel(
        fill(
            R"(kernel.func @narrow(%x: !kernel.buffer<f32>, %b: !kernel.buffer<bf16>, %h: !kernel.buffer<f16>, %m: !kernel.buffer<i1>) {
    %rows = arith.constant 3 : index
    %width = arith.constant $WIDTH : index
    kernel.rows (%r) in (%rows) {
      %zero = arith.constant 0.0 : f32
      kernel.columns %c in %width {
        %v = kernel.load %x [affine_map<(d0, d1) -> (d0 * $WIDTH + d1)>] (%r, %c) : !kernel.buffer<f32>
        %bf = arith.truncf %v : f32 to bf16
        kernel.store %bf, %b [affine_map<(d0, d1) -> (d0 * $WIDTH + d1)>] (%r, %c) : !kernel.buffer<bf16>
        %half = arith.truncf %v : f32 to f16
        kernel.store %half, %h [affine_map<(d0, d1) -> (d0 * $WIDTH + d1)>] (%r, %c) : !kernel.buffer<f16>
        %more = arith.cmpf ogt, %v, %zero : f32
        kernel.store %more, %m [affine_map<(d0, d1) -> (d0 * $WIDTH + d1)>] (%r, %c) : !kernel.buffer<i1>
      }
    }
  })",
            {{"WIDTH", std::to_string(width)}}),
        GetParam(), {{}});
    std::vector<float> xs;
    for (int64_t i = 0; i < rows * width; ++i)
      xs.push_back(static_cast<float>(i % 2 == 0 ? 1 + i : -1 - i)); // Whole numbers below 2^8: exact.
    Buffer<float> x(xs);
    Buffer<uint16_t> b(xs.size()), h(xs.size());
    Buffer<uint8_t> m(xs.size());
    kernel.run(0, {x.data(), b.data(), h.data(), m.data()}, rows);
    for (int64_t i = 0; i < rows * width; ++i) {
      ASSERT_EQ(fromBF16(b[i]), xs[i]) << "element " << i << " of rows of " << width;
      ASSERT_EQ(heddle::runtime::f16ToF32(h[i]), xs[i]) << "element " << i << " of rows of " << width;
      ASSERT_EQ(m[i], xs[i] > 0) << "element " << i << " of rows of " << width;
    }
  }
}

TEST_P(Rows, SoftmaxReducesTwice) {
  std::vector<std::vector<int64_t>> counts;
  for (int64_t width : kSizes)
    counts.push_back({2, 3, width});
  CpuKernel kernel(
      R"(kernel.func @softmax(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %b: index, %s: index, %w: index) {
    kernel.rows (%i, %j) in (%b, %s) {
      %kept, %max = kernel.columns %c in %w reduce [max] {
        %v = kernel.load %x [affine_map<(d0, d1, d2)[s0, s1] -> ((d0 * s0 + d1) * s1 + d2)>] (%i, %j, %c)[%s, %w] : !kernel.buffer<f32>
        kernel.yield %v, %v : f32, f32
      } : !kernel.row<f32>, f32
      %exps, %sum = kernel.columns %c in %w reduce [add] {
        %v = kernel.get %kept : !kernel.row<f32>
        %d = arith.subf %v, %max : f32
        %e = math.exp %d : f32
        kernel.yield %e, %e : f32, f32
      } : !kernel.row<f32>, f32
      kernel.columns %c in %w {
        %e = kernel.get %exps : !kernel.row<f32>
        %q = arith.divf %e, %sum : f32
        kernel.store %q, %y [affine_map<(d0, d1, d2)[s0, s1] -> ((d0 * s0 + d1) * s1 + d2)>] (%i, %j, %c)[%s, %w] : !kernel.buffer<f32>
      }
    }
  })",
      GetParam(), counts);
  for (size_t launch = 0; launch < counts.size(); ++launch) {
    int64_t width = kSizes[launch];
    EXPECT_EQ(kernel.items[launch], 6);
    std::vector<float> xs = randomFloats(6 * width, 9);
    Buffer<float> x(xs), y(6 * width);
    kernel.run(launch, {x.data(), y.data()}, 4);
    for (int64_t r = 0; r < 6; ++r) {
      double max = -INFINITY, sum = 0;
      for (int64_t c = 0; c < width; ++c)
        max = std::max<double>(max, xs[r * width + c]);
      for (int64_t c = 0; c < width; ++c)
        sum += std::exp(xs[r * width + c] - max);
      for (int64_t c = 0; c < width; ++c) {
        double expected = std::exp(xs[r * width + c] - max) / sum;
        // The difference rounds at 18 * 6e-8 before the exponential multiplies it.
        ASSERT_NEAR(y[r * width + c], expected, 2e-6 * expected)
            << "row " << r << ", column " << c << " of " << width;
      }
    }
  }
}

TEST_P(Rows, ReductionsOfNoAndSomeColumns) {
  CpuKernel kernel(
      R"(kernel.func @stats(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %rows: index, %w: index) {
    kernel.rows (%r) in (%rows) {
      %sum, %max, %min = kernel.columns %c in %w reduce [add, max, min] {
        %v = kernel.load %x [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] (%r, %c)[%w] : !kernel.buffer<f32>
        kernel.yield %v, %v, %v : f32, f32, f32
      } : f32, f32, f32
      kernel.store %sum, %y [affine_map<(d0) -> (d0 * 3)>] (%r) : !kernel.buffer<f32>
      kernel.store %max, %y [affine_map<(d0) -> (d0 * 3 + 1)>] (%r) : !kernel.buffer<f32>
      kernel.store %min, %y [affine_map<(d0) -> (d0 * 3 + 2)>] (%r) : !kernel.buffer<f32>
    }
  })",
      GetParam(), {{2, 0}, {2, 5}, {2, 100}, {2, 1}, {0, 9}});
  for (auto [launch, width] : {std::pair<size_t, int64_t>{0, 0}, {1, 5}, {2, 100}, {3, 1}}) {
    // Small integers: sums are exact in any order.
    std::vector<float> xs;
    for (int64_t i = 0; i < 2 * width; ++i)
      xs.push_back(float((i * 37) % 101 - 50));
    Buffer<float> x(xs), y(6);
    kernel.run(launch, {x.data(), y.data()});
    for (int64_t r = 0; r < 2; ++r) {
      float sum = 0, max = -INFINITY, min = INFINITY;
      for (int64_t c = 0; c < width; ++c) {
        sum += xs[r * width + c];
        max = std::max(max, xs[r * width + c]);
        min = std::min(min, xs[r * width + c]);
      }
      EXPECT_EQ(y[r * 3], sum);
      EXPECT_EQ(y[r * 3 + 1], max);
      EXPECT_EQ(y[r * 3 + 2], min);
    }
  }
  EXPECT_EQ(kernel.items[4], 0);
  // A NaN anywhere is the result.
  for (int64_t place : {0, 40, 64, 96, 99}) {
    std::vector<float> xs(200, 1.0f);
    xs[place] = NAN;
    Buffer<float> x(xs), y(6);
    kernel.run(2, {x.data(), y.data()});
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]) && std::isnan(y[2])) << place;
    EXPECT_EQ(y[4], 1.0f);
  }
}

TEST_P(Rows, RotaryPairsAtStrideTwo) {
  std::vector<std::vector<int64_t>> counts = oneCountEach(kSizes);
  CpuKernel kernel(
      R"(kernel.func @rotary(%x: !kernel.buffer<f32>, %cos: !kernel.buffer<f32>, %sin: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %half: index) {
    %rows = arith.constant 3 : index
    kernel.rows (%r) in (%rows) {
      kernel.columns %c in %half {
        %a = kernel.load %x [affine_map<(d0, d1)[s0] -> (d0 * s0 * 2 + d1 * 2)>] (%r, %c)[%half] : !kernel.buffer<f32>
        %b = kernel.load %x [affine_map<(d0, d1)[s0] -> (d0 * s0 * 2 + d1 * 2 + 1)>] (%r, %c)[%half] : !kernel.buffer<f32>
        %k = kernel.load %cos [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %s = kernel.load %sin [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %ak = arith.mulf %a, %k : f32
        %bs = arith.mulf %b, %s : f32
        %u = arith.subf %ak, %bs : f32
        %as = arith.mulf %a, %s : f32
        %bk = arith.mulf %b, %k : f32
        %v = arith.addf %as, %bk : f32
        kernel.store %u, %y [affine_map<(d0, d1)[s0] -> (d0 * s0 * 2 + d1 * 2)>] (%r, %c)[%half] : !kernel.buffer<f32>
        kernel.store %v, %y [affine_map<(d0, d1)[s0] -> (d0 * s0 * 2 + d1 * 2 + 1)>] (%r, %c)[%half] : !kernel.buffer<f32>
      }
    }
  })",
      GetParam(), counts);
  for (size_t launch = 0; launch < counts.size(); ++launch) {
    int64_t half = kSizes[launch];
    std::vector<float> xs = randomFloats(6 * half, 1), ks = randomFloats(half, 1, 2),
                       ss = randomFloats(half, 1, 3);
    Buffer<float> x(xs), cos(ks), sin(ss), y(6 * half);
    kernel.run(launch, {x.data(), cos.data(), sin.data(), y.data()});
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t c = 0; c < half; ++c) {
        double a = xs[(r * half + c) * 2], b = xs[(r * half + c) * 2 + 1];
        // Two products below 1 and their sum.
        ASSERT_NEAR(y[(r * half + c) * 2], a * ks[c] - b * ss[c], 2e-7);
        ASSERT_NEAR(y[(r * half + c) * 2 + 1], a * ss[c] + b * ks[c], 2e-7);
      }
  }
}

TEST_P(Rows, StridesDivisionsAndRemainders) {
  // A transposing copy cut by columns: element (i, j) of 48 rows from a matrix of n columns; and one of 64 by
  // 3 heads, whose remainder stays within a block.
  for (auto [inner, outer] : {std::pair<int64_t, int64_t>{48, 37}, {64, 21}, {1, 100}, {7, 11}, {256, 17}}) {
    std::string text = fill(
        R"(kernel.func @transpose(%x: !kernel.buffer<$T>, %y: !kernel.buffer<$T>, %z: !kernel.buffer<$T>, %n: index) {
      kernel.rows () in () {
        kernel.columns %c in %n {
          %v = kernel.load %x [affine_map<(d0)[s0] -> ((d0 mod $I) * (s0 floordiv $I) + d0 floordiv $I)>] (%c)[%n] : !kernel.buffer<$T>
          kernel.store %v, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<$T>
          kernel.store %v, %z [affine_map<(d0) -> (((d0 floordiv $I) * $I + d0 mod $I) * 3)>] (%c) : !kernel.buffer<$T>
        }
      }
    })",
        {{"I", std::to_string(inner)},
         {"T", inner == 7     ? "i64"
               : inner == 256 ? "i32"
                              : "f32"}});
    int64_t n = inner * outer;
    CpuKernel kernel(text, GetParam(), {{n}});
    auto check = [&](auto zero) {
      using T = decltype(zero);
      std::vector<T> xs(n);
      for (int64_t i = 0; i < n; ++i)
        xs[i] = T(i * 3 + 1);
      Buffer<T> x(xs), y(n), z(3 * n - 2);
      kernel.run(0, {x.data(), y.data(), z.data()});
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(y[i], xs[(i % inner) * outer + i / inner]) << i << " of " << n;
        ASSERT_EQ(z[3 * i], y[i]) << i << " of " << n;
      }
    };
    if (inner == 7)
      check(int64_t{0});
    else if (inner == 256)
      check(int32_t{0});
    else
      check(0.0f);
  }
}

TEST_P(Rows, GathersByLoadedIndices) {
  // An embedding: the row's index is loaded once; then a gather for each column.
  CpuKernel kernel(
      R"(kernel.func @embed(%ids: !kernel.buffer<i32>, %table: !kernel.buffer<bf16>, %order: !kernel.buffer<i32>, %y: !kernel.buffer<f32>, %rows: index) {
    %w = arith.constant 100 : index
    kernel.rows (%r) in (%rows) {
      %i = kernel.load %ids [affine_map<(d0) -> (d0)>] (%r) : !kernel.buffer<i32>
      %id = arith.index_cast %i : i32 to index
      kernel.columns %c in %w {
        %o = kernel.load %order [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<i32>
        %k = arith.index_cast %o : i32 to index
        %v = kernel.load %table [affine_map<(d0, d1) -> (d0 * 100 + d1)>] (%id, %c) : !kernel.buffer<bf16>
        %u = kernel.load %table [affine_map<(d0, d1) -> (d0 * 100 + d1)>] (%id, %k) : !kernel.buffer<bf16>
        %vf = arith.extf %v : bf16 to f32
        %uf = arith.extf %u : bf16 to f32
        %s = arith.addf %vf, %uf : f32
        kernel.store %s, %y [affine_map<(d0, d1) -> (d0 * 100 + d1)>] (%r, %c) : !kernel.buffer<f32>
      }
    }
  })",
      GetParam(), {{3}});
  std::vector<uint16_t> table;
  for (float value : randomFloats(500, 1))
    table.push_back(toBF16(value));
  std::vector<int32_t> order;
  for (int32_t c = 0; c < 100; ++c)
    order.push_back((c * 7) % 100);
  Buffer<int32_t> ids(std::vector<int32_t>{4, 0, 2}), orders(order);
  Buffer<uint16_t> tables(table);
  Buffer<float> y(300);
  kernel.run(0, {ids.data(), tables.data(), orders.data(), y.data()});
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 100; ++c)
      ASSERT_EQ(y[r * 100 + c], fromBF16(table[ids[r] * 100 + c]) + fromBF16(table[ids[r] * 100 + order[c]]));
}

TEST_P(Rows, BooleansAreBytes) {
  // Causal mask by index comparison, stored, kept, and used.
  CpuKernel kernel(
      R"(kernel.func @mask(%x: !kernel.buffer<f32>, %m: !kernel.buffer<i1>, %y: !kernel.buffer<f32>, %z: !kernel.buffer<i1>, %n: index) {
    kernel.rows (%r) in (%n) {
      %zero = arith.constant 0.0 : f32
      %kept = kernel.columns %c in %n {
        %below = arith.cmpi ule, %c, %r : index
        %b = kernel.load %m [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<i1>
        %both = arith.andi %below, %b : i1
        kernel.store %both, %z [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] (%r, %c)[%n] : !kernel.buffer<i1>
        kernel.yield %both : i1
      } : !kernel.row<i1>
      kernel.columns %c in %n {
        %both = kernel.get %kept : !kernel.row<i1>
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %s = arith.select %both, %v, %zero : f32
        kernel.store %s, %y [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] (%r, %c)[%n] : !kernel.buffer<f32>
      }
    }
  })",
      GetParam(), {{83}, {5}, {16}});
  for (auto [launch, n] : {std::pair<size_t, int64_t>{0, 83}, {1, 5}, {2, 16}}) {
    std::vector<uint8_t> ms;
    for (int64_t c = 0; c < n; ++c)
      ms.push_back(c % 3 != 0);
    Buffer<float> x(randomFloats(n, 1)), y(n * n);
    Buffer<uint8_t> m(ms), z(n * n);
    kernel.run(launch, {x.data(), m.data(), y.data(), z.data()});
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < n; ++c) {
        bool both = c <= r && ms[c];
        ASSERT_EQ(z[r * n + c], both) << r << ", " << c;
        ASSERT_EQ(y[r * n + c], both ? x[c] : 0.0f) << r << ", " << c;
      }
  }
}

TEST_P(Rows, HalfPrecisionAndIntegers) {
  CpuKernel kernel(
      R"(kernel.func @half(%x: !kernel.buffer<f16>, %y: !kernel.buffer<f16>, %k: !kernel.buffer<i64>, %n: index) {
    kernel.rows () in () {
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f16>
        %f = arith.extf %v : f16 to f32
        %i = arith.index_cast %c : index to i64
        %m = arith.muli %i, %i : i64
        kernel.store %m, %k [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<i64>
        %g = arith.addf %f, %f : f32
        %h = arith.truncf %g : f32 to f16
        kernel.store %h, %y [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f16>
      }
    }
  })",
      GetParam(), {{77}});
  std::vector<uint16_t> xs;
  for (int i = 0; i < 77; ++i)
    xs.push_back(0x3c00 + i * 5); // From 1 up.
  Buffer<uint16_t> x(xs), y(77);
  Buffer<int64_t> k(77);
  kernel.run(0, {x.data(), y.data(), k.data()});
  for (int i = 0; i < 77; ++i) {
    EXPECT_EQ(y[i], xs[i] + 0x400); // Twice: the exponent is one more.
    EXPECT_EQ(k[i], int64_t(i) * i);
  }
}

TEST_P(Rows, InPlaceAndColumnsWithoutRowsThatReduce) {
  // One row that is summed and then overwritten: one item.
  CpuKernel kernel(R"(kernel.func @center(%x: !kernel.buffer<f32>, %n: index) {
    kernel.rows () in () {
      %sum = kernel.columns %c in %n reduce [add] {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        kernel.yield %v : f32
      } : f32
      kernel.columns %c in %n {
        %v = kernel.load %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
        %d = arith.subf %v, %sum : f32
        kernel.store %d, %x [affine_map<(d0) -> (d0)>] (%c) : !kernel.buffer<f32>
      }
    }
  })",
                   GetParam(), {{5000}});
  EXPECT_EQ(kernel.items[0], 1);
  std::vector<float> xs(5000);
  for (int i = 0; i < 5000; ++i)
    xs[i] = float(i % 7);
  Buffer<float> x(xs);
  kernel.run(0, {x.data()});
  float sum = 0;
  for (float value : xs)
    sum += value;
  for (int i = 0; i < 5000; ++i)
    ASSERT_EQ(x[i], xs[i] - sum);
}

TEST_P(Rows, SumsOfPartsWhileRowsRun) {
  // y = x / sum(x) row by row, and in 5 parts of the rows the sums down the columns of x and of y.
  for (int64_t width : {1, 15, 64, 100, 768}) {
    std::vector<std::vector<int64_t>> counts = {{1, 1}, {2, 2}, {5, 1}, {3, 2}, {7, 9}, {111, 9}};
    CpuKernel kernel(
        fill(R"(kernel.func @parts(%x: !kernel.buffer<f32>, %y: !kernel.buffer<f32>, %a: !kernel.buffer<f32>,
                                   %b: !kernel.buffer<f32>, %n: index, %m: index) {
    %width = arith.constant $W : index
    kernel.rows (%i, %j) in (%n, %m) attributes {parts = 5 : i64} {
      %kept, %sum = kernel.columns %c in %width reduce [add] {
        %v = kernel.load %x [affine_map<(i, j, c)[m] -> (i * m * $W + j * $W + c)>] (%i, %j, %c)[%m] : !kernel.buffer<f32>
        kernel.accumulate %v, %a : !kernel.buffer<f32>
        kernel.yield %v, %v : f32, f32
      } : !kernel.row<f32>, f32
      kernel.columns %c in %width {
        %v = kernel.get %kept : !kernel.row<f32>
        %q = arith.divf %v, %sum : f32
        kernel.accumulate %q, %b : !kernel.buffer<f32>
        kernel.store %q, %y [affine_map<(i, j, c)[m] -> (i * m * $W + j * $W + c)>] (%i, %j, %c)[%m] : !kernel.buffer<f32>
      }
    }
  })",
             {{"W", std::to_string(width)}}),
        GetParam(), counts);
    for (size_t launch = 0; launch < counts.size(); ++launch) {
      EXPECT_EQ(kernel.items[launch], 5) << "parts, however many rows there are";
      int64_t rows = counts[launch][0] * counts[launch][1], length = (rows + 4) / 5;
      std::vector<float> xs = randomFloats(rows * width, 1, width);
      for (float &value : xs)
        value += 2; // No row sums up to nothing.
      Buffer<float> x(xs), y(rows * width), a(5 * width), b(5 * width), a1(5 * width), b1(5 * width);
      kernel.run(launch, {x.data(), y.data(), a.data(), b.data()});
      kernel.run(launch, {x.data(), y.data(), a1.data(), b1.data()}, 3);
      EXPECT_EQ(a.values(), a1.values()) << "the cut into ranges changes bits";
      EXPECT_EQ(b.values(), b1.values()) << "the cut into ranges changes bits";
      for (int64_t part = 0; part < 5; ++part)
        for (int64_t c = 0; c < width; ++c) {
          double ofX = 0, ofY = 0; // In the order of the rows, rounded once: the same bits.
          for (int64_t r = part * length; r < std::min((part + 1) * length, rows); ++r) {
            ofX += x[r * width + c];
            ofY += y[r * width + c];
          }
          ASSERT_EQ(a[part * width + c], float(ofX))
              << "part " << part << ", column " << c << " of " << width;
          ASSERT_EQ(b[part * width + c], float(ofY))
              << "part " << part << ", column " << c << " of " << width;
        }
    }
  }
}
