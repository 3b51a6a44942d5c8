//===- VerifyFusion.cpp - What the fusion phase leaves --------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYFUSION
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
using mlir::Value;

/// A kernel of a library or a skeleton computes one op; what else is in its group is read or written with it.
static LogicalResult verifyMain(GroupOp group) {
  auto count = [&](auto is) { return llvm::count_if(group.getBody().front(), is); };
  auto wants = [&](int64_t found, llvm::StringRef what) -> LogicalResult {
    if (found == 1)
      return success();
    return group.emitOpError() << "of kind " << stringifyGroupKind(group.getKind()) << " wants one " << what
                               << ", found " << found;
  };
  switch (group.getKind()) {
  case GroupKind::Rows:
    return success();
  case GroupKind::Attention:
    return wants(count(llvm::IsaPred<AttentionLike>), "graph.attention or graph.attention_grad");
  case GroupKind::Product:
    return wants(count(llvm::IsaPred<MatmulOp>), "graph.matmul");
  case GroupKind::RowSums:
    return wants(count(llvm::IsaPred<EmbeddingGradOp>), "graph.embedding_grad");
  }
  llvm_unreachable("covered switch");
}

/// A kept cast runs when nothing else does: its group gives it alone.
static LogicalResult verifyKept(GroupOp group) {
  bool kept = llvm::any_of(group.getResults(), [](Value result) { return keptCast(result); });
  if (kept && !llvm::hasSingleElement(group.getBody().front().without_terminator()))
    return group.emitOpError("gives a kept cast, wanted nothing else in it");
  return success();
}

static LogicalResult verifyAssign(AssignOp assign) {
  if (!assign.getValue().getDefiningOp<GroupOp>())
    return assign.emitOpError("takes what no group gives");
  if (!writesInPlace(assign))
    return assign.emitOpError("takes what its group cannot write over the leaf, which is still read");
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (isComputeOp(op))
    return op->emitOpError("is in no group");
  if (auto assign = llvm::dyn_cast<AssignOp>(op))
    return verifyAssign(assign);
  auto group = llvm::dyn_cast<GroupOp>(op);
  if (group && failed(verifyKept(group)))
    return mlir::failure();
  return group ? verifyMain(group) : success();
}

namespace {
struct VerifyFusion : public impl::VerifyFusionBase<VerifyFusion> {
  void runOnOperation() override {
    for (Operation &op : getOperation().getBody().front())
      if (failed(verifyOp(&op)))
        return signalPassFailure();
    llvm::SmallPtrSet<Value, 4> results;
    Operation *terminator = getOperation().getBody().front().getTerminator();
    for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
      if (!value.getDefiningOp<GroupOp>() || !results.insert(value).second) {
        terminator->emitOpError() << "gives as result " << index << " what is no group's, or another result";
        return signalPassFailure();
      }
    markAllAnalysesPreserved();
  }
};
} // namespace
