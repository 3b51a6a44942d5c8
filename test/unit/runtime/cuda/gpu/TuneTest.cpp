//===- TuneTest.cpp - Products timed on a GPU -----------------------------===//
#include "GpuTest.h"

#include "runtime/device/cuda/Tune.h"
#include "runtime/plan/Workspace.h"
#include "runtime/product/Cublas.h"
#include "test/unit/runtime/base/TemporaryFolder.h"

#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

constexpr int64_t kM = 192, kN = 320, kK = 256;

class GpuTune : public GpuTest {
protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!device)
      return;
    StatusOr<Cublas::Library> library = Cublas::library();
    if (!library)
      GTEST_SKIP() << library.status().message();
    StatusOr<TuningDevice> here = tuningDevice();
    ASSERT_TRUE(here) << here.status().message();
    EXPECT_EQ(here->target, device->target());
    EXPECT_TRUE(here->identity.starts_with(device->name())) << here->identity;
    options.identity = here->identity;
    options.cacheFolder = folder.path;
    options.tuner = [this]() -> StatusOr<ProductTuner *> {
      HEDDLE_ASSIGN_OR_RETURN(tuner, CudaProductTuner::create(*device));
      return static_cast<ProductTuner *>(tuner.get());
    };
  }
  void TearDown() override {
    tuner.reset();
    GpuTest::TearDown();
  }

  /// Activations, a weight and a result, each with room for a batch of 3.
  Plan planOf(DType in, DType out, int64_t batch, bool added, Epilogue epilogue) {
    Plan plan;
    plan.workspaceBytes = kCublasWorkspaceBytes;
    for (BufferRole role :
         {BufferRole::Scratch, BufferRole::Parameter, BufferRole::Scratch, BufferRole::Parameter})
      plan.buffers.emplace_back().role = role;
    Step &step = plan.steps.emplace_back();
    step.kind = StepKind::Product;
    Product &p = step.product;
    p.m = kM, p.n = kN, p.k = kK, p.batch = batch;
    p.math = in == DType::F32 ? MathMode::F32 : MathMode::Low;
    p.a = {{0, 0}, in, kK, kM * kK, false};
    p.b = {{1, 0}, in, kK, kN * kK, true};
    p.d = {{2, 0}, out, kN, kM * kN, false};
    if (added)
      p.beta = 1, p.c = p.d;
    p.epilogue = epilogue;
    if (epilogue == Epilogue::Bias)
      p.bias = {3, 0}, p.biasType = out;
    return plan;
  }

  /// The result of a product on random operands.
  std::vector<uint8_t> resultOf(const Product &p) {
    auto operand = [&](DType type, int64_t count, uint64_t stream) {
      void *memory = allocate(count * sizeOf(type));
      expectOk(device->generate(memory, type, count, InitKind::Normal, 1.0, 3, stream));
      return memory;
    };
    Device::ProductAddresses at;
    at.a = operand(p.a.dtype, p.batch * kM * kK, 1);
    at.b = operand(p.b.dtype, p.batch * kN * kK, 2);
    at.d = operand(p.d.dtype, p.batch * kM * kN, 3);
    at.c = p.beta != 0 ? at.d : nullptr;
    at.bias = p.bias.present() ? operand(p.biasType, kN, 4) : nullptr;
    at.workspace = allocate(kCublasWorkspaceBytes);
    at.workspaceBytes = kCublasWorkspaceBytes;
    expectOk(device->product(p, at));
    return download<uint8_t>(at.d, p.batch * kM * kN * sizeOf(p.d.dtype));
  }

  void check(Plan plan) {
    SCOPED_TRACE(describeProduct(plan.steps[0].product, siteOf(plan, plan.steps[0].product)));
    std::vector<uint8_t> guessed = resultOf(plan.steps[0].product);
    TuningStats stats;
    tunePlan(plan, options, stats);
    EXPECT_EQ(stats.timed, 1) << stats.note;
    EXPECT_GT(stats.tunedMs, 0);
    EXPECT_LE(stats.tunedMs, stats.guessMs);
    const Product &tuned = plan.steps[0].product;
    ASSERT_FALSE(tuned.algorithm.empty());
    std::vector<uint8_t> once = resultOf(tuned);
    EXPECT_EQ(once, resultOf(tuned));

    Plan again = plan;
    untunePlan(again);
    tunePlan(again, options, stats);
    EXPECT_EQ(stats.hits, 1);
    EXPECT_EQ(again.steps[0].product.algorithm, tuned.algorithm);

    // Two orders of the same sums: each is off by at most k roundings of the largest partial sum, which of
    // 256 products of normal numbers stays under 16 deviations of sqrt(256) (and a result of bf16 by one
    // more).
    int64_t count = tuned.batch * kM * kN;
    std::vector<float> x(count), y(count);
    expectOk(widenToF32(tuned.d.dtype, guessed.data(), x.data(), count));
    expectOk(widenToF32(tuned.d.dtype, once.data(), y.data(), count));
    float bound = 2 * kK * 256 * std::ldexp(1.0f, -24) + (tuned.d.dtype == DType::BF16 ? 1.0f : 0.0f);
    for (int64_t i = 0; i < count; ++i)
      ASSERT_NEAR(x[i], y[i], bound) << i;
  }

  TemporaryFolder folder;
  TuningOptions options;
  std::unique_ptr<CudaProductTuner> tuner;
};

} // namespace

TEST_F(GpuTune, PinnedAlgorithmsRunAndRepeat) {
  check(planOf(DType::BF16, DType::BF16, 1, false, Epilogue::None));
  check(planOf(DType::BF16, DType::F32, 1, true, Epilogue::None));
  check(planOf(DType::BF16, DType::BF16, 3, false, Epilogue::None));
  check(planOf(DType::BF16, DType::BF16, 1, false, Epilogue::Bias));
  check(planOf(DType::F32, DType::F32, 1, true, Epilogue::None));
}

TEST_F(GpuTune, CandidatesComeFastestFirst) {
  StatusOr<std::unique_ptr<CudaProductTuner>> made = CudaProductTuner::create(*device);
  ASSERT_TRUE(made) << made.status().message();
  Plan plan = planOf(DType::BF16, DType::BF16, 1, false, Epilogue::None);
  const Product &product = plan.steps[0].product;
  StatusOr<std::vector<TunedAlgorithm>> found = (*made)->candidates(product, siteOf(plan, product), 4);
  ASSERT_TRUE(found) << found.status().message();
  ASSERT_FALSE(found->empty());
  EXPECT_LE(found->size(), 4u);
  for (size_t i = 0; i < found->size(); ++i) {
    EXPECT_GT((*found)[i].ms, 0);
    EXPECT_GE((*found)[i].ms, (*found)[i ? i - 1 : 0].ms);
  }
}
