//===- EagerGroups.cpp - One group for each op ----------------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_EAGERGROUPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;

static bool hasSingleElements(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType().isF32();
}

/// Whether `op` is the index of the dropout that alone reads it, through views.
static bool isOwnIndex(mlir::Operation *op) {
  while (llvm::isa<IotaOp>(op) || op->hasTrait<ViewLike>()) {
    if (!op->hasOneUse())
      return false;
    mlir::Operation *user = *op->user_begin();
    if (auto dropout = llvm::dyn_cast<DropoutOp>(user))
      return ownIndex(dropout) != nullptr;
    op = user;
  }
  return false;
}

/// The op with the implicit casts that its kernel does while it reads operands and writes the result, and the
/// index of a dropout, in order. A concatenation takes none: it is a copy of each part, of any extent, into
/// its place.
static llvm::SmallVector<mlir::Operation *> withCasts(mlir::Operation *op) {
  llvm::SmallVector<mlir::Operation *> members;
  if (isImplicitCast(op) || isOwnIndex(op))
    return members;
  if (llvm::isa<ConcatOp>(op))
    return {op};
  for (mlir::Value operand : op->getOperands())
    if (mlir::Operation *cast = operand.getDefiningOp();
        isImplicitCast(cast) && cast->hasOneUse() && hasSingleElements(cast->getResult(0)))
      members.push_back(cast);
  if (auto dropout = llvm::dyn_cast<DropoutOp>(op))
    if (IotaOp index = ownIndex(dropout))
      members.push_back(index);
  members.push_back(op);
  if (op->getNumResults() == 1 && op->hasOneUse() && isImplicitCast(*op->user_begin()) &&
      !hasSingleElements((*op->user_begin())->getResult(0)))
    members.push_back(*op->user_begin());
  return members;
}

namespace {
struct EagerGroupsPass : public impl::EagerGroupsBase<EagerGroupsPass> {
  void runOnOperation() override {
    eraseUnusedOps(getOperation());
    padHeads(getOperation());
    giveOwnIndices(getOperation());
    materializeOutputs(getOperation());
    materializeAssigns(getOperation());
    mlir::Block &block = getOperation().getBody().front();
    for (mlir::Operation &op : llvm::make_early_inc_range(block))
      if (isComputeOp(&op))
        materializeOperands(&op);
    llvm::SmallVector<mlir::Operation *> ops; // Now with the copies.
    for (mlir::Operation &op : block)
      if (isComputeOp(&op))
        ops.push_back(&op);
    llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> groups;
    llvm::SmallPtrSet<mlir::Operation *, 32> taken;
    for (mlir::Operation *op : ops) {
      groups.push_back(withCasts(op));
      taken.insert(groups.back().begin(), groups.back().end());
    }
    for (auto [op, members] : llvm::zip_equal(ops, groups)) {
      if (members.empty()) {
        if (taken.contains(op))
          continue;
        members.push_back(op); // Its neighbours cannot take it.
      }
      GroupKind kind = llvm::isa<MatmulOp>(op)          ? GroupKind::Product
                       : llvm::isa<AttentionLike>(op)   ? GroupKind::Attention
                       : llvm::isa<EmbeddingGradOp>(op) ? GroupKind::RowSums
                                                        : GroupKind::Rows;
      llvm::SmallVector<mlir::Value> outputs;
      if (kind == GroupKind::Attention) // All results, also where one has no reader.
        llvm::append_range(outputs, op->getResults());
      outline(kind, members, labelOf(op), outputs);
    }
    separateAssigns(getOperation());
  }
};
} // namespace
