//===- FormGroups.cpp - Groups of the compiled pipeline -------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/ProductFusion.h"
#include "compiler/Fusion/RowsFusion.h"
#include "compiler/Layout/MatrixAccess.h"
#include "dialects/Graph/GraphBuilder.h"
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

/// Where several read a result of attention, one of them through a transpose that the result can be written
/// as: lets all the others read it through the inverse. Else it would be copied for the product behind the
/// transpose, and both kept.
static void shareTranspose(Value result) {
  if (result.hasOneUse())
    return;
  auto isTransposed = [&](Operation *user) {
    return llvm::isa<TransposeOp>(user) && headsResultAccess(result, user->getResult(0));
  };
  auto found = llvm::find_if(result.getUsers(), isTransposed);
  if (found == result.user_end() || llvm::any_of(result.getUsers(), llvm::IsaPred<mlir::func::ReturnOp>))
    return;
  auto transpose = llvm::cast<TransposeOp>(*found);
  llvm::SmallVector<int64_t> inverse(transpose.getPermutation().size());
  for (auto [index, from] : llvm::enumerate(transpose.getPermutation()))
    inverse[from] = index;
  transpose->moveAfter(result.getDefiningOp());
  mlir::OpBuilder builder(transpose->getContext());
  builder.setInsertionPointAfter(transpose);
  Value back = GraphBuilder(builder, transpose.getLoc()).transpose(transpose.getResult(), inverse);
  result.replaceAllUsesExcept(back, transpose);
}

/// A group of attention or its gradient: all results are yielded, those that are heads where views lead to.
static void outlineAttention(AttentionLike attention) {
  llvm::SmallVector<Operation *> ops = sinkKeyMasks(attention);
  materializeOperands(attention);
  ops.push_back(attention);
  llvm::SmallVector<Value, 4> outputs;
  for (Value result : attention->getResults()) {
    if (isHeadsResult(result))
      shareTranspose(result);
    outputs.push_back(isHeadsResult(result) ? takeViews(result, ops) : result);
  }
  outline(GroupKind::Attention, ops, labelOf(attention.getOperation()), outputs);
}

/// Row sums with the casts next to them: rows are widened where they are read, sums rounded where they are
/// written.
static llvm::SmallVector<Operation *> rowSumsOps(EmbeddingGradOp sums) {
  llvm::SmallVector<Operation *> ops{sums};
  if (!sums.getResult().getType().getElementType().isF32())
    return ops;
  auto isTaken = [](Operation *op) {
    return llvm::isa_and_nonnull<CastOp>(op) && hasFloatElements(op->getOperand(0).getType()) &&
           hasFloatElements(op->getResult(0).getType());
  };
  if (Operation *cast = sums.getGradient().getDefiningOp(); isTaken(cast) && cast->hasOneUse())
    ops.insert(ops.begin(), cast);
  if (sums->hasOneUse() && isTaken(*sums->user_begin()))
    ops.push_back(*sums->user_begin());
  return ops;
}

/// Moves groups that read parameters alone (casts of weights) to their first readers: what they give should
/// not live from the start of the run. Not behind what writes over such a parameter.
static void sinkToReaders(mlir::Block &block) {
  llvm::SmallVector<GroupOp> groups(block.getOps<GroupOp>());
  for (GroupOp group : llvm::reverse(groups)) {
    bool leaves = true;
    llvm::SetVector<Operation *> weights;
    group.walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (operand.getParentRegion() == &group.getBody())
          continue;
        else if (auto weight = baseOf(operand).getDefiningOp<ParameterOp>())
          weights.insert(weight);
        else
          leaves = false;
    });
    if (weights.empty() || !leaves)
      continue;
    Operation *first = nullptr;
    for (Operation *weight : weights)
      if (AssignOp assign = assignOf(weight->getResult(0)))
        if (Operation *writer = assign.getValue().getDefiningOp();
            writer && writer != group && (!first || writer->isBeforeInBlock(first)))
          first = writer;
    // A view stands before its readers; it has to follow.
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

/// Whether a value is sums over rows in parts, which a kernel of those rows gives.
static bool isPartialSums(Value value) {
  auto group = value.getDefiningOp<GroupOp>();
  if (!group)
    return false;
  auto yield = llvm::cast<YieldOp>(group.getBody().front().getTerminator());
  return yield.getValues()[llvm::cast<mlir::OpResult>(value).getResultNumber()]
      .getDefiningOp<PartialSumsOp>();
}

/// Moves groups that add up partial sums right behind what they read, where it is not for them to wait until
/// others have read a leaf: parts are many times what they add up to, and should not live for long.
static void addPartsSoon(mlir::Block &block) {
  for (GroupOp group : llvm::to_vector(block.getOps<GroupOp>())) {
    Operation *last = nullptr;
    bool adds = false;
    group.walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        if (operand.getParentRegion() == &group.getBody())
          continue;
        adds |= isPartialSums(baseOf(operand));
        if (Operation *source = operand.getDefiningOp(); source && (!last || last->isBeforeInBlock(source)))
          last = source;
      }
    });
    if (adds && llvm::all_of(group.getResults(), [](Value result) { return storageOf(result) == result; }))
      group->moveAfter(last);
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
    giveOwnIndices(func);
    materializeOutputs(func);
    materializeAssigns(func);
    for (AttentionLike attention : llvm::to_vector(block.getOps<AttentionLike>()))
      outlineAttention(attention);
    eraseUnusedOps(func); // What key masks were made of.
    // After attention has taken the views of its result: a copy would keep them apart.
    for (Operation &op : llvm::make_early_inc_range(block))
      if (isComputeOp(&op))
        materializeOperands(&op);
    for (auto sums : llvm::to_vector(block.getOps<EmbeddingGradOp>())) {
      llvm::SmallVector<Operation *> ops = rowSumsOps(sums);
      outline(GroupKind::RowSums, ops, labelOf(ops));
    }
    fuseProducts(func, ownEpilogues);
    mlir::sortTopologically(&block);
    RowsFusionCounts counts = fuseRows(func, {maxBuffers, maxOps, sumParts});
    merged += counts.merged;
    sums += counts.sums;
    refused += counts.refused;
    if (!mlir::sortTopologically(&block)) {
      func.emitError("groups depend on each other in a circle");
      return signalPassFailure();
    }
    sinkToReaders(block);
    addPartsSoon(block);
    separateAssigns(func);
  }
};
} // namespace
