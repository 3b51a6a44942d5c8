//===- ElementwiseGradients.cpp - Gradients of elementwise ops ------------===//
//
// Each is the derivative times the result's gradient, built of the operand or the result, whichever PyTorch
// keeps. Where a function has a corner its gradient there is PyTorch's: 0 for relu and |x|, half for each of
// two equal operands of maximum and minimum.
//
//===----------------------------------------------------------------------===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/OneKernel.h"

#include <optional>

using namespace heddle::graph;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using mlir::OpBuilder;
using mlir::success;
using mlir::Value;

namespace {

/// Formulas at the op's place; `dy` is the gradient of its result.
struct Derivative : GraphBuilder {
  Derivative(OpBuilder &builder, mlir::Operation *op, ArrayRef<Value> results)
      : GraphBuilder(builder, op->getLoc()), dy(results.front()) {}

  Value neg(Value a) { return unary<NegOp>(a); }
  Value zero() { return splat(typeOf(dy), 0.0); }
  /// dy where the condition holds, else 0.
  Value where(Value condition) { return select(condition, dy, zero()); }
  /// What PyTorch has a kernel for.
  Value kernel(llvm::function_ref<Value()> build) {
    KernelScope scope(builder(), newKernel(context()));
    return build();
  }
  Value oneMinus(Value a) { return sub(splat(typeOf(a), 1.0), a); }

  Value dy;
};

} // namespace

// One operand: `EXPRESSION` is its gradient, of x (the operand), y (the result) and d (above).
#define HEDDLE_UNARY_VJP(OP, EXPRESSION)                                                                     \
  LogicalResult OP::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,                 \
                             MutableArrayRef<Value> operands) {                                              \
    Derivative d(builder, *this, results);                                                                   \
    [[maybe_unused]] Value x = getOperand(), y = getResult();                                                \
    operands[0] = EXPRESSION;                                                                                \
    return success();                                                                                        \
  }

HEDDLE_UNARY_VJP(NegOp, d.neg(d.dy))
HEDDLE_UNARY_VJP(ExpOp, d.mul(d.dy, y))
HEDDLE_UNARY_VJP(LogOp, d.div(d.dy, x))
HEDDLE_UNARY_VJP(SqrtOp, d.div(d.mul(d.dy, 0.5), y))
HEDDLE_UNARY_VJP(RsqrtOp, d.mul(d.mul(d.dy, -0.5), d.kernel([&] { return d.mul(y, d.mul(y, y)); })))
HEDDLE_UNARY_VJP(ReciprocalOp, d.mul(d.neg(d.dy), d.mul(y, y)))
HEDDLE_UNARY_VJP(TanhOp, d.kernel([&] { return d.mul(d.dy, d.oneMinus(d.mul(y, y))); }))
HEDDLE_UNARY_VJP(SigmoidOp, d.kernel([&] { return d.mul(d.dy, d.mul(y, d.oneMinus(y))); }))
HEDDLE_UNARY_VJP(SinOp, d.mul(d.dy, d.unary<CosOp>(x)))
HEDDLE_UNARY_VJP(CosOp, d.mul(d.neg(d.dy), d.unary<SinOp>(x)))
HEDDLE_UNARY_VJP(ReluOp, d.kernel([&] { return d.where(d.compare(Predicate::GT, y, d.zero())); }))
HEDDLE_UNARY_VJP(CopyOp, d.dy)
// 2 / sqrt(pi) exp(-x^2)
HEDDLE_UNARY_VJP(ErfOp, d.mul(d.mul(d.dy, 1.12837916709551257390), d.unary<ExpOp>(d.neg(d.mul(x, x)))))
HEDDLE_UNARY_VJP(AbsOp, d.select(d.compare(Predicate::LT, x, d.zero()), d.neg(d.dy),
                                 d.where(d.compare(Predicate::GT, x, d.zero()))))
HEDDLE_UNARY_VJP(SiluOp, SiluGradOp::create(builder, getLoc(), x.getType(), x, d.dy))
HEDDLE_UNARY_VJP(GeluOp, GeluGradOp::create(builder, getLoc(), x.getType(), getForm(), x, d.dy))
// The gradient of what was rounded is that of what it was rounded from; integers and booleans have none.
HEDDLE_UNARY_VJP(CastOp, d.cast(d.dy, typeOf(x).getElementType(), getImplicit()))

// The same elements again, of what is given.
HEDDLE_UNARY_VJP(DropoutOp, DropoutOp::create(builder, getLoc(), x.getType(), d.dy, getIndex(), getKey(),
                                              getLayerAttr(), getProbabilityAttr()))

#undef HEDDLE_UNARY_VJP

// Two operands: `LHS` and `RHS` are their gradients, of a, b, y and d.
#define HEDDLE_BINARY_VJP(OP, LHS, RHS)                                                                      \
  LogicalResult OP::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,           \
                             MutableArrayRef<Value> operands) {                                              \
    Derivative d(builder, *this, results);                                                                   \
    [[maybe_unused]] Value a = getLhs(), b = getRhs(), y = getResult();                                      \
    if (wanted[0])                                                                                           \
      operands[0] = LHS;                                                                                     \
    if (wanted[1])                                                                                           \
      operands[1] = RHS;                                                                                     \
    return success();                                                                                        \
  }

/// dy for the operand that was taken, half of it where both are equal.
static Value ofChosen(Derivative &d, Predicate chosen, Value own, Value other) {
  Value tie = d.select(d.compare(Predicate::EQ, own, other), d.mul(d.dy, 0.5), d.zero());
  return d.select(d.compare(chosen, own, other), d.dy, tie);
}

/// dy b a^(b-1); with an exponent of 0 the power is 1 everywhere, also where a is 0 and a^-1 infinite.
static Value ofBase(Derivative &d, Value a, Value b) {
  mlir::DenseElementsAttr constant = splatConstant(b);
  auto exponent = constant ? std::optional(constant.getSplatValue<llvm::APFloat>()) : std::nullopt;
  Value less = exponent ? d.splat(typeOf(b), exponent->convertToDouble() - 1) : d.sub(b, 1.0);
  Value by = d.mul(d.dy, d.mul(b, d.binary<PowOp>(a, less)));
  if (exponent && exponent->isNonZero())
    return by;
  return d.select(d.compare(Predicate::EQ, b, d.zero()), d.zero(), by);
}

HEDDLE_BINARY_VJP(AddOp, d.dy, d.dy)
HEDDLE_BINARY_VJP(SubOp, d.dy, d.neg(d.dy))
HEDDLE_BINARY_VJP(MulOp, d.mul(d.dy, b), d.mul(d.dy, a))
HEDDLE_BINARY_VJP(DivOp, d.div(d.dy, b), d.mul(d.neg(d.dy), d.div(y, b)))
// Where a is 0 its logarithm is none, and the gradient by the exponent 0 (PyTorch's choice).
HEDDLE_BINARY_VJP(PowOp, ofBase(d, a, b),
                  d.select(d.compare(Predicate::EQ, a, d.zero()), d.zero(),
                           d.mul(d.dy, d.mul(y, d.unary<LogOp>(a)))))
HEDDLE_BINARY_VJP(MaximumOp, ofChosen(d, Predicate::GT, a, b), ofChosen(d, Predicate::GT, b, a))
HEDDLE_BINARY_VJP(MinimumOp, ofChosen(d, Predicate::LT, a, b), ofChosen(d, Predicate::LT, b, a))

#undef HEDDLE_BINARY_VJP

LogicalResult SelectOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                 MutableArrayRef<Value> operands) {
  Derivative d(builder, *this, results);
  if (wanted[1])
    operands[1] = d.where(getCondition());
  if (wanted[2])
    operands[2] = d.select(getCondition(), d.zero(), d.dy);
  return success();
}
