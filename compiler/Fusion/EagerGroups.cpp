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
    materializeOutputs(getOperation());
    materializeOperands(getOperation());
    llvm::SmallVector<mlir::Operation *> ops;
    for (mlir::Operation &op : getOperation().getBody().front())
      if (isComputeOp(&op))
        ops.push_back(&op);
    for (mlir::Operation *op : ops) {
      GroupKind kind = llvm::isa<MatmulOp>(op)      ? GroupKind::Product
                       : llvm::isa<AttentionOp>(op) ? GroupKind::Attention
                                                    : GroupKind::Rows;
      if (!op->use_empty())
        outline(kind, op, labelOf(op));
    }
  }
};
} // namespace
