//===- EagerGroups.cpp - One group for each op ----------------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_EAGERGROUPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;

namespace {
struct EagerGroupsPass : public impl::EagerGroupsBase<EagerGroupsPass> {
  void runOnOperation() override {
    eraseUnusedOps(getOperation());
    materializeOutputs(getOperation());
    mlir::Block &block = getOperation().getBody().front();
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      if (isComputeOp(&op))
        materializeOperands(&op);
    llvm::SmallVector<mlir::Operation *> ops; // Now with the copies.
    for (mlir::Operation &op : block)
      if (isComputeOp(&op))
        ops.push_back(&op);
    for (mlir::Operation *op : ops) {
      GroupKind kind = llvm::isa<MatmulOp>(op)      ? GroupKind::Product
                       : llvm::isa<AttentionOp>(op) ? GroupKind::Attention
                                                    : GroupKind::Rows;
      outline(kind, op, labelOf(op));
    }
  }
};
} // namespace
