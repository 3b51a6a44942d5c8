//===- GraphPatterns.cpp - Canonicalization of single ops -----------------===//
//
// The canonical form that structural matching relies on: constants on the right, no negated comparisons of
// integers, no condition under a `not`, one view in place of two of a kind, squares as products. Exact, as
// the folds are.
//
//===----------------------------------------------------------------------===//
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::failure;
using mlir::PatternRewriter;
using mlir::success;
using mlir::Value;

mlir::DenseElementsAttr heddle::graph::splatConstant(Value value) {
  mlir::DenseElementsAttr attr;
  return matchPattern(value, mlir::m_Constant(&attr)) && attr.isSplat() ? attr : mlir::DenseElementsAttr();
}

void ReshapeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  // reshape(reshape(x)) is one reshape: only the order of elements matters.
  patterns.add(+[](ReshapeOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<ReshapeOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getOperand());
    return success();
  });
}

void TransposeOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(+[](TransposeOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<TransposeOp>();
    if (!inner)
      return failure();
    llvm::SmallVector<int64_t> composed;
    for (int64_t source : op.getPermutation())
      composed.push_back(inner.getPermutation()[source]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), inner.getOperand(), composed);
    return success();
  });
}

void SliceOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(+[](SliceOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<SliceOp>();
    if (!inner)
      return failure();
    llvm::SmallVector<int64_t> offsets, strides;
    for (size_t dim = 0; dim < op.getOffsets().size(); ++dim) {
      offsets.push_back(inner.getOffsets()[dim] + op.getOffsets()[dim] * inner.getStrides()[dim]);
      strides.push_back(op.getStrides()[dim] * inner.getStrides()[dim]);
    }
    rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), inner.getOperand(), offsets, strides);
    return success();
  });
}

void BroadcastOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(+[](BroadcastOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getOperand());
    return success();
  });
}

void DivOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  // x / c is x * (1/c) where 1/c is exact, that is for powers of two.
  patterns.add(+[](DivOp op, PatternRewriter &rewriter) -> LogicalResult {
    mlir::DenseElementsAttr divisor = splatConstant(op.getRhs());
    if (!divisor)
      return failure();
    llvm::APFloat inverse(0.0f);
    if (!divisor.getSplatValue<llvm::APFloat>().getExactInverse(&inverse))
      return failure();
    auto constant = ConstantOp::create(rewriter, op.getLoc(), op.getType(),
                                       mlir::DenseElementsAttr::get(typeOf(op.getResult()), inverse));
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), constant);
    return success();
  });
  patterns.add(+[](DivOp op, PatternRewriter &rewriter) -> LogicalResult {
    mlir::DenseElementsAttr dividend = splatConstant(op.getLhs());
    if (!dividend || !dividend.getSplatValue<llvm::APFloat>().isExactlyValue(1.0))
      return failure();
    rewriter.replaceOpWithNewOp<ReciprocalOp>(op, op.getType(), op.getRhs());
    return success();
  });
}

void PowOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  // The exact square, which pow rounds to as well.
  patterns.add(+[](PowOp op, PatternRewriter &rewriter) -> LogicalResult {
    mlir::DenseElementsAttr exponent = splatConstant(op.getRhs());
    if (!exponent || !exponent.getSplatValue<llvm::APFloat>().isExactlyValue(2.0))
      return failure();
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getLhs(), op.getLhs());
    return success();
  });
}

static Predicate negated(Predicate predicate) {
  switch (predicate) {
  case Predicate::EQ:
    return Predicate::NE;
  case Predicate::NE:
    return Predicate::EQ;
  case Predicate::LT:
    return Predicate::GE;
  case Predicate::LE:
    return Predicate::GT;
  case Predicate::GT:
    return Predicate::LE;
  case Predicate::GE:
    return Predicate::LT;
  }
  llvm_unreachable("all predicates are listed");
}

static Predicate swapped(Predicate predicate) {
  switch (predicate) {
  case Predicate::EQ:
  case Predicate::NE:
    return predicate;
  case Predicate::LT:
    return Predicate::GT;
  case Predicate::LE:
    return Predicate::GE;
  case Predicate::GT:
    return Predicate::LT;
  case Predicate::GE:
    return Predicate::LE;
  }
  llvm_unreachable("all predicates are listed");
}

void NotOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  // With NaN only eq and ne are each other's negation.
  patterns.add(+[](NotOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto compare = op.getOperand().getDefiningOp<CompareOp>();
    if (!compare)
      return failure();
    Predicate predicate = compare.getPredicate();
    if (hasFloatElements(compare.getLhs().getType()) && predicate != Predicate::EQ &&
        predicate != Predicate::NE)
      return failure();
    rewriter.replaceOpWithNewOp<CompareOp>(op, op.getType(), negated(predicate), compare.getLhs(),
                                           compare.getRhs());
    return success();
  });
}

void CompareOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  patterns.add(+[](CompareOp op, PatternRewriter &rewriter) -> LogicalResult {
    if (!splatConstant(op.getLhs()) || splatConstant(op.getRhs()))
      return failure();
    rewriter.replaceOpWithNewOp<CompareOp>(op, op.getType(), swapped(op.getPredicate()), op.getRhs(),
                                           op.getLhs());
    return success();
  });
}

void SelectOp::getCanonicalizationPatterns(mlir::RewritePatternSet &patterns, mlir::MLIRContext *) {
  // Also where the mask is stretched: a `not` below a broadcast is as good as one above it.
  patterns.add(+[](SelectOp op, PatternRewriter &rewriter) -> LogicalResult {
    auto stretched = op.getCondition().getDefiningOp<BroadcastOp>();
    Value condition = stretched ? stretched.getOperand() : op.getCondition();
    auto inverse = condition.getDefiningOp<NotOp>();
    if (!inverse)
      return failure();
    Value positive = inverse.getOperand();
    if (stretched)
      positive = BroadcastOp::create(rewriter, stretched.getLoc(), stretched.getType(), positive);
    rewriter.replaceOpWithNewOp<SelectOp>(op, op.getType(), positive, op.getIfFalse(), op.getIfTrue());
    return success();
  });
}
