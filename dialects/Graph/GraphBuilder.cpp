#include "dialects/Graph/GraphBuilder.h"

using namespace heddle::graph;
using mlir::RankedTensorType;
using mlir::Value;

RankedTensorType heddle::graph::typeOf(Value value) { return llvm::cast<RankedTensorType>(value.getType()); }

mlir::DenseElementsAttr heddle::graph::splatAttr(RankedTensorType type, double value) {
  mlir::Type element = type.getElementType();
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(element)) {
    llvm::APFloat rounded(value);
    bool inexact = false;
    rounded.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return mlir::DenseElementsAttr::get(type, rounded);
  }
  return mlir::DenseElementsAttr::get(
      type, llvm::APInt(element.getIntOrFloatBitWidth(), static_cast<int64_t>(value), /*isSigned=*/true));
}

Value GraphBuilder::parameter(llvm::ArrayRef<PartAttr> parts, RankedTensorType type) {
  llvm::SmallVector<mlir::Attribute> attrs(parts.begin(), parts.end());
  return ParameterOp::create(builder_, loc_, type, builder_.getArrayAttr(attrs));
}

Value GraphBuilder::constant(mlir::ElementsAttr value) {
  return ConstantOp::create(builder_, loc_, value.getType(), value);
}

Value GraphBuilder::splat(RankedTensorType type, double value) { return constant(splatAttr(type, value)); }

Value GraphBuilder::iota(RankedTensorType type, int64_t axis) {
  return IotaOp::create(builder_, loc_, type, builder_.getI64IntegerAttr(axis));
}

Value GraphBuilder::dropout(Value operand, Value key, int64_t layer, double probability) {
  SymbolicShape shape = symbolicShape(typeOf(operand));
  // Counted over all elements and not made of the indices along each dimension: one number in a kernel.
  Value flat = iota(tensorType(context(), {elementCount(shape)}, builder_.getI32Type()), 0);
  Value keys = broadcast(key, shape);
  return DropoutOp::create(builder_, loc_, operand.getType(), operand, reshape(flat, shape), keys,
                           builder_.getI64IntegerAttr(layer), builder_.getF64FloatAttr(probability));
}

Value GraphBuilder::compare(Predicate predicate, Value lhs, Value rhs) {
  return CompareOp::create(builder_, loc_, withElementType(typeOf(lhs), builder_.getI1Type()), predicate, lhs,
                           rhs);
}

Value GraphBuilder::select(Value condition, Value ifTrue, Value ifFalse) {
  return SelectOp::create(builder_, loc_, ifTrue.getType(), condition, ifTrue, ifFalse);
}

Value GraphBuilder::cast(Value operand, mlir::Type elementType, bool implicit) {
  if (typeOf(operand).getElementType() == elementType)
    return operand;
  auto op = CastOp::create(builder_, loc_, withElementType(typeOf(operand), elementType), operand,
                           implicit ? builder_.getUnitAttr() : mlir::UnitAttr(), mlir::UnitAttr());
  return op;
}

Value GraphBuilder::reshape(Value operand, llvm::ArrayRef<SymbolicDim> shape) {
  RankedTensorType type = tensorType(context(), shape, typeOf(operand).getElementType());
  return type == operand.getType() ? operand : ReshapeOp::create(builder_, loc_, type, operand).getResult();
}

Value GraphBuilder::transpose(Value operand, llvm::ArrayRef<int64_t> permutation) {
  SymbolicShape from = symbolicShape(typeOf(operand)), to;
  for (int64_t source : permutation)
    to.push_back(from[source]);
  RankedTensorType type = tensorType(context(), to, typeOf(operand).getElementType());
  return TransposeOp::create(builder_, loc_, type, operand, permutation);
}

Value GraphBuilder::transposeLast(Value operand) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(operand).getRank()));
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  return transpose(operand, permutation);
}

Value GraphBuilder::slice(Value operand, int64_t dim, int64_t offset, int64_t extent, int64_t stride) {
  SymbolicShape shape = symbolicShape(typeOf(operand));
  llvm::SmallVector<int64_t> offsets(shape.size(), 0), strides(shape.size(), 1);
  offsets[dim] = offset;
  strides[dim] = stride;
  shape[dim] = SymbolicDim::fixed(extent);
  RankedTensorType type = tensorType(context(), shape, typeOf(operand).getElementType());
  return SliceOp::create(builder_, loc_, type, operand, offsets, strides);
}

Value GraphBuilder::broadcast(Value operand, llvm::ArrayRef<SymbolicDim> shape) {
  SymbolicShape own = symbolicShape(typeOf(operand));
  own.insert(own.begin(), shape.size() - own.size(), SymbolicDim::fixed(1));
  Value ranked = reshape(operand, own);
  RankedTensorType type = tensorType(context(), shape, typeOf(operand).getElementType());
  return type == ranked.getType() ? ranked : BroadcastOp::create(builder_, loc_, type, ranked).getResult();
}

Value GraphBuilder::concat(mlir::ValueRange operands, int64_t axis) {
  SymbolicShape shape = symbolicShape(typeOf(operands.front()));
  int64_t sum = 0;
  for (Value operand : operands)
    sum += typeOf(operand).getDimSize(axis);
  shape[axis] = SymbolicDim::fixed(sum);
  RankedTensorType type = tensorType(context(), shape, typeOf(operands.front()).getElementType());
  return ConcatOp::create(builder_, loc_, type, operands, builder_.getI64IntegerAttr(axis));
}

Value GraphBuilder::reduce(ReduceKind kind, Value operand, llvm::ArrayRef<int64_t> axes) {
  SymbolicShape shape = symbolicShape(typeOf(operand));
  for (int64_t axis : axes)
    shape[axis] = SymbolicDim::fixed(1);
  RankedTensorType type = tensorType(context(), shape, typeOf(operand).getElementType());
  return ReduceOp::create(builder_, loc_, type, kind, operand, axes);
}

Value GraphBuilder::matmul(Value lhs, Value rhs, mlir::Type elementType) {
  SymbolicShape shape = symbolicShape(typeOf(lhs));
  shape.back() = symbolicShape(typeOf(rhs)).back();
  if (!elementType)
    elementType = typeOf(lhs).getElementType();
  return MatmulOp::create(builder_, loc_, tensorType(context(), shape, elementType), lhs, rhs);
}
