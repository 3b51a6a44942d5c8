//===- FormGroups.cpp - Groups of the compiled pipeline -------------------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/RowsFusion.h"
#include "compiler/Layout/MatrixAccess.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

namespace heddle {
#define GEN_PASS_DEF_FORMGROUPS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

/// The views that lead from attention to its only reader: the result is written where the last of them reads.
static llvm::SmallVector<Operation *> attentionOps(AttentionOp attention) {
  llvm::SmallVector<Operation *> ops{attention};
  Value value = attention.getResult();
  while (value.hasOneUse()) {
    Operation *user = *value.getUsers().begin();
    if (!llvm::isa<TransposeOp, ReshapeOp>(user))
      break;
    Value next = user->getResult(0);
    // Each of the four dimensions must keep one stride in the buffer of `next`.
    IterationSpace trial;
    TensorIndex trialIndex =
        trial.addTensor(symbolicShape(llvm::cast<mlir::RankedTensorType>(next.getType())));
    auto stop = [&](Value v) { return v == attention.getResult(); };
    if (!resolveAccess(next, trialIndex, trial, stop))
      break;
    ops.push_back(user);
    value = next;
  }
  return ops;
}

/// A matmul and the residual that is added to its result.
static llvm::SmallVector<Operation *> productOps(MatmulOp matmul) {
  llvm::SmallVector<Operation *> ops{matmul};
  Value value = matmul.getResult();
  if (!value.hasOneUse())
    return ops;
  auto add = llvm::dyn_cast<AddOp>(*value.getUsers().begin());
  // In a group already: it is the other operand's residual.
  if (!add || add->getBlock() != matmul->getBlock() || add.getLhs() == add.getRhs())
    return ops;
  Value other = add.getLhs() == value ? add.getRhs() : add.getLhs();
  // The library reads the addend as the result's own shape, contiguous.
  Operation *producer = other.getDefiningOp();
  if (producer && (producer->hasTrait<ViewLike>() || llvm::isa<ConstantOp>(producer)))
    return ops;
  ops.push_back(add);
  return ops;
}

/// A cast of a concatenation, through views, becomes a concatenation of casts: parts are written where they are computed, and
/// nothing can be computed from the whole in the same kernel.
static void castPartsFirst(mlir::func::FuncOp func) {
  for (CastOp cast : llvm::to_vector(func.getBody().front().getOps<CastOp>())) {
    llvm::SmallVector<Operation *> views;
    Value value = cast.getOperand();
    while (value.hasOneUse() && value.getDefiningOp() && llvm::isa<ReshapeOp, TransposeOp>(value.getDefiningOp())) {
      views.push_back(value.getDefiningOp());
      value = views.back()->getOperand(0);
    }
    auto concat = value.getDefiningOp<ConcatOp>();
    if (!concat || !value.hasOneUse())
      continue;
    mlir::Type element = cast.getResult().getType().getElementType();
    mlir::OpBuilder builder(concat);
    for (mlir::OpOperand &part : concat->getOpOperands()) {
      auto type = withElementType(llvm::cast<mlir::RankedTensorType>(part.get().getType()), element);
      part.set(CastOp::create(builder, cast.getLoc(), type, part.get(), cast.getImplicit()));
    }
    for (Operation *op : views)
      op->getResult(0).setType(withElementType(llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()), element));
    concat.getResult().setType(withElementType(concat.getResult().getType(), element));
    cast.getResult().replaceAllUsesWith(cast.getOperand());
    cast.erase();
  }
}

namespace {
struct FormGroupsPass : public impl::FormGroupsBase<FormGroupsPass> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    mlir::func::FuncOp func = getOperation();
    mlir::Block &block = func.getBody().front();
    castPartsFirst(func);
    materializeOutputs(func);
    for (AttentionOp attention : llvm::to_vector(block.getOps<AttentionOp>())) {
      llvm::SmallVector<Operation *> ops = attentionOps(attention);
      outline(GroupKind::Attention, ops, "attention", ops.back()->getResult(0));
    }
    materializeOperands(func);
    for (MatmulOp matmul : llvm::to_vector(block.getOps<MatmulOp>())) {
      llvm::SmallVector<Operation *> ops = productOps(matmul);
      outline(GroupKind::Product, ops, labelOf(ops), ops.back()->getResult(0));
    }
    mlir::sortTopologically(&block);
    RowsFusionCounts counts = fuseRows(func, maxBuffers);
    merged += counts.merged;
    refused += counts.refused;
    mlir::sortTopologically(&block);
  }
};
} // namespace
