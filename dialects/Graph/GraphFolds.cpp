//===- GraphFolds.cpp - Constant folding and identities -------------------===//
//
// Only what is exact is folded: the folded graph gives the same bits as the graph as it was, NaN payloads
// apart.
//
//===----------------------------------------------------------------------===//
#include "dialects/Graph/GraphBuilder.h"

using namespace heddle::graph;
using mlir::Attribute;
using mlir::DenseElementsAttr;
using mlir::OpFoldResult;
using mlir::RankedTensorType;

static DenseElementsAttr splatOf(Attribute attr) {
  auto dense = llvm::dyn_cast_or_null<DenseElementsAttr>(attr);
  return dense && dense.isSplat() ? dense : DenseElementsAttr();
}

static std::optional<llvm::APFloat> floatSplat(Attribute attr) {
  DenseElementsAttr splat = splatOf(attr);
  if (!splat || !llvm::isa<mlir::FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<llvm::APFloat>();
}

static std::optional<llvm::APInt> intSplat(Attribute attr) {
  DenseElementsAttr splat = splatOf(attr);
  if (!splat || !llvm::isa<mlir::IntegerType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<llvm::APInt>();
}

static bool isFloatSplat(Attribute attr, double value) {
  std::optional<llvm::APFloat> splat = floatSplat(attr);
  return splat && splat->isExactlyValue(value);
}

static bool isIntSplat(Attribute attr, int64_t value) {
  std::optional<llvm::APInt> splat = intSplat(attr);
  return splat && splat->getSExtValue() == value;
}

/// Both operands constant: computed in the element type, rounded to nearest even. (For bf16 and f16 that is
/// what float32 arithmetic and one rounding give, too: float32 has more than twice their digits and two
/// more.)
static OpFoldResult foldBinary(mlir::Type type, Attribute lhs, Attribute rhs,
                               llvm::function_ref<llvm::APFloat(llvm::APFloat, llvm::APFloat)> onFloats,
                               llvm::function_ref<llvm::APInt(llvm::APInt, llvm::APInt)> onInts) {
  auto tensor = llvm::cast<RankedTensorType>(type);
  auto a = floatSplat(lhs), b = floatSplat(rhs);
  if (a && b)
    return DenseElementsAttr::get(tensor, onFloats(*a, *b));
  auto i = intSplat(lhs), j = intSplat(rhs);
  if (i && j && onInts)
    return DenseElementsAttr::get(tensor, onInts(*i, *j));
  return {};
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getProbability().isZero() ? OpFoldResult(getOperand()) : OpFoldResult();
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  // x + 0.0 turns -0.0 into 0.0, so only x + -0.0 is the identity on floats.
  std::optional<llvm::APFloat> zero = floatSplat(adaptor.getRhs());
  if ((zero && zero->isNegZero()) || isIntSplat(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](auto a, auto b) { return a + b; },
      [](auto a, auto b) { return a + b; });
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  std::optional<llvm::APFloat> zero = floatSplat(adaptor.getRhs());
  if ((zero && zero->isPosZero()) || isIntSplat(adaptor.getRhs(), 0))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](auto a, auto b) { return a - b; },
      [](auto a, auto b) { return a - b; });
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getRhs(), 1.0) || isIntSplat(adaptor.getRhs(), 1))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](auto a, auto b) { return a * b; },
      [](auto a, auto b) { return a * b; });
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  if (isFloatSplat(adaptor.getRhs(), 1.0))
    return getLhs();
  return foldBinary(
      getType(), adaptor.getLhs(), adaptor.getRhs(), [](auto a, auto b) { return a / b; }, nullptr);
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return isFloatSplat(adaptor.getRhs(), 1.0) ? OpFoldResult(getLhs()) : OpFoldResult();
}

OpFoldResult NegOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NegOp>())
    return inner.getOperand();
  auto type = llvm::cast<RankedTensorType>(getType());
  if (std::optional<llvm::APFloat> value = floatSplat(adaptor.getOperand()))
    return DenseElementsAttr::get(type, -*value);
  if (std::optional<llvm::APInt> value = intSplat(adaptor.getOperand()))
    return DenseElementsAttr::get(type, -*value);
  return {};
}

OpFoldResult NotOp::fold(FoldAdaptor adaptor) {
  if (auto inner = getOperand().getDefiningOp<NotOp>())
    return inner.getOperand();
  if (std::optional<llvm::APInt> value = intSplat(adaptor.getOperand()))
    return DenseElementsAttr::get(llvm::cast<RankedTensorType>(getType()), ~*value);
  return {};
}

OpFoldResult AndOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  std::optional<llvm::APInt> rhs = intSplat(adaptor.getRhs());
  if (!rhs)
    return {};
  return rhs->isZero() ? OpFoldResult(adaptor.getRhs()) : OpFoldResult(getLhs());
}

OpFoldResult OrOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs())
    return getLhs();
  std::optional<llvm::APInt> rhs = intSplat(adaptor.getRhs());
  if (!rhs)
    return {};
  return rhs->isZero() ? OpFoldResult(getLhs()) : OpFoldResult(adaptor.getRhs());
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (getIfTrue() == getIfFalse())
    return getIfTrue();
  if (std::optional<llvm::APInt> condition = intSplat(adaptor.getCondition()))
    return condition->isZero() ? getIfFalse() : getIfTrue();
  return {};
}

OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  auto a = intSplat(adaptor.getLhs()), b = intSplat(adaptor.getRhs());
  if (!a || !b)
    return {};
  bool holds = false;
  switch (getPredicate()) {
  case Predicate::EQ:
    holds = *a == *b;
    break;
  case Predicate::NE:
    holds = *a != *b;
    break;
  case Predicate::LT:
    holds = a->slt(*b);
    break;
  case Predicate::LE:
    holds = a->sle(*b);
    break;
  case Predicate::GT:
    holds = a->sgt(*b);
    break;
  case Predicate::GE:
    holds = a->sge(*b);
    break;
  }
  return DenseElementsAttr::get(llvm::cast<RankedTensorType>(getType()), llvm::APInt(1, holds));
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  auto type = llvm::cast<RankedTensorType>(getType());
  auto target = llvm::dyn_cast<mlir::FloatType>(type.getElementType());
  // One that rounds to the type that its operand has says that it is to be rounded, inside of a kernel too.
  if (getOperand().getType() == type && (getImplicit() || !target || target.isF32()))
    return getOperand();
  // Back to the narrow type that a value was widened from: exact, whoever wrote the casts.
  if (auto inner = getOperand().getDefiningOp<CastOp>()) {
    auto middle = llvm::dyn_cast<mlir::FloatType>(typeOf(inner.getResult()).getElementType());
    if (target && middle && middle.isF32() && inner.getOperand().getType() == type)
      return inner.getOperand();
  }
  if (!target)
    return {};
  bool inexact = false;
  if (std::optional<llvm::APFloat> value = floatSplat(adaptor.getOperand())) {
    value->convert(target.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return DenseElementsAttr::get(type, *value);
  }
  if (std::optional<llvm::APInt> value = intSplat(adaptor.getOperand())) {
    llvm::APFloat converted(target.getFloatSemantics());
    converted.convertFromAPInt(*value, /*IsSigned=*/value->getBitWidth() > 1,
                               llvm::APFloat::rmNearestTiesToEven);
    return DenseElementsAttr::get(type, converted);
  }
  return {};
}

/// A view of a splat is a splat.
static OpFoldResult foldView(mlir::Operation *op, Attribute operand) {
  if (DenseElementsAttr splat = splatOf(operand))
    return splat.resizeSplat(llvm::cast<RankedTensorType>(op->getResult(0).getType()));
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return foldView(*this, adaptor.getOperand());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [index, source] : llvm::enumerate(getPermutation()))
    identity &= static_cast<int64_t>(index) == source;
  if (identity && getOperand().getType() == getType())
    return getOperand();
  // Back from the other order.
  if (auto inner = getOperand().getDefiningOp<TransposeOp>();
      inner && inner.getOperand().getType() == getType()) {
    auto inverse = [&](auto entry) {
      return inner.getPermutation()[entry.value()] == static_cast<int64_t>(entry.index());
    };
    if (llvm::all_of(llvm::enumerate(getPermutation()), inverse))
      return inner.getOperand();
  }
  return foldView(*this, adaptor.getOperand());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Offsets are in bounds, so the same type with unit strides is the whole operand.
  if (getOperand().getType() == getType() && llvm::all_of(getStrides(), [](int64_t s) { return s == 1; }))
    return getOperand();
  return foldView(*this, adaptor.getOperand());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  return foldView(*this, adaptor.getOperand());
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getOperands().size() == 1 && getOperands().front().getType() == getType())
    return getOperands().front();
  return {};
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // Equal types: all reduced extents are 1, and each kind of one element is that element.
  if (getOperand().getType() == getType())
    return getOperand();
  return {};
}
