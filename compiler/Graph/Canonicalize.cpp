//===- Canonicalize.cpp - The form that structural matching works on ------===//
#include "compiler/Graph/Passes.h"
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace heddle {
#define GEN_PASS_DEF_GRAPHCANONICALIZE
#include "compiler/Graph/Passes.h.inc"
} // namespace heddle

using namespace heddle::graph;
using mlir::failure;
using mlir::success;
using mlir::Value;

namespace {

/// f(broadcast(x), broadcast(y), c) is broadcast(f(x, y, c)) where x and y have one shape: fewer elements are
/// computed, and masks and weights stay as small as they were written.
struct ComputeBeforeBroadcast : public mlir::RewritePattern {
  explicit ComputeBeforeBroadcast(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  mlir::LogicalResult matchAndRewrite(mlir::Operation *op, mlir::PatternRewriter &rewriter) const override {
    if (!op->hasTrait<ElementwiseOp>() || op->getNumResults() != 1 || llvm::isa<CopyOp>(op))
      return failure();
    mlir::RankedTensorType small;
    llvm::SmallVector<mlir::DenseElementsAttr> constants;
    for (Value operand : op->getOperands()) {
      if (mlir::DenseElementsAttr constant = splatConstant(operand)) {
        constants.push_back(constant);
        continue;
      }
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast)
        return failure();
      mlir::RankedTensorType type = typeOf(broadcast.getOperand());
      if (small && (small.getShape() != type.getShape() || small.getEncoding() != type.getEncoding()))
        return failure();
      small = type;
      constants.push_back({});
    }
    if (!small)
      return failure();
    auto typeLike = [&](mlir::RankedTensorType type) {
      return withElementType(small, type.getElementType());
    };
    llvm::SmallVector<Value> operands;
    for (auto [operand, constant] : llvm::zip_equal(op->getOperands(), constants)) {
      if (constant)
        operands.push_back(
            ConstantOp::create(rewriter, op->getLoc(), constant.resizeSplat(typeLike(typeOf(operand)))));
      else
        operands.push_back(operand.getDefiningOp<BroadcastOp>().getOperand());
    }
    mlir::RankedTensorType resultType = typeOf(op->getResult(0));
    mlir::OperationState state(op->getLoc(), op->getName());
    state.addOperands(operands);
    state.addTypes(typeLike(resultType));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    mlir::Operation *computed = rewriter.create(state);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, resultType, computed->getResult(0));
    return success();
  }
};

struct GraphCanonicalize : public heddle::impl::GraphCanonicalizeBase<GraphCanonicalize> {
  mlir::LogicalResult initialize(mlir::MLIRContext *context) override {
    mlir::RewritePatternSet patterns(context);
    for (mlir::RegisteredOperationName op : context->getRegisteredOperations())
      if (llvm::isa<GraphDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(patterns, context);
    patterns.add<ComputeBeforeBroadcast>(context);
    patterns_ = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    mlir::GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true).setMaxIterations(mlir::GreedyRewriteConfig::kNoLimit);
    // A graph is one block: there are no others to merge, and dead ops the driver itself erases.
    config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
    if (failed(mlir::applyPatternsGreedily(getOperation(), patterns_, config)))
      return signalPassFailure();
    mlir::IRRewriter rewriter(&getContext());
    mlir::DominanceInfo dominance;
    mlir::eliminateCommonSubExpressions(rewriter, dominance, getOperation());
  }

private:
  mlir::FrozenRewritePatternSet patterns_;
};

} // namespace
