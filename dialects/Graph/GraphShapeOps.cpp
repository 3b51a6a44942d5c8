//===- GraphShapeOps.cpp - Verifiers of views and reductions ----===//
#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::failure;
using mlir::RankedTensorType;
using mlir::success;

static RankedTensorType tensorOf(mlir::Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// reshape
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "operand has " << from.getNumElements() << " elements, result "
                         << to.getNumElements();
  return success();
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  llvm::ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != from.getRank() || from.getRank() != to.getRank())
    return emitOpError() << "operand of rank " << from.getRank() << ", result of rank " << to.getRank()
                         << " and a permutation of " << permutation.size() << " dimensions do not agree";
  llvm::SmallVector<bool> seen(permutation.size(), false);
  for (auto [index, source] : llvm::enumerate(permutation)) {
    if (source < 0 || source >= from.getRank() || seen[source])
      return emitOpError() << "[" << permutation << "] is no permutation";
    seen[source] = true;
    if (from.getDimSize(source) != to.getDimSize(index))
      return emitOpError() << "result dimension " << index << " has extent " << to.getDimSize(index)
                           << ", wanted " << from.getDimSize(source);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  int64_t rank = from.getRank();
  if (to.getRank() != rank || static_cast<int64_t>(getOffsets().size()) != rank ||
      static_cast<int64_t>(getStrides().size()) != rank)
    return emitOpError() << "operand of rank " << rank
                         << " wants a result, offsets and strides of that rank, found " << to.getRank()
                         << ", " << getOffsets().size() << " and " << getStrides().size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t offset = getOffsets()[dim], stride = getStrides()[dim], extent = to.getDimSize(dim);
    int64_t available = from.getDimSize(dim);
    // In this order no term can overflow.
    if (offset < 0 || offset >= available || stride < 1 || (extent - 1) > (available - 1 - offset) / stride)
      return emitOpError() << "dimension " << dim << ": offset " << offset << ", stride " << stride
                           << " and extent " << extent << " leave the operand's extent "
                           << from.getDimSize(dim);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getRank() != to.getRank())
    return emitOpError() << "operand has rank " << from.getRank() << ", result " << to.getRank();
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != to.getDimSize(dim) && from.getDimSize(dim) != 1)
      return emitOpError() << "dimension " << dim << " of the operand has extent " << from.getDimSize(dim)
                           << ", wanted 1 or " << to.getDimSize(dim);
  return success();
}

//===----------------------------------------------------------------------===//
// concat, reduce
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  if (getOperands().empty())
    return emitOpError("wants at least one operand");
  RankedTensorType to = tensorOf(getResult());
  int64_t axis = getAxis(), sum = 0;
  if (axis < 0 || axis >= to.getRank())
    return emitOpError() << "axis " << axis << " is not in a result of rank " << to.getRank();
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    RankedTensorType from = tensorOf(operand);
    if (from.getElementType() != to.getElementType())
      return emitOpError() << "operand " << index << " has elements " << from.getElementType() << ", result "
                           << to.getElementType();
    if (from.getRank() != to.getRank())
      return emitOpError() << "operand " << index << " has rank " << from.getRank() << ", result "
                           << to.getRank();
    for (int64_t dim = 0; dim < to.getRank(); ++dim)
      if (dim != axis && from.getDimSize(dim) != to.getDimSize(dim))
        return emitOpError() << "operand " << index << ", dimension " << dim << " has extent "
                             << from.getDimSize(dim) << ", wanted " << to.getDimSize(dim);
    sum += from.getDimSize(axis);
  }
  if (sum != to.getDimSize(axis))
    return emitOpError() << "the operands have extent " << sum << " along axis " << axis
                         << ", the result has " << to.getDimSize(axis);
  return success();
}

/// Whether `to` has the extents of `from`, but along `axes` 1; along `parts` any.
static LogicalResult verifyReduced(mlir::Operation *op, RankedTensorType from, RankedTensorType to,
                                   llvm::ArrayRef<int64_t> axes, std::optional<int64_t> parts = {}) {
  if (from.getRank() != to.getRank())
    return op->emitOpError() << "operand has rank " << from.getRank() << ", result " << to.getRank();
  if (axes.empty())
    return op->emitOpError("wants at least one axis");
  llvm::SmallVector<bool> reduced(from.getRank(), false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= from.getRank() || reduced[axis])
      return op->emitOpError() << "axes [" << axes << "] are not distinct dimensions of a tensor of rank "
                               << from.getRank();
    reduced[axis] = true;
  }
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t wanted = reduced[dim] ? 1 : from.getDimSize(dim);
    if (dim != parts && to.getDimSize(dim) != wanted)
      return op->emitOpError() << "result dimension " << dim << " has extent " << to.getDimSize(dim)
                               << ", wanted " << wanted;
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  return verifyReduced(*this, tensorOf(getOperand()), tensorOf(getResult()), getAxes());
}

static std::optional<int64_t> firstOf(llvm::ArrayRef<int64_t> axes) {
  return axes.empty() ? std::nullopt : std::optional(*llvm::min_element(axes));
}

int64_t PartialSumsOp::getParts() { return tensorOf(getResult()).getDimSize(*firstOf(getAxes())); }

LogicalResult PartialSumsOp::verify() {
  RankedTensorType to = tensorOf(getResult());
  if (failed(verifyReduced(*this, tensorOf(getOperand()), to, getAxes(), firstOf(getAxes()))))
    return failure();
  if (!symbolicShape(to)[*firstOf(getAxes())].isStatic())
    return emitOpError("the number of parts is known only with the symbols, wanted a constant");
  return success();
}
