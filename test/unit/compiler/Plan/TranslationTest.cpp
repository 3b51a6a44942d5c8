//===- TranslationTest.cpp - The plan dialect and the runtime's plan ------===//
#include "compiler/Plan/Artifact.h"
#include "runtime/plan/Artifact.h"
#include "test/unit/compiler/Plan/TestProgram.h"
#include "test/unit/runtime/plan/SamplePlan.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::plan;
using runtime::Plan;
using runtime::samplePlan;

namespace {

/// A plan's artifact holds every field, and equal plans alone have equal bytes.
std::vector<uint8_t> bytesOf(const Plan &plan) {
  auto bytes = runtime::writePlan(plan);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes.isOk() ? *bytes : std::vector<uint8_t>();
}

void expectReturns(const Plan &plan) {
  mlir::MLIRContext context;
  auto module = fromRuntimePlan(&context, plan);
  ASSERT_TRUE(module.isOk()) << module.status().message();
  auto again = toRuntimePlan(*(*module)->getOps<ProgramOp>().begin());
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(bytesOf(plan), bytesOf(*again));
  // And once more: the text does not depend on the way.
  auto second = fromRuntimePlan(&context, *again);
  ASSERT_TRUE(second.isOk());
  EXPECT_EQ(textOf(**module), textOf(**second));
}

TEST(Translation, CudaPlanReturns) { expectReturns(samplePlan("cuda")); }
TEST(Translation, CpuPlanReturns) { expectReturns(samplePlan("cpu")); }

TEST(Translation, EveryElementTypeReturns) {
  for (int dtype = 0; dtype <= static_cast<int>(runtime::DType::U8); ++dtype) {
    Plan plan = samplePlan();
    runtime::Buffer constant;
    constant.name = "constant";
    constant.role = runtime::BufferRole::Constant;
    constant.dtype = static_cast<runtime::DType>(dtype);
    constant.shape = {2, 9};
    constant.bytes = 18 * runtime::sizeOf(constant.dtype);
    // A splat, and values of which no two neighbours are alike.
    for (int factor : {0, 1}) {
      constant.data.clear();
      for (int64_t i = 0; i < constant.bytes; ++i)
        constant.data.push_back(
            static_cast<uint8_t>(constant.dtype == runtime::DType::Bool ? i * factor % 2 : i * factor * 7));
      Plan with = plan;
      with.buffers.push_back(constant);
      expectReturns(with);
    }
  }
}

TEST(Translation, FieldsAtTheirLimitsReturn) {
  Plan plan = samplePlan();
  plan.buffers[0].bytes = int64_t{1} << 61; // All bytes of a plan are at most 2^62.
  plan.buffers[2].parts[0].scale = -0.1;
  plan.kernels[0].binary.clear();
  plan.kernels[0].source = std::string("a\0\"\\\n\xff", 6);
  plan.steps[0].launch.counts = {INT64_MIN, INT64_MAX};
  plan.steps[1].product.alpha = 0.1;
  plan.steps[2].copy.bytes = 0;
  plan.matrixFlops = 1e300;
  plan.symbols.clear();
  plan.workspaceBytes = 0;
  expectReturns(plan);
}

/// The status of a plan that the dialect has no form for.
std::string refusal(const Plan &plan) {
  mlir::MLIRContext context;
  auto module = fromRuntimePlan(&context, plan);
  EXPECT_FALSE(module.isOk());
  EXPECT_EQ(module.status().code(), runtime::StatusCode::InvalidInput);
  return module.isOk() ? "" : module.status().message();
}

TEST(Translation, RefusesWhatTheDialectHasNoFormFor) {
  Plan plan = samplePlan();
  plan.buffers[1].name = "";
  EXPECT_EQ(refusal(plan), "plan: a buffer without a name, wanted one for the dialect");
  plan = samplePlan();
  plan.buffers[1].name = "rows_0";
  EXPECT_EQ(refusal(plan), "plan: two buffers or kernels are named rows_0, wanted one for the dialect");
  plan = samplePlan();
  std::swap(plan.symbols[0], plan.symbols[1]);
  EXPECT_EQ(refusal(plan), "plan: symbol batch after sequence, wanted them sorted by name");
  plan = samplePlan();
  plan.symbols[0].name = "";
  EXPECT_EQ(refusal(plan), "plan: a symbol without a name, wanted one for the dialect");
  plan = samplePlan();
  plan.steps[1].product.epilogue = runtime::Epilogue::None;
  plan.steps[1].product.bias = {};
  plan.steps[1].product.biasType = runtime::DType::BF16;
  EXPECT_EQ(refusal(plan), "plan: step block product: a bias type without a bias, wanted none");
  plan = samplePlan();
  plan.steps[1].product.c.ld = 4;
  EXPECT_EQ(refusal(plan), "plan: step block product: strides or a type of c without c, wanted none");
}

TEST(Translation, RefusesInTheVerifiersWords) {
  // The runtime's verifier speaks first…
  Plan plan = samplePlan();
  plan.steps[0].launch.kernel = 7;
  EXPECT_NE(refusal(plan).find("step 0 (block rms_norm)"), std::string::npos);
  // …then the dialect's, where it wants more.
  plan = samplePlan();
  plan.buffers[1].dtype = runtime::DType::I32;
  EXPECT_EQ(refusal(plan), "plan: 'plan.product' op a has elements 'f32', wanted those of @h, 'i32'");
}

} // namespace
