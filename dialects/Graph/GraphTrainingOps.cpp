//===- GraphTrainingOps.cpp - Verifiers of losses and gradients -----------===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/VerifyShapes.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

/// What both ops of the loss want of their logits and attributes.
template <typename OpTy>
static LogicalResult verifyLoss(OpTy op) {
  RankedTensorType logits = typeOf(op.getLogits());
  if (logits.getRank() < 1)
    return op.emitOpError("wants logits of rank at least 1");
  double smoothing = op.getSmoothing().convertToDouble();
  if (!(smoothing >= 0 && smoothing < 1))
    return op.emitOpError() << "smoothing is " << smoothing << ", wanted at least 0 and less than 1";
  return verifyShape(op, "targets", op.getTargets(), logits.getShape().drop_back());
}

LogicalResult CrossEntropyOp::verify() {
  if (failed(verifyLoss(*this)))
    return mlir::failure();
  if (!typeOf(getResult()).getElementType().isF32())
    return emitOpError() << "result elements are " << typeOf(getResult()).getElementType() << ", wanted f32";
  return verifyShape(*this, "result", getResult(), typeOf(getTargets()).getShape());
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyLoss(*this)))
    return mlir::failure();
  return verifyShape(*this, "gradient", getGradient(), typeOf(getTargets()).getShape());
}

LogicalResult EmbeddingGradOp::verify() {
  RankedTensorType result = typeOf(getResult());
  if (result.getRank() != 2)
    return emitOpError() << "result has rank " << result.getRank() << ", wanted 2";
  llvm::SmallVector<int64_t> wanted(typeOf(getIndices()).getShape());
  wanted.push_back(result.getDimSize(1));
  return verifyShape(*this, "gradient", getGradient(), wanted);
}

LogicalResult SoftmaxGradOp::verify() {
  if (typeOf(getSoftmax()).getRank() < 1)
    return emitOpError("wants operands of rank at least 1");
  return success();
}
