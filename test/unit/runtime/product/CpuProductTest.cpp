//===- CpuProductTest.cpp - Matrix products on the CPU --------------------===//
//
// Every form of Product against a float64 sum written from its definition.
//
//===----------------------------------------------------------------------===//
#include "runtime/product/CpuProduct.h"

#include "runtime/base/Convert.h"
#include "runtime/base/Random.h"
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/plan/Panels.h"
#include "runtime/product/Epilogue.h"
#include "runtime/product/OpenBlas.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace heddle::runtime;

namespace {

/// A stored matrix operand with its values, rounded to its type, as float64.
struct Stored {
  std::vector<uint8_t> bytes;
  std::vector<double> values;

  Stored(DType type, int64_t elements, uint64_t stream, bool nan = false)
      : bytes(static_cast<size_t>(elements * sizeOf(type))), values(static_cast<size_t>(elements)) {
    std::vector<float> drawn(static_cast<size_t>(elements));
    for (int64_t i = 0; i < elements; ++i)
      drawn[static_cast<size_t>(i)] =
          nan ? NAN : normalElement(1, stream, static_cast<uint64_t>(i), normalFactor(1));
    EXPECT_TRUE(narrowFromF32(type, drawn.data(), bytes.data(), elements).isOk());
    widenToF64(type, bytes.data(), values.data(), elements);
  }
};

int64_t storedElements(const MatrixRef &matrix, int64_t rows, int64_t columns, int64_t batch) {
  if (matrix.transposed)
    std::swap(rows, columns);
  return (batch - 1) * matrix.batchStride + std::max<int64_t>(rows, 1) * std::max(matrix.ld, columns);
}

double at(const Stored &stored, const MatrixRef &matrix, int64_t batch, int64_t i, int64_t j) {
  int64_t element = batch * matrix.batchStride + (matrix.transposed ? j * matrix.ld + i : i * matrix.ld + j);
  return stored.values[static_cast<size_t>(element)];
}

double geluTanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

double silu(double x) { return x / (1 + std::exp(-x)); }

double epilogueOf(Epilogue epilogue, double value, double bias) {
  if (hasBias(epilogue))
    value += bias;
  if (epilogue == Epilogue::GeluTanh || epilogue == Epilogue::BiasGeluTanh)
    value = geluTanh(value);
  if (epilogue == Epilogue::Relu || epilogue == Epilogue::BiasRelu)
    value = std::max(value, 0.0);
  return value;
}

/// Runs `p` by one algorithm on `threads` threads with d full of NaN (unless it is c) and compares every
/// element of d.
void checkOne(const Product &p, int threads, bool cIsD) {
  SCOPED_TRACE(testing::Message() << p.m << "x" << p.n << "x" << p.k << " batch " << p.batch << " threads "
                                  << threads << " a " << nameOf(p.a.dtype) << p.a.transposed << " b "
                                  << p.b.transposed << " d " << nameOf(p.d.dtype) << " epilogue "
                                  << int(p.epilogue));
  Stored a(p.a.dtype, storedElements(p.a, p.m, p.k, p.batch), 1),
      b(p.b.dtype, storedElements(p.b, p.k, p.n, p.batch), 2);
  bool hasC = p.beta != 0 && !cIsD;
  Stored c(p.c.dtype, hasC ? storedElements(p.c, p.m, p.n, p.batch) : 0, 3);
  Stored d(p.d.dtype, storedElements(p.d, p.m, p.n, p.batch), 4, !cIsD);
  Stored bias(p.biasType, p.n, 5);
  Stored before = d;
  ThreadPool pool(threads);
  auto products = CpuProducts::create(pool);
  ASSERT_TRUE(products.isOk()) << products.status().message();
  Status status = (*products)->run(p, a.bytes.data(), b.bytes.data(),
                                   cIsD   ? d.bytes.data()
                                   : hasC ? c.bytes.data()
                                          : nullptr,
                                   hasBias(p.epilogue) ? bias.bytes.data() : nullptr, d.bytes.data());
  ASSERT_TRUE(status.isOk()) << status.message();
  widenToF64(p.d.dtype, d.bytes.data(), d.values.data(), static_cast<int64_t>(d.values.size()));
  // A float32 sum of k products of unit normals loses at most k^1.5 * 2^-24, far less on average; a narrow
  // result adds half a unit of its last place: 2^-8 for bf16, 2^-11 for f16.
  double unit = p.d.dtype == DType::BF16 ? 0x1p-8 : p.d.dtype == DType::F16 ? 0x1p-11 : 0;
  for (int64_t z = 0; z < p.batch; ++z)
    for (int64_t i = 0; i < p.m; ++i) {
      auto sumAt = [&](int64_t j) {
        double sum = 0;
        for (int64_t l = 0; l < p.k; ++l)
          sum += at(a, p.a, z, i, l) * at(b, p.b, z, l, j);
        return sum * p.alpha;
      };
      for (int64_t j = 0; j < resultColumns(p); ++j) {
        double sum = sumAt(j), expected = 0;
        double growth = 1; // Of an error of the sum by the epilogue.
        if (p.epilogue == Epilogue::SiluMul) {
          double up = sumAt(j + p.n / 2);
          expected = silu(sum) * up;
          growth = 1.1 * std::fabs(up) + std::fabs(silu(sum)); // |silu'| < 1.1
        } else {
          if (p.beta != 0)
            sum += p.beta * (cIsD ? at(before, p.d, z, i, j) : at(c, p.c, z, i, j));
          expected = epilogueOf(p.epilogue, sum, bias.values[static_cast<size_t>(j)]);
        }
        double found = at(d, p.d, z, i, j);
        double bound =
            std::pow(p.k + 4.0, 1.5) * 0x1p-24 * std::max(1.0, std::fabs(p.alpha)) * std::max(1.0, growth) +
            1.01 * unit * std::fabs(expected);
        ASSERT_NEAR(found, expected, bound) << z << " " << i << " " << j;
      }
    }
}

/// Checks the library and Heddle's own tiles.
void check(Product p, int threads, bool cIsD = false) {
  if (p.epilogue != Epilogue::SiluMul)
    checkOne(p, threads, cIsD);
  p.algorithm.assign(kTiledProduct.begin(), kTiledProduct.end());
  SCOPED_TRACE("tiled");
  checkOne(p, threads, cIsD);
}

Product make(int64_t m, int64_t n, int64_t k, DType type = DType::F32, bool ta = false, bool tb = false) {
  Product p;
  p.m = m, p.n = n, p.k = k;
  p.a = {{0, 0}, type, ta ? m : k, 0, ta};
  p.b = {{1, 0}, type, tb ? k : n, 0, tb};
  p.c = {{3, 0}, DType::F32, n, 0, false};
  p.d = {{2, 0}, DType::F32, n, 0, false};
  p.math = type == DType::F32 ? MathMode::F32 : MathMode::Low;
  return p;
}

TEST(CpuProduct, OddSizesTransposedOrNot) {
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{1, 1, 1}, {1, 7, 33}, {17, 1, 5}, {33, 65, 129}, {130, 67, 31}})
    for (int transposes = 0; transposes < 4; ++transposes)
      for (DType type : {DType::F32, DType::BF16, DType::F16})
        for (int threads : {1, 3})
          check(make(m, n, k, type, transposes & 1, transposes & 2), threads);
}

TEST(CpuProduct, PanelsOfNarrowOperands) {
  // Larger than a panel in rows and columns, so that every loop turns.
  check(make(300, 600, 40, DType::BF16, false, true), 1);
  check(make(300, 600, 40, DType::BF16, true, false), 2);
}

TEST(CpuProduct, TilesOfEveryEdge) {
  // Rows around a panel (14 or 6) and a chunk (512), columns around a panel (32 or 16) and a tile, k around a
  // block (768).
  for (int64_t m : {1, 13, 14, 15, 520, 1037})
    for (int64_t k : {1, 768, 769})
      check(make(m, 33, k), 2);
  for (int64_t n : {15, 16, 17, 31, 32, 191, 193, 400})
    for (bool transposed : {false, true})
      check(make(29, n, 390, DType::F32, transposed, transposed), 3);
}

TEST(CpuProduct, GateOfTwoHalves) {
  for (int64_t n : {2, 30, 64, 66, 200, 410})
    for (DType type : {DType::F32, DType::BF16})
      for (bool transposed : {false, true}) {
        Product p = make(31, n, 50, type, false, transposed);
        p.epilogue = Epilogue::SiluMul;
        p.d.ld = n / 2 + 3;
        p.d.dtype = type;
        p.alpha = 0.5;
        check(p, 2);
      }
  ThreadPool pool(1);
  auto products = CpuProducts::create(pool);
  ASSERT_TRUE(products.isOk());
  Product p = make(1, 2, 1);
  p.epilogue = Epilogue::SiluMul;
  float two[2] = {1, 2};
  EXPECT_EQ((*products)->run(p, two, two, nullptr, nullptr, two).message(),
            "the library's products have no epilogue that multiplies two halves");
  p.algorithm = {'o', 'w', 'n'};
  EXPECT_EQ((*products)->run(p, two, two, nullptr, nullptr, two).message(),
            "a product's algorithm on the CPU must be none, 'tiled' or 'tiled:16' or 'tiled:32', found 3 "
            "other bytes");
}

// The code for older processors, which runs on newer ones too.
TEST(CpuProduct, TilesOfEveryLevel) {
  for (CpuLevel level : {CpuLevel::Baseline, CpuLevel::V3, CpuLevel::V4}) {
    if (level > cpuLevel())
      continue;
    ThreadPool pool(2);
    TiledProducts tiles(pool, level);
    for (bool transposed : {false, true}) {
      Product p = make(45, 77, 400, DType::F32, transposed, transposed);
      Stored a(DType::F32, 45 * 400, 1), b(DType::F32, 77 * 400, 2);
      std::vector<float> d(45 * 77);
      ASSERT_TRUE(
          tiles.run(p, /*panel=*/0, a.bytes.data(), b.bytes.data(), nullptr, nullptr, d.data()).isOk());
      for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
          double sum = 0;
          for (int64_t l = 0; l < p.k; ++l)
            sum += at(a, p.a, 0, i, l) * at(b, p.b, 0, l, j);
          // As in checkOne.
          ASSERT_NEAR(d[static_cast<size_t>(i * p.n + j)], sum, std::pow(p.k + 4.0, 1.5) * 0x1p-24);
        }
    }
  }
}

// Other numbers of threads, other tiles: each element is summed in the same order.
TEST(CpuProduct, TilesGiveTheSameBitsOnAnyNumberOfThreads) {
  Product p = make(100, 203, 900);
  p.algorithm.assign(kTiledProduct.begin(), kTiledProduct.end());
  Stored a(DType::F32, 100 * 900, 1), b(DType::F32, 203 * 900, 2), c(DType::F32, 100 * 203, 3);
  for (double beta : {0.0, 1.0}) {
    p.beta = beta;
    std::vector<float> first(100 * 203), again(100 * 203);
    for (int threads : {1, 2, 3, 7}) {
      ThreadPool pool(threads);
      auto products = CpuProducts::create(pool);
      ASSERT_TRUE(products.isOk());
      std::vector<float> &result = threads == 1 ? first : again;
      ASSERT_TRUE((*products)
                      ->run(p, a.bytes.data(), b.bytes.data(), beta ? c.bytes.data() : nullptr, nullptr,
                            result.data())
                      .isOk());
      if (threads > 1) {
        EXPECT_EQ(first, again) << threads;
      }
    }
  }
}

/// b, stored as n x k, in panels.
std::vector<uint8_t> inPanels(const Stored &b, const Product &p, int64_t panel) {
  PanelOrder order{p.n, p.k, panel};
  int64_t size = sizeOf(p.b.dtype);
  std::vector<uint8_t> packed(b.bytes.size());
  for (int64_t index = 0; index < order.panels(); ++index)
    order.pack(index, size, b.bytes.data() + order.begin(index) * size,
               packed.data() + order.begin(index) * size);
  return packed;
}

// Where b lies changes no bit: the sums are the same, in the same order. Whole panels and a narrow last one,
// one and several blocks of k, few rows and many, operands that are widened, a gate, a residual.
TEST(CpuProduct, PanelsGiveTheSameBits) {
  struct Case {
    int64_t m, n, k;
    DType type;
    Epilogue epilogue;
    double beta;
  } cases[] = {
      {45, 77, 400, DType::F32, Epilogue::None, 0},     {1, 96, 1600, DType::F32, Epilogue::None, 0},
      {600, 64, 1000, DType::F32, Epilogue::None, 1},   {33, 5, 3, DType::F32, Epilogue::None, 0},
      {30, 128, 800, DType::F32, Epilogue::SiluMul, 0}, {20, 320, 64, DType::BF16, Epilogue::None, 0},
      {17, 101, 900, DType::BF16, Epilogue::None, 0},   {50, 99, 0, DType::F32, Epilogue::None, 0},
      {9, 50, 770, DType::F16, Epilogue::GeluTanh, 0}};
  for (const Case &c : cases)
    for (int64_t panel : {kPanelV3, kPanelV4})
      for (int threads : {1, 3}) {
        if (panel == kPanelV3 ? cpuLevel() < CpuLevel::V3 : cpuLevel() < CpuLevel::V4)
          continue;
        SCOPED_TRACE(testing::Message() << c.m << "x" << c.n << "x" << c.k << " panel " << panel);
        Product p = make(c.m, c.n, c.k, c.type, false, true);
        p.epilogue = c.epilogue;
        p.beta = c.beta;
        p.d.ld = resultColumns(p);
        Stored a(c.type, c.m * c.k, 1), b(c.type, c.n * c.k, 2), addend(DType::F32, c.m * c.n, 3);
        std::vector<float> rows(static_cast<size_t>(c.m * resultColumns(p)), NAN), panels(rows);
        ThreadPool pool(threads);
        auto products = CpuProducts::create(pool);
        ASSERT_TRUE(products.isOk());
        const void *add = c.beta ? addend.bytes.data() : nullptr;
        for (int64_t used : {int64_t{0}, panel}) {
          std::string algorithm = tiledAlgorithm(used);
          p.algorithm.assign(algorithm.begin(), algorithm.end());
          std::vector<uint8_t> packed = used ? inPanels(b, p, used) : b.bytes;
          Status status = (*products)->run(p, a.bytes.data(), packed.data(), add, nullptr,
                                           used ? panels.data() : rows.data());
          ASSERT_TRUE(status.isOk()) << status.message();
        }
        EXPECT_EQ(rows, panels);
      }
}

// Panels of a newer processor's kernel are refused, not misread.
TEST(CpuProduct, PanelsNeedTheirLevel) {
  ThreadPool pool(1);
  TiledProducts tiles(pool, CpuLevel::Baseline);
  Product p = make(1, 1, 1, DType::F32, false, true);
  float one = 1;
  EXPECT_EQ(tiles.run(p, kPanelV4, &one, &one, nullptr, nullptr, &one).message(),
            "panels of 32 rows are for newer processors than this one");
}

TEST(PanelOrder, PlacesAndBack) {
  for (int64_t rows : {1, 15, 16, 33})
    for (int64_t columns : {1, 40}) {
      PanelOrder order{rows, columns, 16};
      std::vector<uint16_t> values(static_cast<size_t>(rows * columns)), packed(values), back(values);
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<uint16_t>(i);
      for (int64_t index = 0; index < order.panels(); ++index) {
        order.pack(index, 2, values.data() + order.begin(index), packed.data() + order.begin(index));
        order.unpack(index, 2, packed.data() + order.begin(index), back.data() + order.begin(index));
      }
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) // As Panels.h says.
          EXPECT_EQ(packed[static_cast<size_t>((i - i % 16) * columns + j * order.width(i / 16) + i % 16)],
                    i * columns + j);
      EXPECT_EQ(values, back);
    }
}

TEST(CpuProduct, LeadingDimensionsAndBatches) {
  for (int transposes = 0; transposes < 4; ++transposes) {
    Product p = make(19, 23, 11, DType::F32, transposes & 1, transposes & 2);
    p.batch = 5;
    p.a.ld += 3, p.b.ld += 2, p.d.ld += 7;
    p.a.batchStride = 700, p.b.batchStride = 800, p.d.batchStride = 19 * 30 + 1;
    for (int threads : {1, 2, 4})
      check(p, threads);
    p.b.batchStride = 0; // One b for all.
    check(p, 2);
  }
}

// A thread that takes whole matrices, several chunks of rows each, and threads that share one.
TEST(CpuProduct, BatchesGiveTheSameBitsOnAnyNumberOfThreads) {
  for (bool transposed : {false, true}) {
    Product p = make(530, 40, 60, DType::F32, transposed);
    p.batch = 3;
    p.a.batchStride = 530 * 60, p.b.batchStride = 60 * 40, p.d.batchStride = 530 * 40;
    p.algorithm.assign(kTiledProduct.begin(), kTiledProduct.end());
    Stored a(DType::F32, 3 * 530 * 60, 1), b(DType::F32, 3 * 60 * 40, 2);
    std::vector<float> first(3 * 530 * 40, NAN), again(first);
    for (int threads : {1, 2, 3, 5}) {
      ThreadPool pool(threads);
      auto products = CpuProducts::create(pool);
      ASSERT_TRUE(products.isOk());
      std::vector<float> &result = threads == 1 ? first : again;
      ASSERT_TRUE(
          (*products)->run(p, a.bytes.data(), b.bytes.data(), nullptr, nullptr, result.data()).isOk());
      if (threads > 1) {
        EXPECT_EQ(first, again) << threads;
      }
    }
    check(p, 2);
  }
}

TEST(CpuProduct, InterleavedBatches) {
  // Heads side by side in one row, as attention stores them.
  Product p = make(9, 8, 16);
  p.batch = 3;
  p.a.ld = 48, p.a.batchStride = 16;
  p.b.ld = 24, p.b.batchStride = 8;
  p.d.ld = 24, p.d.batchStride = 8;
  check(p, 2);
}

TEST(CpuProduct, EpiloguesAndResultTypes) {
  for (Epilogue epilogue : {Epilogue::None, Epilogue::Bias, Epilogue::GeluTanh, Epilogue::BiasGeluTanh,
                            Epilogue::Relu, Epilogue::BiasRelu})
    for (DType type : {DType::F32, DType::BF16})
      for (DType result : {DType::F32, DType::BF16, DType::F16}) {
        Product p = make(37, 45, 20, type);
        p.epilogue = epilogue;
        p.d.dtype = result;
        p.biasType = type;
        check(p, 2);
      }
}

TEST(CpuProduct, AlphaBetaAndC) {
  for (DType result : {DType::F32, DType::BF16})
    for (double beta : {1.0, -0.5}) {
      Product p = make(35, 41, 12);
      p.alpha = 1.5, p.beta = beta;
      p.d.dtype = result;
      check(p, 2); // c is another buffer.
      p.c.dtype = DType::BF16;
      p.c.ld = 50;
      p.epilogue = Epilogue::Bias;
      check(p, 2);
      p.c = p.d;
      check(p, 2, /*cIsD=*/true);
    }
}

// What a compiled plan's residual is: alpha and beta 1. Whole panels take c where their sums begin, the
// ragged one where it is stored; with k beyond a block the sums are handed on.
TEST(CpuProduct, Residuals) {
  for (int64_t m : {9, 35})
    for (int64_t k : {12, 769, 1600}) {
      Product p = make(m, 70, k);
      p.beta = 1;
      check(p, 2);
      p.c = p.d;
      check(p, 2, /*cIsD=*/true);
    }
}

TEST(CpuProduct, EmptySumIsZeroOrC) {
  Product p = make(5, 6, 0);
  p.epilogue = Epilogue::Bias;
  check(p, 2); // d was NaN: it must not be read.
  p.beta = 2;
  check(p, 2);
  p.d.dtype = DType::BF16;
  check(p, 1);
}

TEST(CpuProduct, SameBitsEveryTime) {
  Product p = make(100, 200, 300);
  Stored a(DType::F32, 100 * 300, 1), b(DType::F32, 200 * 300, 2);
  ThreadPool pool(3);
  auto products = CpuProducts::create(pool);
  ASSERT_TRUE(products.isOk());
  std::vector<float> first(100 * 200), again(100 * 200);
  ASSERT_TRUE((*products)->run(p, a.bytes.data(), b.bytes.data(), nullptr, nullptr, first.data()).isOk());
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE((*products)->run(p, a.bytes.data(), b.bytes.data(), nullptr, nullptr, again.data()).isOk());
    EXPECT_EQ(first, again);
  }
}

TEST(CpuProduct, RefusesWhatTheLibraryCannotIndex) {
  ThreadPool pool(1);
  auto products = CpuProducts::create(pool);
  ASSERT_TRUE(products.isOk());
  Product p = make(1, 1, 1);
  p.a.ld = int64_t{1} << 31;
  float one = 1;
  EXPECT_EQ((*products)->run(p, &one, &one, nullptr, nullptr, &one).message(),
            "a product's sizes and leading dimensions on the CPU must be below 2147483648, found 2147483648");
}

TEST(CpuProduct, LibraryNamesItsVersionAndCore) {
  auto name = prepareOpenBlas();
  ASSERT_TRUE(name.isOk()) << name.status().message();
  EXPECT_EQ(name->substr(0, 9), "OpenBLAS ");
  EXPECT_NE(name->find('('), std::string::npos);
}

TEST(CpuProduct, GeluIsCloseToItsDefinition) {
  for (float x = -8; x <= 8; x += 0.001f) {
    float value = x;
    applyEpilogue(Epilogue::GeluTanh, &value, 1, 1, 1, nullptr);
    // The erf form differs by up to 4.7e-4, so that the two cannot be mistaken for each other.
    double expected = geluTanh(x);
    // Five roundings, and the exponential's argument is off by three of its own size, which is below 2 where
    // the result is not small.
    EXPECT_NEAR(value, expected, 8 * 0x1p-24 * std::max(1.0f, std::fabs(x))) << x;
  }
  for (auto [x, wanted] : {std::pair(1e30f, 1e30f), {-1e30f, 0.0f}, {INFINITY, INFINITY}}) {
    float value = x;
    applyEpilogue(Epilogue::GeluTanh, &value, 1, 1, 1, nullptr);
    EXPECT_EQ(value, wanted) << x;
  }
  float none = NAN;
  applyEpilogue(Epilogue::GeluTanh, &none, 1, 1, 1, nullptr);
  EXPECT_TRUE(std::isnan(none));
  float nan = NAN;
  applyEpilogue(Epilogue::Relu, &nan, 1, 1, 1, nullptr);
  EXPECT_TRUE(std::isnan(nan));
}

} // namespace
