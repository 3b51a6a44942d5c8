//===- PrecisionTest.cpp - Types of a preset under the bf16 policy --------===//
#include "compiler/Graph/Passes.h"
#include "compiler/Import/DecoderBuilder.h"
#include "compiler/Import/Presets.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Precision/Passes.h"
#include "compiler/Precision/PolicyTable.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"
#include "dialects/Graph/Prepared.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;

namespace {

class Precision : public ::testing::Test {
protected:
  void build(bool compiled, const std::string &policy = "bf16", int64_t layers = 2, bool prepare = false) {
    DecoderSpec spec = *findPreset("study:small");
    spec.layers = layers;
    module_ = buildDecoder(&context_, spec, {2, 16});
    mlir::PassManager manager(&context_);
    if (compiled)
      addGraphPhase(manager, reports_);
    addPrecisionPhase(manager, policy, compiled, prepare);
    if (compiled)
      addLayoutPhase(manager, /*castBytes=*/0, reports_);
    ASSERT_TRUE(succeeded(manager.run(*module_)));
    if (std::getenv("HEDDLE_TEST_PRINT"))
      module_->dump();
  }
  template <typename OpTy>
  int count(llvm::function_ref<bool(OpTy)> predicate = [](OpTy) { return true; }) {
    int result = 0;
    mainFunction(*module_).walk([&](OpTy op) { result += predicate(op); });
    return result;
  }
  static bool low(mlir::Value value) { return typeOf(value).getElementType().isBF16(); }
  static bool single(mlir::Value value) { return typeOf(value).getElementType().isF32(); }

  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  MatchReports reports_;
};

TEST_F(Precision, EagerIsAutocast) {
  build(/*compiled=*/false);
  EXPECT_EQ(count<MatmulOp>([](MatmulOp op) { return low(op.getLhs()) && low(op.getResult()); }), 2 * 9 + 1);
  EXPECT_EQ(count<SoftmaxOp>([](SoftmaxOp op) { return single(op.getResult()); }), 2);
  EXPECT_EQ(count<PowOp>([](PowOp op) { return single(op.getResult()); }), 5);
  EXPECT_EQ(count<SiluOp>([](SiluOp op) { return low(op.getResult()); }), 2);
  EXPECT_EQ(count<EmbeddingOp>([](EmbeddingOp op) { return single(op.getResult()); }), 1);
  EXPECT_TRUE(low(mainFunction(*module_).getBody().front().getTerminator()->getOperand(0)));
  // The residual stream is float32, a product is widened while it is added.
  EXPECT_EQ(count<AddOp>([](AddOp op) {
              return locationText(op.getLoc()).ends_with("residual") && single(op.getResult());
            }),
            4);
}

TEST_F(Precision, EagerCastsAreAutocasts) {
  build(/*compiled=*/false);
  // Kernels of their own, for each layer: seven weights; the norms' output for q, k and v, and for gate and
  // up; rotary q and k; softmax's operand and its result. Then the head's weight and operand.
  EXPECT_EQ(count<CastOp>([](CastOp op) { return !op.getImplicit() && !single(op.getOperand()); }),
            2 * 1 + 1);
  EXPECT_EQ(count<CastOp>([](CastOp op) { return !op.getImplicit() && single(op.getOperand()); }),
            2 * (7 + 3 + 2 + 2 + 1) + 2);
  // Each parameter is cast once, and the norms' weights never.
  EXPECT_EQ(count<CastOp>([](CastOp op) { return op.getOperand().getDefiningOp<ParameterOp>() != nullptr; }),
            2 * 7 + 1);
}

TEST_F(Precision, CompiledCastsAreImplicit) {
  build(/*compiled=*/true);
  EXPECT_EQ(
      count<CastOp>([](CastOp op) { return !op.getImplicit() && !op.getOperand().getDefiningOp<IotaOp>(); }),
      0);
  EXPECT_EQ(count<AttentionOp>([](AttentionOp op) { return low(op.getQuery()) && low(op.getResult()); }), 2);
  EXPECT_EQ(count<RmsNormOp>([](RmsNormOp op) { return single(op.getResult()); }), 5);
  // Q, K, V are one product, gate and up another.
  EXPECT_EQ(count<MatmulOp>(), 2 * 4 + 1);
  EXPECT_EQ(count<MatmulOp>([](MatmulOp op) { return low(op.getLhs()) && low(op.getResult()); }), 2 * 4 + 1);
  EXPECT_TRUE(low(mainFunction(*module_).getBody().front().getTerminator()->getOperand(0)));
  for (const MatchReport &report : reports_)
    EXPECT_TRUE(report.matched) << report.pattern << ": " << report.reason;
}

// Every product's weight is kept in bf16 and none is cast; norms and the embedding read float32 as before.
TEST_F(Precision, PreparedWeightsAreKeptAsTheyAreRead) {
  for (bool compiled : {false, true}) {
    build(compiled, "bf16", 2, /*prepare=*/true);
    EXPECT_TRUE(mainFunction(*module_)->hasAttr(kPreparedAttr));
    EXPECT_EQ(count<ParameterOp>([](ParameterOp op) { return low(op.getResult()); }),
              (compiled ? 2 * 4 : 2 * 7) + 1);
    EXPECT_EQ(count<ParameterOp>([](ParameterOp op) { return single(op.getResult()); }), 2 * 2 + 1 + 1);
    EXPECT_EQ(
        count<CastOp>([](CastOp op) { return op.getOperand().getDefiningOp<ParameterOp>() != nullptr; }), 0);
  }
}

// As a model that was converted as a whole: every weight and every float that the model makes of them is
// bf16, and eagerly no op widens. The rotary angles, which come from the positions alone, stay float32.
TEST_F(Precision, TrueBf16) {
  build(/*compiled=*/false, "bf16-true");
  EXPECT_EQ(count<ParameterOp>([](ParameterOp op) { return !low(op.getResult()); }), 0);
  EXPECT_EQ(count<SoftmaxOp>([](SoftmaxOp op) { return low(op.getResult()); }), 2);
  EXPECT_EQ(count<EmbeddingOp>([](EmbeddingOp op) { return low(op.getResult()); }), 1);
  EXPECT_EQ(count<AddOp>([](AddOp op) {
              return locationText(op.getLoc()).ends_with("residual") && low(op.getResult());
            }),
            4);
  build(/*compiled=*/true, "bf16-true");
  EXPECT_EQ(count<ParameterOp>([](ParameterOp op) { return !low(op.getResult()); }), 0);
  EXPECT_EQ(count<MatmulOp>([](MatmulOp op) { return low(op.getLhs()) && low(op.getRhs()); }), 2 * 4 + 1);
  EXPECT_TRUE(low(mainFunction(*module_).getBody().front().getTerminator()->getOperand(0)));
}

TEST_F(Precision, MergedParametersKeepTheirParts) {
  build(/*compiled=*/true, "fp32", 1);
  std::vector<std::string> merged;
  mainFunction(*module_).walk([&](ParameterOp op) {
    if (op.getParts().size() > 1)
      for (PartAttr part : op.getParts().getAsRange<PartAttr>())
        merged.push_back(part.getName().str());
  });
  EXPECT_EQ(merged, (std::vector<std::string>{"blocks.0.q.weight", "blocks.0.k.weight", "blocks.0.v.weight",
                                              "blocks.0.w1.weight", "blocks.0.w3.weight"}));
}

TEST_F(Precision, OtherPoliciesCastNothing) {
  for (const char *policy : {"fp32", "tf32"})
    for (bool compiled : {false, true}) {
      build(compiled, policy);
      // The positions' cast is the model's own.
      EXPECT_EQ(count<CastOp>(), 1);
      EXPECT_TRUE(single(mainFunction(*module_).getBody().front().getTerminator()->getOperand(0)));
    }
}

TEST(PolicyTable, Rows) {
  auto find = [](std::string_view policy, std::string_view op) {
    for (const PolicyRow &row : policyRows(policy))
      if (row.op == op)
        return row;
    return PolicyRow();
  };
  EXPECT_EQ(find("bf16", "matmul").compute, "bf16");
  EXPECT_EQ(find("bf16", "matmul").accumulate, "f32");
  EXPECT_EQ(find("bf16", "softmax").compute, "f32");
  EXPECT_EQ(find("bf16-true", "softmax").compute, "widest operand");
  EXPECT_EQ(find("bf16-true", "matmul").compute, "bf16");
  EXPECT_EQ(find("bf16-true", "cross_entropy").result, "f32"); // A loss is, whatever the model.
  EXPECT_EQ(find("bf16-true", "cross_entropy_grad").result, "widest operand");
  EXPECT_EQ(find("bf16", "mul").result, "widest operand");
  EXPECT_EQ(find("tf32", "matmul").compute, "tf32");
  EXPECT_EQ(find("fp32", "matmul").compute, "as written");
  EXPECT_TRUE(policyRows("int8").empty());
}

/// An op that is added to the dialect must be given a rule: without one its types stay as they were written.
TEST_F(Precision, EveryOpHasARule) {
  context_.loadDialect<GraphDialect>();
  // What has no floating operand or belongs to the graph's frame; and what later phases make.
  const std::set<llvm::StringRef> none{"and",   "or",    "not",   "assign",      "like",
                                       "state", "group", "yield", "partial_sums"};
  for (mlir::RegisteredOperationName name : context_.getRegisteredOperationsByDialect("graph")) {
    llvm::StringRef op = name.stripDialect();
    EXPECT_EQ(findPolicyRule(op.str(), PolicyRole::Any) != nullptr, !none.count(op)) << op.str();
  }
}

} // namespace
