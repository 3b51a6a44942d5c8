//===- ShapeGradients.cpp - Gradients of views, copies and reductions -----===//
#include "dialects/Graph/GraphBuilder.h"

using namespace heddle::graph;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using mlir::OpBuilder;
using mlir::success;
using mlir::Value;

LogicalResult ReshapeOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                  MutableArrayRef<Value> operands) {
  operands[0] = GraphBuilder(builder, getLoc()).reshape(results[0], symbolicShape(typeOf(getOperand())));
  return success();
}

LogicalResult TransposeOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                    MutableArrayRef<Value> operands) {
  llvm::SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = static_cast<int64_t>(to);
  // What the gradient of a product gives may be the transpose of the matrix that was transposed for it.
  operands[0] = builder.createOrFold<TransposeOp>(getLoc(), getOperand().getType(), results[0], inverse);
  return success();
}

LogicalResult BroadcastOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                    MutableArrayRef<Value> operands) {
  ArrayRef<int64_t> from = typeOf(getOperand()).getShape(), to = typeOf(getResult()).getShape();
  llvm::SmallVector<int64_t> axes;
  for (size_t dim = 0; dim < to.size(); ++dim)
    if (from[dim] != to[dim])
      axes.push_back(static_cast<int64_t>(dim));
  operands[0] =
      axes.empty() ? results[0] : GraphBuilder(builder, getLoc()).reduce(ReduceKind::Sum, results[0], axes);
  return success();
}

/// Zeros around `value`, so that dimension `dim` has `extent` elements, the first `before` of which are zero.
static Value padded(GraphBuilder &g, Value value, int64_t dim, int64_t before, int64_t extent) {
  SymbolicShape shape = symbolicShape(typeOf(value));
  int64_t after = extent - before - shape[dim].value;
  mlir::Type element = typeOf(value).getElementType();
  auto zeros = [&](int64_t count) {
    SymbolicShape part = shape;
    part[dim] = SymbolicDim::fixed(count);
    return g.splat(tensorType(g.context(), part, element), 0.0);
  };
  llvm::SmallVector<Value, 3> parts;
  if (before > 0)
    parts.push_back(zeros(before));
  parts.push_back(value);
  if (after > 0)
    parts.push_back(zeros(after));
  return parts.size() == 1 ? value : g.concat(parts, dim);
}

/// The adjoint of a slice: zeros, but where the slice took an element, its gradient. A strided dimension is
/// first taken apart into [elements, stride], of which one column is filled.
LogicalResult SliceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                MutableArrayRef<Value> operands) {
  GraphBuilder g(builder, getLoc());
  SymbolicShape whole = symbolicShape(typeOf(getOperand()));
  Value value = results[0];
  for (int64_t dim = 0; dim < static_cast<int64_t>(whole.size()); ++dim) {
    int64_t stride = getStrides()[dim], offset = getOffsets()[dim];
    SymbolicShape shape = symbolicShape(typeOf(value));
    int64_t count = shape[dim].value;
    if (stride > 1 && count > 1) {
      int64_t column = offset % stride, first = offset / stride;
      SymbolicShape split = shape;
      int64_t at = dim + 1;
      if (split.size() == kMaxRank) { // No room for one more: the dimensions on either side become one.
        ArrayRef<SymbolicDim> all(shape);
        split = {elementCount(all.take_front(dim)), shape[dim], elementCount(all.drop_front(dim + 1))};
        at = 2;
      }
      split.insert(split.begin() + at, SymbolicDim::fixed(1));
      value = padded(g, g.reshape(value, split), at, column, stride);
      SymbolicShape joined = shape;
      joined[dim] = SymbolicDim::fixed(count * stride);
      value = g.reshape(value, joined);
      // Elements behind the operand's end hold zeros alone.
      int64_t end = first * stride + count * stride;
      if (end > whole[dim].value)
        value = g.slice(value, dim, 0, whole[dim].value - first * stride);
      value = padded(g, value, dim, first * stride, whole[dim].value);
      continue;
    }
    if (count != whole[dim].value)
      value = padded(g, value, dim, offset, whole[dim].value);
  }
  // Symbolic extents that a slice made fixed are the operand's again.
  operands[0] = g.reshape(value, whole);
  return success();
}

LogicalResult ConcatOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                 MutableArrayRef<Value> operands) {
  GraphBuilder g(builder, getLoc());
  int64_t axis = static_cast<int64_t>(getAxis()), offset = 0;
  for (auto [number, operand] : llvm::enumerate(getOperands())) {
    SymbolicShape shape = symbolicShape(typeOf(operand));
    if (wanted[number])
      operands[number] = g.reshape(g.slice(results[0], axis, offset, shape[axis].value), shape);
    offset += shape[axis].value;
  }
  return success();
}

/// How many elements are reduced to one, as a value of the reduction's type. With symbolic extents it is
/// computed, so that kernels do not depend on their values.
static Value reducedCount(GraphBuilder &g, ReduceOp op) {
  SymbolicShape shape = symbolicShape(typeOf(op.getOperand()));
  SymbolicDim count = SymbolicDim::fixed(1);
  for (int64_t axis : op.getAxes())
    count = count.times(shape[axis]);
  if (count.isStatic())
    return g.splat(typeOf(op.getResult()), static_cast<double>(count.value));
  return g.reduce(ReduceKind::Sum, g.splat(typeOf(op.getOperand()), 1.0), op.getAxes());
}

LogicalResult ReduceOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                 MutableArrayRef<Value> operands) {
  GraphBuilder g(builder, getLoc());
  Value x = getOperand(), dy = results[0];
  SymbolicShape shape = symbolicShape(typeOf(x));
  switch (getKind()) {
  case ReduceKind::Sum:
    operands[0] = g.broadcast(dy, shape);
    return success();
  case ReduceKind::Mean:
    operands[0] = g.broadcast(g.div(dy, reducedCount(g, *this)), shape);
    return success();
  case ReduceKind::Max:
  case ReduceKind::Min: {
    // Shared among the elements that are the extremum, as PyTorch's amax does.
    Value ties =
        g.cast(g.compare(Predicate::EQ, x, g.broadcast(getResult(), shape)), typeOf(x).getElementType());
    Value share = g.div(dy, g.reduce(ReduceKind::Sum, ties, getAxes()));
    operands[0] = g.mul(ties, g.broadcast(share, shape));
    return success();
  }
  }
  llvm_unreachable("covered switch");
}
