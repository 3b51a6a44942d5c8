//===- AttentionGradients.cpp - The gradient of fused attention -----------===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/OneKernel.h"

using namespace heddle::graph;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using mlir::OpBuilder;
using mlir::success;
using mlir::Value;

/// [B, H, Sq] of the scores of `attention`.
static SymbolicShape rowsOf(AttentionOp attention) {
  SymbolicShape shape = symbolicShape(typeOf(attention.getQuery()));
  shape.pop_back();
  return shape;
}

mlir::Operation *AttentionOp::keepForVjp(OpBuilder &builder) {
  if (getStatistics())
    return *this;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(*this);
  SymbolicShape shape = rowsOf(*this);
  shape.insert(shape.begin(), SymbolicDim::fixed(2));
  auto statistics = tensorType(getContext(), shape, builder.getF32Type());
  auto kept = AttentionOp::create(builder, getLoc(), getResult().getType(), statistics, getQuery(), getKey(),
                                  getValue(), getMask(), getBias(), getScaleAttr(), getSoftcapAttr(),
                                  getCausalAttr(), getWindowAttr());
  kept->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  getResult().replaceAllUsesWith(kept.getResult());
  erase();
  return kept;
}

LogicalResult AttentionOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                    MutableArrayRef<Value> operands) {
  GraphBuilder g(builder, getLoc());
  mlir::Type f32 = builder.getF32Type();
  Value gradient = results[0] ? results[0] : g.splat(typeOf(getResult()), 0.0);
  Value delta;
  {
    // In float32, as the kernel multiplies it, and of the number that the kernel reads: what a fused group
    // knows better than its type says would be missing in the changes of a row's keys.
    KernelScope oneKernel(builder, newKernel(builder.getContext()));
    Value read = gradient;
    if (typeOf(gradient).getElementType() != f32)
      read =
          CastOp::create(builder, getLoc(), gradient.getType(), gradient, mlir::UnitAttr(), mlir::UnitAttr());
    Value product = g.mul(g.cast(read, f32, /*implicit=*/true), g.cast(getResult(), f32, /*implicit=*/true));
    delta = g.reshape(g.reduce(ReduceKind::Sum, product, {3}), rowsOf(*this));
  }
  // What reads the statistics is a function of m - log(n) and has its derivative in m. The one of that number
  // by a score is the score's probability: what multiplies it joins delta.
  if (results[1])
    delta = g.sub(delta, g.reshape(g.slice(results[1], 0, 0, 1), rowsOf(*this)));
  bool hasBias = static_cast<bool>(getBias());
  unsigned bias = hasBias ? getBiasMutable()[0].getOperandNumber() : 0;
  mlir::RankedTensorType biasType;
  if (hasBias && wanted[bias]) {
    SymbolicShape shape = symbolicShape(typeOf(getBias()));
    shape[2] = symbolicShape(typeOf(getQuery()))[2];
    shape[3] = symbolicShape(typeOf(getKey()))[2];
    biasType = tensorType(builder.getContext(), shape, f32);
  }
  auto grad = AttentionGradOp::create(builder, getLoc(), getQuery().getType(), getKey().getType(),
                                      getValue().getType(), biasType, getQuery(), getKey(), getValue(),
                                      gradient, getStatistics(), delta, getMask(), getBias(), getScaleAttr(),
                                      getSoftcapAttr(), getCausalAttr(), getWindowAttr());
  operands[0] = grad.getDquery();
  operands[1] = grad.getDkey();
  operands[2] = grad.getDvalue();
  if (!biasType)
    return success();
  // Batches and heads that share an element were summed; queries and keys are left.
  Value sum = grad.getDbias();
  llvm::SmallVector<int64_t, 2> axes;
  for (int64_t axis : {2, 3})
    if (typeOf(getBias()).getDimSize(axis) != biasType.getDimSize(axis))
      axes.push_back(axis);
  if (!axes.empty())
    sum = g.reduce(ReduceKind::Sum, sum, axes);
  operands[bias] = g.cast(sum, typeOf(getBias()).getElementType(), /*implicit=*/true);
  return success();
}
