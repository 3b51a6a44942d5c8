//===- ProductTest.cpp - Products against a float64 product ---------------===//
#include "GpuTest.h"

#include "runtime/base/Random.h"
#include "runtime/product/Cublas.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

using namespace heddle::runtime;

namespace {

/// One case; `pad` widens every leading dimension, `shift` moves every address by so many elements.
struct Case {
  const char *name;
  int64_t m, n, k;
  bool transposedA = false, transposedB = false;
  int64_t batch = 1;
  MathMode math = MathMode::F32;
  DType in = DType::F32, out = DType::F32;
  double alpha = 1, beta = 0;
  bool cIsD = false;
  Epilogue epilogue = Epilogue::None;
  int64_t pad = 0, shift = 0;
};

/// A matrix on the host, as float64 values that its type holds exactly, and on the device.
struct Matrix {
  MatrixRef ref;
  std::vector<double> values; ///< All of its memory, padding and batches included.
  void *address = nullptr;

  double at(int64_t batch, int64_t i, int64_t j) const {
    int64_t base = batch * ref.batchStride;
    return values[ref.transposed ? base + j * ref.ld + i : base + i * ref.ld + j];
  }
};

class GpuProduct : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!device)
      return;
    StatusOr<Cublas::Library> library = Cublas::library();
    if (!library)
      GTEST_SKIP() << library.status().message();
    workspace = allocate(kCublasWorkspaceBytes);
  }

  /// Values between -1 and 1, rounded to the type.
  Matrix matrix(DType type, int64_t rows, int64_t columns, int64_t batch, bool transposed, int64_t pad,
                int64_t shift, uint64_t stream) {
    Matrix result;
    result.ref.dtype = type;
    result.ref.transposed = transposed;
    result.ref.ld = (transposed ? rows : columns) + pad;
    result.ref.batchStride = batch == 1 ? 0 : result.ref.ld * (transposed ? columns : rows) + pad;
    int64_t count = result.ref.ld * (transposed ? columns : rows) + (batch - 1) * result.ref.batchStride;
    std::vector<float> floats(count);
    for (int64_t i = 0; i < count; ++i)
      floats[i] = std::fmax(-1.0f, std::fmin(1.0f, normalElement(11, stream, i, normalFactor(0.5))));
    std::vector<uint8_t> bytes(count * sizeOf(type));
    expectOk(narrowFromF32(type, floats.data(), bytes.data(), count));
    expectOk(widenToF32(type, bytes.data(), floats.data(), count));
    result.values.assign(floats.begin(), floats.end());
    result.address = upload(bytes, shift * sizeOf(type));
    return result;
  }

  std::vector<double> read(const void *address, DType type, int64_t count) {
    std::vector<uint8_t> bytes = download<uint8_t>(address, count * sizeOf(type));
    std::vector<double> values(count);
    widenToF64(type, bytes.data(), values.data(), count);
    return values;
  }

  void check(const Case &c);

  void *workspace = nullptr;
};

bool isGelu(Epilogue e) { return e == Epilogue::GeluTanh || e == Epilogue::BiasGeluTanh; }
bool isRelu(Epilogue e) { return e == Epilogue::Relu || e == Epilogue::BiasRelu; }

double geluTanh(double x) {
  return 0.5 * x * (1.0 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}
double geluErf(double x) { return 0.5 * x * (1.0 + std::erf(x * 0.7071067811865476)); }

void GpuProduct::check(const Case &c) {
  SCOPED_TRACE(c.name);
  Matrix a = matrix(c.in, c.m, c.k, c.batch, c.transposedA, c.pad, c.shift, 1);
  Matrix b = matrix(c.in, c.k, c.n, c.batch, c.transposedB, c.pad, c.shift, 2);
  Matrix d = matrix(c.out, c.m, c.n, c.batch, false, c.pad, c.shift, 3);
  Matrix other = matrix(c.out, c.m, c.n, c.batch, false, c.pad, c.shift, 4);
  const Matrix &addend = c.cIsD ? d : other;
  Matrix bias = matrix(c.out, 1, c.n, 1, false, 0, 0, 5);

  Product product;
  product.m = c.m, product.n = c.n, product.k = c.k, product.batch = c.batch;
  product.a = a.ref, product.b = b.ref, product.d = d.ref;
  product.alpha = c.alpha, product.beta = c.beta;
  product.math = c.math;
  product.epilogue = c.epilogue;
  product.biasType = c.out;
  Device::ProductAddresses at;
  at.a = a.address, at.b = b.address, at.d = d.address;
  if (c.beta != 0) {
    product.c = addend.ref;
    at.c = addend.address;
  }
  if (hasBias(c.epilogue))
    at.bias = bias.address;
  at.workspace = workspace, at.workspaceBytes = kCublasWorkspaceBytes;
  Status status = device->product(product, at);
  ASSERT_TRUE(status) << status.message();
  std::vector<double> found = read(d.address, c.out, int64_t(d.values.size()));

  // Products of bf16 and f16 are exact in float32; what rounds is the sum. Float32 sums in any order are off
  // by at most (k + 2) roundings of 2^-24 of the sum of magnitudes (Higham, Accuracy and Stability, 3.1);
  // tensor cores add with truncation and are given four times that. tf32 rounds each operand to 11 bits. The
  // result rounds to its type.
  double unit = std::ldexp(1.0, -24) * (c.math == MathMode::F32 ? 1 : 4);
  double operandRounding = c.math == MathMode::TF32 ? std::ldexp(2.0, -11) : 0;
  double resultRounding = c.out == DType::BF16  ? std::ldexp(1.0, -8)
                          : c.out == DType::F16 ? std::ldexp(1.0, -11)
                                                : 0;
  double tanhError = 0, erfError = 0;
  int64_t failures = 0;
  std::vector<bool> touched(found.size(), false);
  for (int64_t batch = 0; batch < c.batch; ++batch)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t l = 0; l < c.k; ++l) {
          double term = a.at(batch, i, l) * b.at(batch, l, j);
          sum += term;
          magnitude += std::fabs(term);
        }
        double add = c.beta != 0 ? c.beta * addend.at(batch, i, j) : 0;
        double shift = hasBias(c.epilogue) ? bias.values[j] : 0;
        double wanted = c.alpha * sum + add + shift;
        double bound = (double(c.k + 4) * unit + operandRounding) * std::fabs(c.alpha) * magnitude +
                       4 * unit * (std::fabs(add) + std::fabs(shift));
        int64_t index = batch * d.ref.batchStride + i * d.ref.ld + j;
        touched[index] = true;
        if (isRelu(c.epilogue))
          wanted = std::fmax(wanted, 0.0);
        if (isGelu(c.epilogue)) {
          tanhError += std::fabs(found[index] - geluTanh(wanted));
          erfError += std::fabs(found[index] - geluErf(wanted));
          wanted = geluTanh(wanted);
          // The slope is at most 1.13; the hardware's tanh is off by up to 2^-10.98 (CUDA's tables), halved
          // and scaled by the argument.
          bound = 1.13 * bound + std::ldexp(1.0, -11) * std::fmax(1.0, std::fabs(wanted));
        }
        bound += resultRounding * std::fabs(wanted) + 1e-30;
        // Some of the library's kernels round the product to the result's type before they add (seen with bf16
        // on an H200: an addend in place, a bias where n is odd): one more rounding.
        if (c.beta != 0 || hasBias(c.epilogue))
          bound += resultRounding * std::fabs(c.alpha * sum);
        double error = std::fabs(found[index] - wanted);
        if (!(error <= bound) && ++failures <= 3)
          ADD_FAILURE() << "batch " << batch << " (" << i << ", " << j << "): found " << found[index]
                        << ", wanted " << wanted << ", error " << error << ", bound " << bound;
      }
  EXPECT_EQ(failures, 0) << "of " << c.m * c.n * c.batch;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!touched[i]) {
      ASSERT_EQ(found[i], d.values[i]) << "padding at " << i << " was written";
    }
  }
  if (isGelu(c.epilogue)) {
    std::printf("%s: mean error to gelu's tanh form %.3g, to its erf form %.3g\n", c.name,
                tanhError / double(c.m * c.n), erfError / double(c.m * c.n));
    EXPECT_LT(tanhError, erfError) << "cuBLASLt's GELU is the tanh form";
  }
}

} // namespace

TEST_F(GpuProduct, Orientations) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      std::string name = std::string("f32 ") + (ta ? "T" : "N") + (tb ? "T" : "N");
      check({.name = name.c_str(), .m = 48, .n = 80, .k = 32, .transposedA = ta, .transposedB = tb});
      name = "bf16" + name.substr(3);
      check({.name = name.c_str(),
             .m = 48,
             .n = 80,
             .k = 32,
             .transposedA = ta,
             .transposedB = tb,
             .math = MathMode::Low,
             .in = DType::BF16,
             .out = DType::BF16});
    }
}

TEST_F(GpuProduct, OddSizesAndAddresses) {
  for (int64_t pad : {0, 3})
    for (int64_t shift : {0, 1}) {
      std::string name = "pad " + std::to_string(pad) + " shift " + std::to_string(shift);
      check({.name = ("f32 " + name).c_str(), .m = 37, .n = 53, .k = 61, .pad = pad, .shift = shift});
      check({.name = ("f32 TT " + name).c_str(),
             .m = 37,
             .n = 53,
             .k = 61,
             .transposedA = true,
             .transposedB = true,
             .pad = pad,
             .shift = shift});
      check({.name = ("bf16 " + name).c_str(),
             .m = 37,
             .n = 53,
             .k = 61,
             .math = MathMode::Low,
             .in = DType::BF16,
             .out = DType::BF16,
             .pad = pad,
             .shift = shift});
    }
  check({.name = "one by one", .m = 1, .n = 1, .k = 1});
  check({.name = "one row", .m = 1, .n = 129, .k = 65});
  check({.name = "one column", .m = 129, .n = 1, .k = 65});
}

// 64 terms and operands of 24 bits: rounding to tf32 would exceed the bound of F32 by far, and so would show.
TEST_F(GpuProduct, Float32IsNotTf32) {
  check({.name = "f32", .m = 256, .n = 256, .k = 64});
  check({.name = "tf32", .m = 256, .n = 256, .k = 64, .math = MathMode::TF32});
}

TEST_F(GpuProduct, LowPrecisionTypes) {
  for (DType in : {DType::BF16, DType::F16})
    for (DType out : {in, DType::F32}) {
      std::string name = std::string(nameOf(in)) + " to " + std::string(nameOf(out));
      check({.name = name.c_str(), .m = 96, .n = 128, .k = 256, .math = MathMode::Low, .in = in, .out = out});
    }
}

TEST_F(GpuProduct, Batches) {
  check({.name = "f32", .m = 33, .n = 47, .k = 29, .batch = 5});
  check({.name = "f32 T", .m = 32, .n = 64, .k = 40, .transposedB = true, .batch = 12, .pad = 8});
  check({.name = "bf16 scores",
         .m = 128,
         .n = 128,
         .k = 64,
         .transposedB = true,
         .batch = 12,
         .math = MathMode::Low,
         .in = DType::BF16,
         .out = DType::BF16,
         .alpha = 0.125});
}

TEST_F(GpuProduct, AlphaAndBeta) {
  check({.name = "c apart", .m = 50, .n = 60, .k = 70, .alpha = 0.5, .beta = 1});
  check({.name = "in place", .m = 50, .n = 60, .k = 70, .alpha = -1.5, .beta = 0.25, .cIsD = true});
  check({.name = "bf16 residual",
         .m = 64,
         .n = 96,
         .k = 128,
         .math = MathMode::Low,
         .in = DType::BF16,
         .out = DType::F32,
         .beta = 1});
  check({.name = "bf16 in place",
         .m = 64,
         .n = 96,
         .k = 128,
         .math = MathMode::Low,
         .in = DType::BF16,
         .out = DType::BF16,
         .beta = 1,
         .cIsD = true});
}

TEST_F(GpuProduct, Epilogues) {
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::GeluTanh, Epilogue::BiasGeluTanh, Epilogue::Relu, Epilogue::BiasRelu}) {
    std::string name = "epilogue " + std::to_string(int(epilogue));
    check({.name = ("f32 " + name).c_str(), .m = 64, .n = 96, .k = 32, .epilogue = epilogue});
    check({.name = ("bf16 " + name).c_str(),
           .m = 64,
           .n = 96,
           .k = 32,
           .math = MathMode::Low,
           .in = DType::BF16,
           .out = DType::BF16,
           .epilogue = epilogue});
    check({.name = ("bf16 to f32 " + name).c_str(),
           .m = 64,
           .n = 96,
           .k = 32,
           .transposedB = true,
           .math = MathMode::Low,
           .in = DType::BF16,
           .out = DType::F32,
           .epilogue = epilogue});
  }
}

// What fusion makes: a bias and an addend of the result's type, in one call; sizes that no vector divides,
// one row, one column, and a sum of one.
TEST_F(GpuProduct, EpiloguesWithAddendAndOddSizes) {
  for (Epilogue epilogue : {Epilogue::Bias, Epilogue::BiasGeluTanh, Epilogue::BiasRelu})
    for (DType in : {DType::F32, DType::BF16})
      for (DType out : {DType::F32, DType::BF16})
        for (double beta : {0.0, 1.0})
          for (auto [m, n, k] :
               {std::array<int64_t, 3>{64, 96, 32}, {35, 101, 72}, {1, 200, 64}, {48, 1, 64}, {5, 7, 1}}) {
            if (in == DType::F32 && out != DType::F32)
              continue;
            std::string name = "epilogue " + std::to_string(int(epilogue)) + " beta " + std::to_string(beta) +
                               " n " + std::to_string(n);
            check({.name = name.c_str(),
                   .m = m,
                   .n = n,
                   .k = k,
                   .transposedB = true,
                   .math = in == DType::F32 ? MathMode::F32 : MathMode::Low,
                   .in = in,
                   .out = out,
                   .beta = beta,
                   .epilogue = epilogue});
          }
}

TEST_F(GpuProduct, LargerSizes) {
  check({.name = "f32", .m = 512, .n = 768, .k = 3072, .transposedB = true});
  check({.name = "bf16",
         .m = 512,
         .n = 768,
         .k = 3072,
         .transposedB = true,
         .math = MathMode::Low,
         .in = DType::BF16,
         .out = DType::BF16});
  // Few rows and a long sum: the library splits the sum.
  check({.name = "split sum",
         .m = 16,
         .n = 32,
         .k = 16384,
         .transposedB = true,
         .math = MathMode::Low,
         .in = DType::BF16,
         .out = DType::BF16});
}

// A recorded product replays, the same product twice gives the same bits, and an algorithm that was asked for
// and pinned gives them too.
TEST_F(GpuProduct, SameBitsRecordedAndPinned) {
  const int64_t size = 256;
  Matrix a = matrix(DType::BF16, size, size, 1, false, 0, 0, 1),
         b = matrix(DType::BF16, size, size, 1, false, 0, 0, 2);
  Matrix d = matrix(DType::F32, size, size, 1, false, 0, 0, 3);
  Product product;
  product.m = product.n = product.k = size;
  product.a = a.ref, product.b = b.ref, product.d = d.ref;
  product.math = MathMode::Low;
  Device::ProductAddresses at;
  at.a = a.address, at.b = b.address, at.d = d.address;
  at.workspace = workspace, at.workspaceBytes = kCublasWorkspaceBytes;
  expectOk(device->product(product, at));
  std::vector<float> first = download<float>(d.address, size * size);

  expectOk(device->fill(d.address, 0, size * size * 4));
  expectOk(device->beginRecording());
  expectOk(device->product(product, at));
  StatusOr<std::unique_ptr<Recording>> recording = device->endRecording();
  ASSERT_TRUE(recording) << recording.status().message();
  EXPECT_EQ(download<float>(d.address, size * size), std::vector<float>(size * size, 0.0f));
  expectOk(device->replay(**recording));
  EXPECT_EQ(download<float>(d.address, size * size), first);

  StatusOr<std::unique_ptr<Cublas>> cublas = Cublas::create();
  ASSERT_TRUE(cublas) << cublas.status().message();
  StatusOr<std::vector<std::vector<uint8_t>>> guesses = (*cublas)->candidates(product, at, 8);
  ASSERT_TRUE(guesses) << guesses.status().message();
  ASSERT_FALSE(guesses->empty());
  for (size_t i = 0; i < guesses->size(); ++i) {
    product.algorithm = (*guesses)[i];
    expectOk(device->product(product, at));
    std::vector<float> pinned = download<float>(d.address, size * size);
    // Algorithms differ in the order of their sums; 256 terms of at most 1, as in `check`.
    for (int64_t e = 0; e < size * size; ++e)
      ASSERT_NEAR(pinned[e], first[e], 2 * 260 * 260 * std::ldexp(4.0, -24)) << "algorithm " << i;
  }
}

// The first use of a product may be in a recording: the library loads its kernels there and then.
TEST_F(GpuProduct, RecordedWithoutARunBefore) {
  const int64_t size = 96;
  Matrix a = matrix(DType::F16, size, size, 1, true, 0, 0, 1),
         b = matrix(DType::F16, size, size, 1, true, 0, 0, 2);
  Matrix d = matrix(DType::F16, size, size, 1, false, 0, 0, 3);
  Product product;
  product.m = product.n = product.k = size;
  product.a = a.ref, product.b = b.ref, product.d = d.ref;
  product.math = MathMode::Low;
  Device::ProductAddresses at;
  at.a = a.address, at.b = b.address, at.d = d.address;
  at.workspace = workspace, at.workspaceBytes = kCublasWorkspaceBytes;
  expectOk(device->beginRecording());
  expectOk(device->product(product, at));
  StatusOr<std::unique_ptr<Recording>> recording = device->endRecording();
  ASSERT_TRUE(recording) << recording.status().message();
  expectOk(device->replay(**recording));
  std::vector<uint16_t> replayed = download<uint16_t>(d.address, size * size);
  expectOk(device->fill(d.address, 0, size * size * 2));
  expectOk(device->product(product, at));
  EXPECT_EQ(download<uint16_t>(d.address, size * size), replayed);
}

TEST_F(GpuProduct, BadProductsAreRefused) {
  Matrix a = matrix(DType::F32, 8, 8, 1, false, 0, 0, 1);
  Product product;
  product.m = product.n = product.k = 8;
  product.a = product.b = product.d = a.ref;
  Device::ProductAddresses at;
  at.a = at.b = a.address;
  at.d = allocate(8 * 8 * 4);
  auto refused = [&](Product bad, const char *reason) {
    Status status = device->product(bad, at);
    EXPECT_EQ(status.code(), StatusCode::InvalidInput) << reason;
    EXPECT_NE(status.message().find(reason), std::string::npos) << status.message();
  };
  Product bad = product;
  bad.m = 0;
  refused(bad, "positive");
  bad = product, bad.beta = 1;
  refused(bad, "there is no c");
  bad = product, bad.epilogue = Epilogue::Bias;
  refused(bad, "there is none");
  bad = product, bad.math = MathMode::Low;
  refused(bad, "bf16 or f16");
  bad = product, bad.a.dtype = DType::I32;
  refused(bad, "math must be low");
  bad = product, bad.d.transposed = true;
  refused(bad, "must not be transposed");
  bad = product, bad.algorithm = {1, 2, 3};
  refused(bad, "3 bytes");
  bad = product, bad.algorithm.assign(72, 0);
  refused(bad, "compile the plan again");
  expectOk(device->product(product, at));
}

// Not a test but figures; run it with --gtest_also_run_disabled_tests.
TEST_F(GpuProduct, DISABLED_HostCost) {
  Matrix a = matrix(DType::BF16, 64, 64, 1, false, 0, 0, 1);
  Product product;
  product.m = product.n = product.k = 64;
  product.a = product.b = product.d = a.ref;
  product.math = MathMode::Low;
  Device::ProductAddresses at;
  at.a = at.b = a.address;
  at.d = allocate(64 * 64 * 2);
  at.workspace = workspace, at.workspaceBytes = kCublasWorkspaceBytes;
  for (int run = 0; run < 3; ++run) {
    expectOk(device->synchronize());
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 500; ++i)
      expectOk(device->product(product, at));
    std::printf("product: %.2f us on the host\n",
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
                    500);
  }
}
