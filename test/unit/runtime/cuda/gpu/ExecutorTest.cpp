//===- ExecutorTest.cpp - A plan from parameters to outputs on a GPU ------===//
#include "GpuTest.h"

#include "runtime/base/Random.h"
#include "runtime/executor/Executor.h"
#include "runtime/product/Cublas.h"

#include <cmath>
#include <cstring>

using namespace heddle::runtime;

static constexpr int64_t kRows = 64, kDepth = 128, kColumns = 256;

static const char *const kSquareSource = R"(
extern "C" __global__ void square(float *out, const unsigned short *in, long long count) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count) {
    float x = __uint_as_float((unsigned)in[i] << 16);
    out[i] = x * x;
  }
}
)";

using GpuExecutor = GpuTest;

/// y = (x·w)², z = y: a product, a kernel and a copy, with a generated parameter.
static Plan squarePlan(const std::string &target) {
  Plan plan;
  plan.model = "test", plan.device = "cuda", plan.target = target;
  plan.pipeline = "compiled", plan.mode = "forward", plan.precision = "bf16";
  auto buffer = [&](const char *name, BufferRole role, DType type, int64_t rows, int64_t columns, int first,
                    int last) {
    Buffer made;
    made.name = name, made.role = role, made.dtype = type;
    made.shape = {rows, columns};
    made.bytes = rows * columns * sizeOf(type);
    made.firstStep = first, made.lastStep = last;
    plan.buffers.push_back(made);
  };
  buffer("x", BufferRole::Input, DType::BF16, kRows, kDepth, 0, 0);
  buffer("w", BufferRole::Parameter, DType::BF16, kDepth, kColumns, 0, 0);
  buffer("h", BufferRole::Scratch, DType::BF16, kRows, kColumns, 0, 1);
  buffer("y", BufferRole::Output, DType::F32, kRows, kColumns, 1, 2);
  buffer("z", BufferRole::Output, DType::F32, kRows, kColumns, 2, 2);
  plan.buffers[1].parts = {{"w.weight", {kDepth, kColumns}, 0, InitKind::Normal, 0.1}};
  plan.buffers[2].offset = 0;
  plan.arenaBytes = plan.buffers[2].bytes;
  plan.workspaceBytes = kCublasWorkspaceBytes;

  Kernel kernel;
  kernel.name = "square", kernel.source = kSquareSource, kernel.target = target, kernel.threads = 256;
  plan.kernels.push_back(kernel);

  Step product;
  product.kind = StepKind::Product, product.label = "product";
  product.product.m = kRows, product.product.n = kColumns, product.product.k = kDepth;
  product.product.a = {{0, 0}, DType::BF16, kDepth, 0, false};
  product.product.b = {{1, 0}, DType::BF16, kColumns, 0, false};
  product.product.d = {{2, 0}, DType::BF16, kColumns, 0, false};
  product.product.math = MathMode::Low;
  plan.steps.push_back(product);
  Step launch;
  launch.kind = StepKind::Launch, launch.label = "square";
  launch.launch.kernel = 0;
  launch.launch.buffers = {{3, 0}, {2, 0}};
  launch.launch.counts = {kRows * kColumns};
  launch.launch.grid = {kRows * kColumns / 256, 1, 1};
  plan.steps.push_back(launch);
  Step copy;
  copy.kind = StepKind::Copy, copy.label = "copy";
  copy.copy = {{3, 0}, {4, 0}, kRows * kColumns * 4};
  plan.steps.push_back(copy);
  return plan;
}

// Every kind of executor gives the same bits, which are the right values, and again on a second run.
TEST_F(GpuExecutor, KindsAgree) {
  Plan plan = squarePlan(device->target());
  std::vector<uint16_t> input(kRows * kDepth);
  for (size_t i = 0; i < input.size(); ++i)
    input[i] = f32ToBf16(normalElement(5, 6, i, normalFactor(1.0)));
  auto *bytes = reinterpret_cast<const uint8_t *>(input.data());

  std::vector<double> wanted(kRows * kColumns), magnitude(kRows * kColumns);
  for (int64_t l = 0; l < kDepth; ++l)
    for (int64_t j = 0; j < kColumns; ++j) {
      double w =
          bf16ToF32(f32ToBf16(normalElement(9, streamOf("w.weight"), l * kColumns + j, normalFactor(0.1))));
      for (int64_t i = 0; i < kRows; ++i) {
        double term = bf16ToF32(input[i * kDepth + l]) * w;
        wanted[i * kColumns + j] += term;
        magnitude[i * kColumns + j] += std::fabs(term);
      }
    }

  std::vector<uint8_t> first;
  for (ExecutorKind kind : {ExecutorKind::Sequential, ExecutorKind::Eager, ExecutorKind::Graph}) {
    SCOPED_TRACE(int(kind));
    ExecutorOptions options;
    options.kind = kind;
    options.seed = 9;
    StatusOr<std::unique_ptr<Executor>> executor = Executor::create(*device, plan, options);
    ASSERT_TRUE(executor) << executor.status().message();
    expectOk((*executor)->setInput("x", {bytes, input.size() * 2}));
    for (int run = 0; run < 2; ++run) {
      expectOk((*executor)->run());
      StatusOr<std::vector<uint8_t>> y = (*executor)->output("y"), z = (*executor)->output("z");
      ASSERT_TRUE(y) << y.status().message();
      ASSERT_TRUE(z) << z.status().message();
      EXPECT_EQ(*y, *z);
      if (first.empty())
        first = *y;
      EXPECT_EQ(*y, first);
    }
    StatusOr<std::vector<StepTime>> times = (*executor)->profile();
    ASSERT_TRUE(times) << times.status().message();
    ASSERT_EQ(times->size(), plan.steps.size()) << device->profileNote();
    for (size_t i = 0; i < times->size(); ++i) {
      EXPECT_EQ((*times)[i].step, int32_t(i));
      EXPECT_GT((*times)[i].ms, 0);
    }
  }
  ASSERT_EQ(first.size(), wanted.size() * 4);
  for (size_t i = 0; i < wanted.size(); ++i) {
    float found;
    std::memcpy(&found, first.data() + 4 * i, 4);
    // The sum as in ProductTest, rounded to bf16 (2^-9), then squared, which doubles a relative error.
    double bound =
        double(kDepth + 4) * std::ldexp(4.0, -24) * magnitude[i] + std::ldexp(1.0, -8) * std::fabs(wanted[i]);
    ASSERT_NEAR(found, wanted[i] * wanted[i], 2 * bound * (std::fabs(wanted[i]) + bound)) << i;
  }
}
