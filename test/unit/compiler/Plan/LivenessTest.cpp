//===- LivenessTest.cpp - When each buffer of a program lives -------------===//
#include "compiler/Plan/Liveness.h"
#include "compiler/Plan/Artifact.h"
#include "compiler/Plan/Passes.h"
#include "runtime/plan/MemoryReport.h"
#include "runtime/plan/Verify.h"
#include "test/unit/compiler/Plan/TestProgram.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle;
using namespace heddle::plan;

namespace {

TEST(Liveness, CountsEveryOperandOfEveryStep) {
  TestProgram test(R"(
    plan.buffer @a input tensor<4x4xf32>
    plan.buffer @b scratch tensor<4x4xf32>
    plan.buffer @c scratch tensor<4x4xf32>
    plan.buffer @bias constant tensor<4xf32>
    plan.buffer @d output tensor<4x4xf32>
    plan.buffer @unused scratch tensor<4x4xf32>
    plan.kernel @k cuda "sm_80" {source = "void k() {}", threads = 32 : i64}
    plan.launch @k [#plan.ref<@a>, #plan.ref<none>, #plan.ref<@b + 16>] counts [] phase forward
    plan.copy <@b> to <@c> bytes 64 phase forward
    plan.product 4 x 4 x 4 math f32 epilogue bias phase forward {
      a = #plan.matrix<ref = <@a>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
      b = #plan.matrix<ref = <@b>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
      c = #plan.matrix<ref = <@c>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
      d = #plan.matrix<ref = <@d>, elementType = f32, ld = 4, batchStride = 0, transposed = false>,
      bias = #plan.ref<@bias>, biasType = f32, beta = 1.0 : f64})");
  ASSERT_TRUE(test.module);
  auto lives = computeLiveness(test.program());
  ASSERT_EQ(lives.size(), 6u);
  const std::pair<int32_t, int32_t> wanted[] = {{0, 2}, {0, 2}, {1, 2}, {2, 2}, {2, 2}, {-1, -1}};
  for (size_t i = 0; i < lives.size(); ++i)
    EXPECT_EQ(std::pair(lives[i].first, lives[i].last), wanted[i]) << lives[i].buffer.getSymName().str();
  EXPECT_TRUE(llvm::isa<CopyOp>(*lives[2].firstStep));
  EXPECT_TRUE(llvm::isa<ProductOp>(*lives[2].lastStep));
  EXPECT_FALSE(lives[5].firstStep);
}

TEST(Liveness, InitStepsMoveToTheFrontInTheirOrder) {
  TestProgram test(R"(
    plan.buffer @a parameter tensor<4xf32>
    plan.buffer @b constant tensor<4xf32>
    plan.copy <@a> to <@b> bytes 1 phase forward
    plan.copy <@a> to <@b> bytes 2 phase init
    plan.copy <@a> to <@b> bytes 3 phase backward
    plan.copy <@a> to <@b> bytes 4 phase init
    plan.copy <@a> to <@b> bytes 5 phase forward)");
  ASSERT_TRUE(test.module);
  moveInitStepsFirst(test.program());
  std::vector<int64_t> order;
  for (StepInterface step : test.program().getSteps())
    order.push_back(static_cast<int64_t>(llvm::cast<CopyOp>(*step).getBytes()));
  EXPECT_EQ(order, (std::vector<int64_t>{2, 4, 1, 3, 5}));
}

/// Chains, forks and joins of copies over buffers of random sizes, some of them written in init.
std::string randomProgram(std::mt19937_64 &random) {
  std::string buffers = "plan.buffer @x input tensor<4096xf32>\nplan.buffer @y output tensor<4096xf32>\n",
              steps;
  std::vector<std::string> names = {"@x"};
  size_t count = 2 + random() % 30;
  bool init = true;
  for (size_t i = 0; i < count; ++i) {
    init &= random() % 4 == 0;
    std::string name = "@b" + std::to_string(i);
    const char *role = init ? "constant" : random() % 5 ? "scratch" : "saved";
    buffers +=
        "plan.buffer " + name + " " + role + " tensor<" + std::to_string(1 + random() % 1000) + "xf32>\n";
    // An init step reads what init wrote: names so far, if all of them did.
    std::string from = names[random() % names.size()];
    steps += "plan.copy <" + from + "> to <" + name + "> bytes 4 phase " + (init ? "init" : "forward") + "\n";
    names.push_back(name);
  }
  steps += "plan.copy <" + names.back() + "> to <@y> bytes 4 phase forward\n";
  return buffers + steps;
}

// The runtime's verifier is the checker: places, lives and overlaps, on plans that it did not make.
TEST(Liveness, PlannedRandomProgramsVerify) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    TestProgram test(randomProgram(random));
    ASSERT_TRUE(test.module);
    mlir::PassManager passes(&test.context);
    bool eager = round % 4 == 0;
    passes.nest<ProgramOp>().addPass(eager ? createPlanEagerMemory() : createPlanMemory());
    ASSERT_TRUE(succeeded(passes.run(*test.module)));
    auto plan = toRuntimePlan(test.program());
    ASSERT_TRUE(succeeded(plan));
    runtime::Status status = runtime::verifyPlan(*plan);
    EXPECT_TRUE(status.isOk()) << status.message();
    runtime::MemoryReport report = runtime::memoryReport(*plan);
    EXPECT_GE(report.peakBytes, report.lowerBound);
    EXPECT_LE(report.arenaBytes, report.unsharedBytes);
    EXPECT_EQ(eager, report.arenaBytes == 0);
    // Planning again changes nothing.
    std::string text = textOf(*test.module);
    ASSERT_TRUE(succeeded(passes.run(*test.module)));
    EXPECT_EQ(text, textOf(*test.module));
  }
}

} // namespace
