//===- PartsFirst.cpp - What is computed of a concatenation ---------------===//
//
// The parts of a concatenation are written where they are computed, and nothing can be computed from the
// whole in the same kernel. So what is computed from the whole is computed from its parts, before they are
// put together: rotary positions, which turn one half of a head by the other, become one kernel.
//
//===----------------------------------------------------------------------===//
#include "compiler/Fusion/Grouping.h"
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/IR/IRMapping.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

/// A cast of a concatenation, through views, becomes a concatenation of casts: parts are written where they
/// are computed, and nothing can be computed from the whole in the same kernel.
static void castPartsFirst(mlir::func::FuncOp func) {
  for (CastOp cast : llvm::to_vector(func.getBody().front().getOps<CastOp>())) {
    llvm::SmallVector<Operation *> views;
    Value value = cast.getOperand();
    while (value.hasOneUse() && value.getDefiningOp() &&
           llvm::isa<ReshapeOp, TransposeOp>(value.getDefiningOp())) {
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
      part.set(CastOp::create(builder, cast.getLoc(), type, part.get(), cast.getImplicit(), /*kept=*/false));
    }
    for (Operation *op : views)
      op->getResult(0).setType(
          withElementType(llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()), element));
    concat.getResult().setType(withElementType(concat.getResult().getType(), element));
    cast.getResult().replaceAllUsesWith(cast.getOperand());
    cast.erase();
  }
}

/// The concatenation that is `op`'s operand and nobody else's, of parts of one extent: others would need a
/// kernel each.
static ConcatOp evenConcat(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto concat = operand.getDefiningOp<ConcatOp>();
    if (!concat || !operand.hasOneUse())
      continue;
    int64_t axis = concat.getAxis();
    SymbolicDim extent = symbolicShape(typeOf(concat.getOperands().front()))[axis];
    if (extent.isStatic() && llvm::all_of(concat.getOperands(), [&](Value part) {
          return symbolicShape(typeOf(part))[axis] == extent;
        }))
      return concat;
  }
  return {};
}

/// `value` from `offset` on along `axis`. What computes it is computed for the part alone where nobody else
/// reads it, or where that costs nothing.
static Value partOf(GraphBuilder &g, Value value, int64_t axis, int64_t offset, int64_t extent) {
  Operation *op = value.getDefiningOp();
  auto cast = llvm::dyn_cast_or_null<CastOp>(op);
  if (!op || !op->hasTrait<ElementwiseOp>() || llvm::isa<CopyOp>(op) ||
      !(value.hasOneUse() || (cast && cast.getImplicit())))
    return g.slice(value, axis, offset, extent);
  mlir::IRMapping parts; // Operands first: a clone of the op as it is would be one more reader of them.
  for (Value operand : op->getOperands())
    if (!parts.contains(operand))
      parts.map(operand, partOf(g, operand, axis, offset, extent));
  Operation *part = g.builder().clone(*op, parts);
  SymbolicShape shape = symbolicShape(typeOf(value));
  shape[axis] = SymbolicDim::fixed(extent);
  part->getResult(0).setType(tensorType(g.context(), shape, typeOf(value).getElementType()));
  return part->getResult(0);
}

/// f(concat(a, b), y) becomes concat(f(a, y's part), f(b, y's part)).
static void splitReader(Operation *op, ConcatOp concat) {
  mlir::OpBuilder builder(op);
  GraphBuilder g(builder, op->getLoc());
  int64_t axis = concat.getAxis(), offset = 0;
  llvm::SmallVector<Value> parts;
  for (Value given : concat.getOperands()) {
    int64_t extent = typeOf(given).getDimSize(axis);
    mlir::IRMapping operands;
    operands.map(concat.getResult(), given);
    for (Value operand : op->getOperands())
      if (!operands.contains(operand))
        operands.map(operand, partOf(g, operand, axis, offset, extent));
    Operation *part = builder.clone(*op, operands);
    part->getResult(0).setType(withElementType(typeOf(given), typeOf(op->getResult(0)).getElementType()));
    parts.push_back(part->getResult(0));
    offset += extent;
  }
  op->getResult(0).replaceAllUsesWith(g.concat(parts, axis));
}

void heddle::computePartsFirst(mlir::func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (!op.hasTrait<ElementwiseOp>() || op.getNumResults() != 1 || llvm::isa<CopyOp>(op))
      continue;
    if (ConcatOp concat = evenConcat(&op))
      splitReader(&op, concat);
  }
  eraseUnusedOps(func);
  castPartsFirst(func);
}
