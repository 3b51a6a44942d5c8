//===- GraphModelOps.cpp - Verifiers of products and named model ops ------===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/VerifyShapes.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = typeOf(getLhs()), rhs = typeOf(getRhs()), result = typeOf(getResult());
  if (lhs.getRank() < 2 || rhs.getRank() < 2)
    return emitOpError() << "wants operands of rank at least 2, found " << lhs.getRank() << " and "
                         << rhs.getRank();
  int64_t inner = lhs.getShape().back(), rhsInner = rhs.getShape()[rhs.getRank() - 2];
  if (inner != rhsInner)
    return emitOpError() << "lhs " << shapeText(lhs.getShape()) << " and rhs " << shapeText(rhs.getShape())
                         << " do not agree: wanted " << inner << " rows in rhs, found " << rhsInner;
  if (rhs.getRank() != 2 && lhs.getShape().drop_back(2) != rhs.getShape().drop_back(2))
    return emitOpError() << "lhs " << shapeText(lhs.getShape()) << " and rhs " << shapeText(rhs.getShape())
                         << " have other leading dimensions";
  llvm::SmallVector<int64_t> wanted(lhs.getShape().drop_back());
  wanted.push_back(rhs.getShape().back());
  if (failed(verifyShape(*this, "result", getResult(), wanted)))
    return mlir::failure();
  if (result.getElementType() != lhs.getElementType() && !result.getElementType().isF32())
    return emitOpError() << "result elements are " << result.getElementType() << ", wanted "
                         << lhs.getElementType() << " or f32";
  return success();
}

static LogicalResult verifyLastDimension(mlir::Operation *op, RankedTensorType operand, mlir::Value vector,
                                         llvm::StringRef name) {
  return verifyShape(op, name, vector, operand.getShape().take_back());
}

/// The ops over the last dimension need one.
static LogicalResult verifyRank(mlir::Operation *op, RankedTensorType operand) {
  if (operand.getRank() < 1)
    return op->emitOpError("wants an operand of rank at least 1");
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyRank(*this, typeOf(getOperand())); }

LogicalResult LayerNormOp::verify() {
  RankedTensorType operand = typeOf(getOperand());
  if (failed(verifyRank(*this, operand)) ||
      failed(verifyLastDimension(*this, operand, getWeight(), "weight")))
    return mlir::failure();
  return getBias() ? verifyLastDimension(*this, operand, getBias(), "bias") : success();
}

LogicalResult RmsNormOp::verify() {
  RankedTensorType operand = typeOf(getOperand());
  if (failed(verifyRank(*this, operand)))
    return mlir::failure();
  return verifyLastDimension(*this, operand, getWeight(), "weight");
}

LogicalResult EmbeddingOp::verify() {
  RankedTensorType table = typeOf(getTable()), indices = typeOf(getIndices());
  if (table.getRank() != 2)
    return emitOpError() << "table has rank " << table.getRank() << ", wanted 2";
  llvm::SmallVector<int64_t> wanted(indices.getShape());
  wanted.push_back(table.getDimSize(1));
  return verifyShape(*this, "result", getResult(), wanted);
}

LogicalResult GroupOp::verifyRegions() {
  auto yield = llvm::cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getResults().getTypes())
    return emitOpError() << "yields " << yield.getValues().size() << " values whose types are not its "
                         << getNumResults() << " results'";
  return success();
}
