//===- GraphOps.cpp - Leaf and elementwise ops ----------------------------===//
#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include <cmath>

using namespace heddle::graph;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

#define GET_OP_CLASSES
#include "dialects/Graph/GraphOps.cpp.inc"

/// Of the leaves that are made of parts, parameters and states.
template <typename OpTy>
static LogicalResult verifyLeaf(OpTy op) {
  auto emitOpError = [&] { return op.emitOpError(); };
  auto type = llvm::cast<mlir::RankedTensorType>(op.getResult().getType());
  if (op.getParts().empty())
    return emitOpError() << "wants at least one part";
  if (type.getRank() == 0)
    return emitOpError() << "wants a result of rank at least 1";
  int64_t rows = 0;
  for (PartAttr part : op.getParts().template getAsRange<PartAttr>()) {
    llvm::ArrayRef<int64_t> shape = part.getShape();
    if (shape.size() != static_cast<size_t>(type.getRank()) ||
        shape.drop_front() != type.getShape().drop_front())
      return emitOpError() << "part \"" << part.getName() << "\" has shape [" << shape << "], wanted [*, "
                           << type.getShape().drop_front() << "]";
    if (shape.front() < 1)
      return emitOpError() << "part \"" << part.getName() << "\" has " << shape.front()
                           << " rows, wanted at least 1";
    double scale = part.getScale().getValueAsDouble();
    if (!std::isfinite(scale) || (part.getInit() == InitKind::Normal && scale < 0))
      return emitOpError() << "part \"" << part.getName() << "\" has scale " << part.getScale()
                           << ", wanted a finite number, and none below 0 for a standard deviation";
    rows += shape.front();
  }
  if (rows != type.getDimSize(0))
    return emitOpError() << "the parts have " << rows << " rows, the result has " << type.getDimSize(0);
  return success();
}

LogicalResult ParameterOp::verify() { return verifyLeaf(*this); }

LogicalResult StateOp::verify() {
  for (PartAttr part : getParts().getAsRange<PartAttr>())
    if (part.getInit() != InitKind::Constant)
      return emitOpError() << "part \"" << part.getName() << "\" is drawn, wanted a constant to begin with";
    else if (part.getName().starts_with(kAccumulatorPrefix) != getAccumulates())
      return emitOpError() << "part \"" << part.getName()
                           << "\": names of states that accumulate, and of those "
                           << "alone, begin with \"" << kAccumulatorPrefix << "\"";
  return verifyLeaf(*this);
}

LogicalResult CastOp::verify() {
  if (!getKept())
    return success();
  if (!getOperand().getDefiningOp<ParameterOp>())
    return emitOpError("is kept, wanted the result of graph.parameter as its operand");
  if (getImplicit() || getOperand().getType() == getType() || !hasFloatElements(getOperand().getType()) ||
      !hasFloatElements(getType()))
    return emitOpError("is kept, wanted it not implicit, and from one floating type to another");
  return success();
}

CastOp heddle::graph::keptCast(mlir::Value value) {
  if (auto group = value.getDefiningOp<GroupOp>()) {
    auto yield = llvm::dyn_cast<YieldOp>(group.getBody().front().back());
    unsigned number = llvm::cast<mlir::OpResult>(value).getResultNumber();
    if (!yield || number >= yield.getValues().size())
      return CastOp(); // Verifiers ask before groups have been verified.
    value = yield.getValues()[number];
  }
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getKept() ? cast : CastOp();
}

AssignOp heddle::graph::assignOf(mlir::Value leaf) {
  for (mlir::Operation *user : leaf.getUsers())
    if (auto assign = llvm::dyn_cast<AssignOp>(user); assign && assign.getLeaf() == leaf)
      return assign;
  return AssignOp();
}

LogicalResult AssignOp::verify() {
  mlir::Operation *leaf = getLeaf().getDefiningOp();
  if (!llvm::isa_and_nonnull<ParameterOp, StateOp>(leaf) && !keptCast(getLeaf()))
    return emitOpError("wants the result of graph.parameter, graph.state or a kept graph.cast as what is "
                       "assigned to");
  for (mlir::Operation *user : leaf->getUsers())
    if (auto other = llvm::dyn_cast<AssignOp>(user); other && other != *this && other.getLeaf() == getLeaf())
      return emitOpError("is not the only one of its leaf");
  return success();
}

LogicalResult DropoutOp::verify() {
  if (double probability = getProbability().convertToDouble(); !(probability >= 0 && probability <= 1))
    return emitOpError() << "probability " << probability << ": wanted a number from 0 to 1";
  if (auto layer = static_cast<int64_t>(getLayer()); layer < 0)
    return emitOpError() << "layer " << layer << ": wanted a number from 0 on";
  // Where the index is cut off to 32 bits elements further on would share their draws.
  if (int64_t count = llvm::cast<mlir::RankedTensorType>(getType()).getNumElements();
      count > int64_t{1} << 31)
    return emitOpError() << count << " elements: wanted at most 2147483648, which an i32 index tells apart";
  return success();
}

LogicalResult ConstantOp::verify() {
  if (!llvm::isa<mlir::DenseIntOrFPElementsAttr>(getValue()))
    return emitOpError("wants its elements dense, as numbers");
  return success();
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IotaOp::verify() {
  auto type = llvm::cast<mlir::RankedTensorType>(getResult().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= type.getRank())
    return emitOpError() << "axis " << axis << " is not in a result of rank " << type.getRank();
  return success();
}
