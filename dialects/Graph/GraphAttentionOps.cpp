//===- GraphAttentionOps.cpp - Verifiers of attention and its gradient ----===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/VerifyShapes.h"

using namespace heddle;
using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;
using mlir::Value;

static LogicalResult verifySingle(mlir::Operation *op, llvm::StringRef name, Value value,
                                  llvm::ArrayRef<int64_t> shape) {
  if (!typeOf(value).getElementType().isF32())
    return op->emitOpError() << name << " elements are " << typeOf(value).getElementType() << ", wanted f32";
  return verifyShape(op, name, value, shape);
}

/// Mask and bias stretch to the scores [B, H, Sq, Sk].
static LogicalResult verifyScoresOperand(mlir::Operation *op, Value value, llvm::ArrayRef<int64_t> scores,
                                         llvm::StringRef name) {
  RankedTensorType type = typeOf(value);
  bool fits = type.getRank() == 4;
  for (int64_t dim = 0; fits && dim < 4; ++dim)
    fits = type.getDimSize(dim) == scores[dim] || type.getDimSize(dim) == 1;
  if (!fits)
    return op->emitOpError() << name << " has shape " << shapeText(type.getShape()) << ", wanted "
                             << shapeText(scores) << " or 1 in place of any extent";
  return success();
}

/// What makes the scores, and the values.
static LogicalResult verifyScores(AttentionLike op) {
  RankedTensorType query = typeOf(op.getQuery()), key = typeOf(op.getKey()), value = typeOf(op.getValue());
  if (query.getRank() != 4 || key.getRank() != 4 || value.getRank() != 4)
    return op->emitOpError() << "wants query, key and value of rank 4, found " << query.getRank() << ", "
                             << key.getRank() << " and " << value.getRank();
  int64_t batch = query.getDimSize(0), heads = query.getDimSize(1), groups = key.getDimSize(1);
  int64_t keys = key.getDimSize(2);
  if (key.getDimSize(0) != batch || key.getDimSize(3) != query.getDimSize(3))
    return op->emitOpError() << "key has shape " << shapeText(key.getShape()) << ", wanted [" << batch
                             << ", G, Sk, " << query.getDimSize(3) << "] for query "
                             << shapeText(query.getShape());
  if (value.getDimSize(0) != batch || value.getDimSize(1) != groups || value.getDimSize(2) != keys)
    return op->emitOpError() << "value has shape " << shapeText(value.getShape()) << ", wanted [" << batch
                             << ", " << groups << ", " << keys << ", E]";
  if (groups == 0 || heads % groups != 0)
    return op->emitOpError() << heads << " query heads are no multiple of " << groups << " key heads";
  int64_t scores[] = {batch, heads, query.getDimSize(2), keys};
  if (op.getMask() && failed(verifyScoresOperand(op, op.getMask(), scores, "mask")))
    return mlir::failure();
  if (op.getBias() && failed(verifyScoresOperand(op, op.getBias(), scores, "bias")))
    return mlir::failure();
  if (op.getWindow() && !op.getCausal())
    return op->emitOpError("has a window and is not causal");
  if (op.getWindow() && static_cast<int64_t>(*op.getWindow()) < 1)
    return op->emitOpError() << "window is " << static_cast<int64_t>(*op.getWindow())
                             << ", wanted at least 1";
  // Negated, so that NaN is refused, too.
  if (double cap = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : 1;
      !(cap >= AttentionOp::kLeastSoftcap && cap <= 1 / AttentionOp::kLeastSoftcap))
    return op->emitOpError() << "softcap is " << cap << ", wanted a number from 1e-30 to 1e30";
  return success();
}

/// [2, B, H, Sq], float32.
static LogicalResult verifyStatistics(mlir::Operation *op, Value value, llvm::ArrayRef<int64_t> query) {
  return verifySingle(op, "statistics", value, {2, query[0], query[1], query[2]});
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyScores(*this)))
    return mlir::failure();
  llvm::ArrayRef<int64_t> query = typeOf(getQuery()).getShape();
  if (failed(verifyShape(*this, "result", getResult(),
                         {query[0], query[1], query[2], typeOf(getValue()).getDimSize(3)})))
    return mlir::failure();
  return getStatistics() ? verifyStatistics(*this, getStatistics(), query) : success();
}

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyScores(*this)))
    return mlir::failure();
  llvm::ArrayRef<int64_t> query = typeOf(getQuery()).getShape();
  if (failed(verifyShape(*this, "gradient", getGradient(),
                         {query[0], query[1], query[2], typeOf(getValue()).getDimSize(3)})) ||
      failed(verifyStatistics(*this, getStatistics(), query)) ||
      failed(verifySingle(*this, "delta", getDelta(), query.take_front(3))))
    return mlir::failure();
  if (!getDbias())
    return success();
  if (!getBias())
    return emitOpError("gives the gradient of a bias and has none");
  llvm::ArrayRef<int64_t> bias = typeOf(getBias()).getShape();
  return verifySingle(*this, "dbias", getDbias(),
                      {bias[0], bias[1], query[2], typeOf(getKey()).getDimSize(2)});
}
