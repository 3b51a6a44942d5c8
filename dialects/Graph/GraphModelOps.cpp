//===- GraphModelOps.cpp - Verifiers of products and named model ops ------===//
#include "dialects/Graph/GraphDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

static RankedTensorType tensorOf(mlir::Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

/// "[4, 512, 768]", as messages show shapes.
static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

LogicalResult MatmulOp::verify() {
  RankedTensorType lhs = tensorOf(getLhs()), rhs = tensorOf(getRhs()), result = tensorOf(getResult());
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
  if (llvm::ArrayRef<int64_t>(wanted) != result.getShape())
    return emitOpError() << "result has shape " << shapeText(result.getShape()) << ", wanted "
                         << shapeText(wanted);
  if (result.getElementType() != lhs.getElementType() && !result.getElementType().isF32())
    return emitOpError() << "result elements are " << result.getElementType() << ", wanted "
                         << lhs.getElementType() << " or f32";
  return success();
}

static LogicalResult verifyLastDimension(mlir::Operation *op, RankedTensorType operand, mlir::Value vector,
                                         llvm::StringRef name) {
  RankedTensorType type = tensorOf(vector);
  if (type.getRank() != 1 || type.getDimSize(0) != operand.getShape().back())
    return op->emitOpError() << name << " has shape " << shapeText(type.getShape()) << ", wanted ["
                             << operand.getShape().back() << "]";
  return success();
}

/// The ops over the last dimension need one.
static LogicalResult verifyRank(mlir::Operation *op, RankedTensorType operand) {
  if (operand.getRank() < 1)
    return op->emitOpError("wants an operand of rank at least 1");
  return success();
}

LogicalResult SoftmaxOp::verify() { return verifyRank(*this, tensorOf(getOperand())); }

LogicalResult LayerNormOp::verify() {
  RankedTensorType operand = tensorOf(getOperand());
  if (failed(verifyRank(*this, operand)) ||
      failed(verifyLastDimension(*this, operand, getWeight(), "weight")))
    return mlir::failure();
  return getBias() ? verifyLastDimension(*this, operand, getBias(), "bias") : success();
}

LogicalResult RmsNormOp::verify() {
  RankedTensorType operand = tensorOf(getOperand());
  if (failed(verifyRank(*this, operand)))
    return mlir::failure();
  return verifyLastDimension(*this, operand, getWeight(), "weight");
}

LogicalResult EmbeddingOp::verify() {
  RankedTensorType table = tensorOf(getTable()), indices = tensorOf(getIndices()),
                   result = tensorOf(getResult());
  if (table.getRank() != 2)
    return emitOpError() << "table has rank " << table.getRank() << ", wanted 2";
  llvm::SmallVector<int64_t> wanted(indices.getShape());
  wanted.push_back(table.getDimSize(1));
  if (llvm::ArrayRef<int64_t>(wanted) != result.getShape())
    return emitOpError() << "result has shape " << shapeText(result.getShape()) << ", wanted "
                         << shapeText(wanted);
  return success();
}

/// Mask and bias stretch to the scores [B, H, Sq, Sk].
static LogicalResult verifyScoresOperand(AttentionOp op, mlir::Value value, llvm::ArrayRef<int64_t> scores,
                                         llvm::StringRef name) {
  RankedTensorType type = tensorOf(value);
  bool fits = type.getRank() == 4;
  for (int64_t dim = 0; fits && dim < 4; ++dim)
    fits = type.getDimSize(dim) == scores[dim] || type.getDimSize(dim) == 1;
  if (!fits)
    return op.emitOpError() << name << " has shape " << shapeText(type.getShape()) << ", wanted "
                            << shapeText(scores) << " or 1 in place of any extent";
  return success();
}

LogicalResult AttentionOp::verify() {
  RankedTensorType query = tensorOf(getQuery()), key = tensorOf(getKey()), value = tensorOf(getValue());
  if (query.getRank() != 4 || key.getRank() != 4 || value.getRank() != 4)
    return emitOpError() << "wants query, key and value of rank 4, found " << query.getRank() << ", "
                         << key.getRank() << " and " << value.getRank();
  int64_t batch = query.getDimSize(0), heads = query.getDimSize(1), groups = key.getDimSize(1);
  int64_t keys = key.getDimSize(2);
  if (key.getDimSize(0) != batch || key.getDimSize(3) != query.getDimSize(3))
    return emitOpError() << "key has shape " << shapeText(key.getShape()) << ", wanted [" << batch
                         << ", G, Sk, " << query.getDimSize(3) << "] for query "
                         << shapeText(query.getShape());
  if (value.getDimSize(0) != batch || value.getDimSize(1) != groups || value.getDimSize(2) != keys)
    return emitOpError() << "value has shape " << shapeText(value.getShape()) << ", wanted [" << batch << ", "
                         << groups << ", " << keys << ", E]";
  if (groups == 0 || heads % groups != 0)
    return emitOpError() << heads << " query heads are no multiple of " << groups << " key heads";
  int64_t wanted[] = {batch, heads, query.getDimSize(2), value.getDimSize(3)};
  if (tensorOf(getResult()).getShape() != llvm::ArrayRef<int64_t>(wanted))
    return emitOpError() << "result has shape " << shapeText(tensorOf(getResult()).getShape()) << ", wanted "
                         << shapeText(wanted);
  int64_t scores[] = {batch, heads, query.getDimSize(2), keys};
  if (getMask() && failed(verifyScoresOperand(*this, getMask(), scores, "mask")))
    return mlir::failure();
  if (getBias() && failed(verifyScoresOperand(*this, getBias(), scores, "bias")))
    return mlir::failure();
  if (getWindow() && !getCausal())
    return emitOpError("has a window and is not causal");
  if (getWindow() && static_cast<int64_t>(*getWindow()) < 1)
    return emitOpError() << "window is " << static_cast<int64_t>(*getWindow()) << ", wanted at least 1";
  // Negated, so that NaN is refused, too.
  if (double cap = getSoftcap() ? getSoftcap()->convertToDouble() : 1;
      !(cap >= kLeastSoftcap && cap <= 1 / kLeastSoftcap))
    return emitOpError() << "softcap is " << cap << ", wanted a number from 1e-30 to 1e30";
  return success();
}

LogicalResult GroupOp::verifyRegions() {
  auto yield = llvm::cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getResults().getTypes())
    return emitOpError() << "yields " << yield.getValues().size() << " values whose types are not its "
                         << getNumResults() << " results'";
  return success();
}
