//===- FormGroups.cpp - Groups of the compiled pipeline -------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/ProductFusion.h"
#include "compiler/Fusion/RowsFusion.h"
#include "compiler/Layout/MatrixAccess.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_FORMGROUPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

/// Adds to `ops` the views that lead from a result of attention to its only reader, and returns what that one
/// reads: the result is written where the last of them does. The views move behind the last op, so that the
/// group stands before all readers.
static Value takeViews(Value result, llvm::SmallVectorImpl<Operation *> &ops) {
  Value value = result;
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (!llvm::isa<TransposeOp, ReshapeOp>(user))
      break;
    Value next = user->getResult(0);
    if (!headsResultAccess(result, next))
      break;
    user->moveAfter(ops.back());
    ops.push_back(user);
    value = next;
  }
  return value;
}

/// A group of attention or its gradient: all results are yielded, those that are heads where views lead to.
static void outlineAttention(AttentionLike attention) {
  llvm::SmallVector<Operation *> ops = sinkKeyMasks(attention);
  materializeOperands(attention);
  ops.push_back(attention);
  llvm::SmallVector<Value, 4> outputs;
  for (Value result : attention->getResults())
    outputs.push_back(isHeadsResult(result) ? takeViews(result, ops) : result);
  outline(GroupKind::Attention, ops, labelOf(attention.getOperation()), outputs);
}

/// Moves groups that read parameters alone (casts of weights) to their first readers: what they give should
/// not live from the start of the run.
static void sinkToReaders(mlir::Block &block) {
  llvm::SmallVector<GroupOp> groups(block.getOps<GroupOp>());
  for (GroupOp group : llvm::reverse(groups)) {
    bool weights = false, leaves = true;
    group.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand.getParentRegion() == &group.getBody())
          continue;
        else if (baseOf(operand).getDefiningOp<ParameterOp>())
          weights = true;
        else
          leaves = false;
    });
    if (!weights || !leaves)
      continue;
    // A view stands before its readers; it has to follow.
    Operation *first = nullptr;
    llvm::SetVector<Operation *> views;
    llvm::SmallVector<Operation *> worklist(group->getUsers());
    while (!worklist.empty()) {
      Operation *user = block.findAncestorOpInBlock(*worklist.pop_back_val());
      if (user->hasTrait<ViewLike>()) {
        if (views.insert(user))
          llvm::append_range(worklist, user->getUsers());
      } else if (!first || user->isBeforeInBlock(first)) {
        first = user;
      }
    }
    if (!first)
      continue;
    llvm::SmallVector<Operation *> moved = views.takeVector();
    llvm::sort(moved, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    moved.insert(moved.begin(), group);
    for (Operation *op : moved)
      op->moveBefore(first);
  }
}

namespace {
struct FormGroupsPass : public impl::FormGroupsBase<FormGroupsPass> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    mlir::func::FuncOp func = getOperation();
    mlir::Block &block = func.getBody().front();
    eraseUnusedOps(func);
    padHeads(func);
    computePartsFirst(func);
    materializeOutputs(func);
    materializeAssigns(func);
    for (AttentionLike attention : llvm::to_vector(block.getOps<AttentionLike>()))
      outlineAttention(attention);
    eraseUnusedOps(func); // What key masks were made of.
    // After attention has taken the views of its result: a copy would keep them apart.
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isComputeOp(&op))
        materializeOperands(&op);
    fuseProducts(func, gatedProducts);
    mlir::sortTopologically(&block);
    RowsFusionCounts counts = fuseRows(func, maxBuffers, maxOps);
    merged += counts.merged;
    refused += counts.refused;
    if (!mlir::sortTopologically(&block)) {
      func.emitError("groups depend on each other in a circle");
      return signalPassFailure();
    }
    sinkToReaders(block);
  }
};
} // namespace
