//===- GraphTrainingOps.cpp - Verifiers of losses and gradients -----------===//
#include "dialects/Graph/GraphDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::RankedTensorType;
using mlir::success;

static RankedTensorType tensorOf(mlir::Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

static std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

static LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name, mlir::Value value,
                                 llvm::ArrayRef<int64_t> wanted) {
  if (tensorOf(value).getShape() == wanted)
    return success();
  return op->emitOpError() << name << " has shape " << shapeText(tensorOf(value).getShape()) << ", wanted "
                           << shapeText(wanted);
}

/// What both ops of the loss want of their logits and attributes.
template <typename OpTy>
static LogicalResult verifyLoss(OpTy op) {
  RankedTensorType logits = tensorOf(op.getLogits());
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
  if (!tensorOf(getResult()).getElementType().isF32())
    return emitOpError() << "result elements are " << tensorOf(getResult()).getElementType()
                         << ", wanted f32";
  return verifyShape(*this, "result", getResult(), tensorOf(getTargets()).getShape());
}

LogicalResult CrossEntropyGradOp::verify() {
  if (failed(verifyLoss(*this)))
    return mlir::failure();
  return verifyShape(*this, "gradient", getGradient(), tensorOf(getTargets()).getShape());
}

LogicalResult EmbeddingGradOp::verify() {
  RankedTensorType gradient = tensorOf(getGradient()), result = tensorOf(getResult());
  if (result.getRank() != 2)
    return emitOpError() << "result has rank " << result.getRank() << ", wanted 2";
  llvm::SmallVector<int64_t> wanted(tensorOf(getIndices()).getShape());
  wanted.push_back(result.getDimSize(1));
  return verifyShape(*this, "gradient", getGradient(), wanted);
}

LogicalResult SoftmaxGradOp::verify() {
  if (tensorOf(getSoftmax()).getRank() < 1)
    return emitOpError("wants operands of rank at least 1");
  return success();
}
