#include "compiler/Lowering/ScalarRules.h"
#include "dialects/Graph/GraphDialect.h"
#include "runtime/base/Dropout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Location;
using mlir::OpBuilder;
using mlir::Type;
using mlir::Value;
namespace arith = mlir::arith;
namespace math = mlir::math;

Type heddle::computeType(Type elementType) {
  return llvm::isa<mlir::FloatType>(elementType) ? mlir::Float32Type::get(elementType.getContext())
                                                 : elementType;
}

Value heddle::widen(OpBuilder &builder, Location loc, Value element) {
  Type wide = computeType(element.getType());
  return wide == element.getType() ? element : arith::ExtFOp::create(builder, loc, wide, element);
}

Value heddle::narrow(OpBuilder &builder, Location loc, Value value, Type elementType) {
  return value.getType() == elementType ? value : arith::TruncFOp::create(builder, loc, elementType, value);
}

Value heddle::emitConstant(OpBuilder &builder, Location loc, mlir::Attribute element) {
  if (auto number = llvm::dyn_cast<mlir::FloatAttr>(element)) {
    Type f32 = builder.getF32Type();
    return arith::ConstantOp::create(builder, loc, builder.getFloatAttr(f32, number.getValueAsDouble()));
  }
  return arith::ConstantOp::create(builder, loc, llvm::cast<mlir::TypedAttr>(element));
}

namespace {

/// Shorthand for the formulas below; all values are f32. A call makes at most one op among its arguments: C++
/// leaves their order open, and the kernel's text must not depend on the compiler that built this.
struct Formula {
  OpBuilder &builder;
  Location loc;

  Value number(double value) const { return emitConstant(builder, loc, builder.getF32FloatAttr(value)); }
  Value add(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) const { return arith::DivFOp::create(builder, loc, a, b); }
  Value neg(Value a) const { return arith::NegFOp::create(builder, loc, a); }
  Value exp(Value a) const { return math::ExpOp::create(builder, loc, a); }

  /// 1 + exp(-x): the denominator of sigmoid and silu.
  Value onePlusExpNeg(Value x) const {
    Value one = number(1.0);
    return add(exp(neg(x)), one);
  }

  Value sigmoid(Value x) const {
    Value one = number(1.0);
    return div(one, onePlusExpNeg(x));
  }

  /// s (1 + x (1 - s)), s = sigmoid(x).
  Value siluDerivative(Value x) const {
    Value one = number(1.0);
    Value s = sigmoid(x);
    Value rest = sub(one, s);
    Value inner = add(one, mul(x, rest));
    return mul(s, inner);
  }

  /// erf: (1 + erf(x / sqrt 2)) / 2 + x exp(-x^2 / 2) / sqrt(2 pi). tanh, with u = a (x + b x^3) and t = tanh
  /// u: (1 + t) / 2 + x (1 - t^2) a (1 + 3 b x^2) / 2.
  Value geluDerivative(Value x, GeluForm form) const {
    Value square = mul(x, x);
    Value one = number(1.0);
    Value half = number(0.5);
    if (form == GeluForm::Erf) {
      Value inner = math::ErfOp::create(builder, loc, mul(x, number(0.70710678118654752440)));
      Value cumulative = mul(half, add(inner, one));
      Value density = mul(exp(mul(square, number(-0.5))), number(0.39894228040143267794)); // 1 / sqrt(2 pi)
      return add(cumulative, mul(x, density));
    }
    Value cube = mul(square, x);
    Value sum = add(x, mul(cube, number(0.044715)));
    Value t = math::TanhOp::create(builder, loc, mul(sum, number(0.79788456080286535588)));
    Value cumulative = mul(half, add(t, one));
    Value slope = sub(one, mul(t, t));
    Value inner = mul(add(one, mul(square, number(3 * 0.044715))), number(0.5 * 0.79788456080286535588));
    return add(cumulative, mul(mul(x, slope), inner));
  }

  Value integer(int64_t value) const {
    auto word = static_cast<int32_t>(static_cast<uint32_t>(value));
    return emitConstant(builder, loc, builder.getI32IntegerAttr(word));
  }
  Value lowWord(Value number) const {
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), number);
  }
  Value xorOf(Value a, Value b) const { return arith::XOrIOp::create(builder, loc, a, b); }
  Value shifted(Value a, int64_t bits) const {
    return arith::ShRUIOp::create(builder, loc, a, integer(bits));
  }

  Value mix(Value x) const {
    for (const runtime::MixStep &step : runtime::kMixSteps) {
      x = xorOf(x, shifted(x, step.shift));
      if (step.factor != 1)
        x = arith::MulIOp::create(builder, loc, x, integer(step.factor));
    }
    return x;
  }

  /// runtime/base/Dropout.h, in signed comparisons: the bits have lost their sign, and a threshold of 2^31 is
  /// none of an i32.
  Value dropout(DropoutOp op, Value x, Value index, Value key, Value layer) const {
    Value ofLayer = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), layer);
    Value start = arith::MulIOp::create(builder, loc, ofLayer, integer(runtime::kLayerStride));
    Value first = mix(arith::AddIOp::create(builder, loc, lowWord(key), start));
    Value half = emitConstant(builder, loc, builder.getI64IntegerAttr(32));
    Value upper = arith::ShRUIOp::create(builder, loc, key, half);
    Value second = mix(xorOf(first, lowWord(upper)));
    Value bits = mix(arith::AddIOp::create(builder, loc, mix(xorOf(index, first)), second));
    double probability = op.getProbability().convertToDouble();
    Value last = integer(runtime::dropoutThreshold(probability) - 1);
    Value kept = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt, shifted(bits, 1), last);
    Value scaled = mul(x, number(runtime::dropoutScale(probability)));
    return arith::SelectOp::create(builder, loc, kept, scaled, number(0.0));
  }

  Value gelu(Value x, GeluForm form) const {
    Value inner;
    if (form == GeluForm::Erf) {
      inner = math::ErfOp::create(builder, loc, mul(x, number(0.70710678118654752440))); // x / sqrt(2)
    } else {
      Value cube = mul(mul(x, x), x);
      Value sum = add(x, mul(cube, number(0.044715)));
      inner = math::TanhOp::create(builder, loc, mul(sum, number(0.79788456080286535588))); // sqrt(2 / pi)
    }
    Value half = mul(x, number(0.5));
    return mul(half, add(inner, number(1.0)));
  }
};

arith::CmpFPredicate floatPredicate(Predicate predicate) {
  switch (predicate) {
  case Predicate::EQ:
    return arith::CmpFPredicate::OEQ;
  case Predicate::NE:
    return arith::CmpFPredicate::UNE;
  case Predicate::LT:
    return arith::CmpFPredicate::OLT;
  case Predicate::LE:
    return arith::CmpFPredicate::OLE;
  case Predicate::GT:
    return arith::CmpFPredicate::OGT;
  case Predicate::GE:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("covered switch");
}

arith::CmpIPredicate intPredicate(Predicate predicate) {
  switch (predicate) {
  case Predicate::EQ:
    return arith::CmpIPredicate::eq;
  case Predicate::NE:
    return arith::CmpIPredicate::ne;
  case Predicate::LT:
    return arith::CmpIPredicate::slt;
  case Predicate::LE:
    return arith::CmpIPredicate::sle;
  case Predicate::GT:
    return arith::CmpIPredicate::sgt;
  case Predicate::GE:
    return arith::CmpIPredicate::sge;
  }
  llvm_unreachable("covered switch");
}

Value emitCast(OpBuilder &builder, Location loc, CastOp op, Value x) {
  Type from = llvm::cast<mlir::RankedTensorType>(op.getOperand().getType()).getElementType();
  Type to = llvm::cast<mlir::RankedTensorType>(op.getResult().getType()).getElementType();
  Type wide = computeType(to);
  bool fromFloat = llvm::isa<mlir::FloatType>(from), toFloat = llvm::isa<mlir::FloatType>(to);
  if (fromFloat && toFloat) {
    // A cast of the user rounds; one of the precision policy does so only where the value is stored.
    if (op.getImplicit() || to.isF32())
      return x;
    return widen(builder, loc, narrow(builder, loc, x, to));
  }
  if (to.isInteger(1)) {
    Value zero = fromFloat ? emitConstant(builder, loc, builder.getF32FloatAttr(0.0))
                           : emitConstant(builder, loc, builder.getIntegerAttr(from, 0));
    if (fromFloat)
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE, x, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, x, zero);
  }
  if (fromFloat)
    return arith::FPToSIOp::create(builder, loc, to, x);
  if (toFloat) {
    Value number = from.isInteger(1) ? Value(arith::UIToFPOp::create(builder, loc, wide, x))
                                     : Value(arith::SIToFPOp::create(builder, loc, wide, x));
    return to.isF32() || op.getImplicit() ? number : widen(builder, loc, narrow(builder, loc, number, to));
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return x;
  if (from.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, to, x);
  if (fromWidth < toWidth)
    return arith::ExtSIOp::create(builder, loc, to, x);
  return arith::TruncIOp::create(builder, loc, to, x);
}

/// Emits the float form of an op for floating elements, the integer form for others.
template <typename FloatOp, typename IntOp>
Value emitEither(OpBuilder &builder, Location loc, llvm::ArrayRef<Value> x) {
  if (llvm::isa<mlir::FloatType>(x[0].getType()))
    return FloatOp::create(builder, loc, x[0], x[1]);
  return IntOp::create(builder, loc, x[0], x[1]);
}

} // namespace

Value heddle::emitScalar(OpBuilder &builder, Location loc, mlir::Operation *op, llvm::ArrayRef<Value> x) {
  Formula f{builder, loc};
  auto isFloat = [&] { return llvm::isa<mlir::FloatType>(x[0].getType()); };
  return llvm::TypeSwitch<mlir::Operation *, Value>(op)
      .Case([&](NegOp) -> Value {
        if (isFloat())
          return f.neg(x[0]);
        Value zero = emitConstant(builder, loc, builder.getIntegerAttr(x[0].getType(), 0));
        return arith::SubIOp::create(builder, loc, zero, x[0]);
      })
      .Case([&](AbsOp) -> Value {
        if (isFloat())
          return math::AbsFOp::create(builder, loc, x[0]);
        return math::AbsIOp::create(builder, loc, x[0]);
      })
      .Case([&](ExpOp) { return f.exp(x[0]); })
      .Case([&](LogOp) { return math::LogOp::create(builder, loc, x[0]); })
      .Case([&](SqrtOp) { return math::SqrtOp::create(builder, loc, x[0]); })
      .Case([&](RsqrtOp) { return math::RsqrtOp::create(builder, loc, x[0]); })
      .Case([&](ReciprocalOp) { return f.div(f.number(1.0), x[0]); })
      .Case([&](TanhOp) { return math::TanhOp::create(builder, loc, x[0]); })
      .Case([&](SigmoidOp) { return f.sigmoid(x[0]); })
      .Case([&](ErfOp) { return math::ErfOp::create(builder, loc, x[0]); })
      .Case([&](SinOp) { return math::SinOp::create(builder, loc, x[0]); })
      .Case([&](CosOp) { return math::CosOp::create(builder, loc, x[0]); })
      .Case([&](ReluOp) { return arith::MaximumFOp::create(builder, loc, x[0], f.number(0.0)); })
      .Case([&](SiluOp) { return f.div(x[0], f.onePlusExpNeg(x[0])); })
      .Case([&](GeluOp gelu) { return f.gelu(x[0], gelu.getForm()); })
      .Case([&](SiluGradOp) { return f.mul(x[1], f.siluDerivative(x[0])); })
      .Case([&](GeluGradOp gelu) { return f.mul(x[1], f.geluDerivative(x[0], gelu.getForm())); })
      .Case([&](DropoutOp dropout) { return f.dropout(dropout, x[0], x[1], x[2], x[3]); })
      .Case([&](NotOp) {
        Value one = emitConstant(builder, loc, builder.getBoolAttr(true));
        return arith::XOrIOp::create(builder, loc, x[0], one);
      })
      .Case([&](AddOp) { return emitEither<arith::AddFOp, arith::AddIOp>(builder, loc, x); })
      .Case([&](SubOp) { return emitEither<arith::SubFOp, arith::SubIOp>(builder, loc, x); })
      .Case([&](MulOp) { return emitEither<arith::MulFOp, arith::MulIOp>(builder, loc, x); })
      .Case([&](DivOp) { return f.div(x[0], x[1]); })
      .Case([&](PowOp) -> Value {
        // x^2 is what norms are written with; a product is exact where powf need not be.
        double exponent;
        mlir::FloatAttr constant;
        if (auto defining = x[1].getDefiningOp<arith::ConstantOp>())
          constant = llvm::dyn_cast<mlir::FloatAttr>(defining.getValue());
        exponent = constant ? constant.getValueAsDouble() : 0.0;
        if (constant && exponent == 2.0)
          return f.mul(x[0], x[0]);
        return math::PowFOp::create(builder, loc, x[0], x[1]);
      })
      .Case([&](MaximumOp) { return emitEither<arith::MaximumFOp, arith::MaxSIOp>(builder, loc, x); })
      .Case([&](MinimumOp) { return emitEither<arith::MinimumFOp, arith::MinSIOp>(builder, loc, x); })
      .Case([&](AndOp) { return arith::AndIOp::create(builder, loc, x[0], x[1]); })
      .Case([&](OrOp) { return arith::OrIOp::create(builder, loc, x[0], x[1]); })
      .Case([&](CompareOp compare) -> Value {
        if (isFloat())
          return arith::CmpFOp::create(builder, loc, floatPredicate(compare.getPredicate()), x[0], x[1]);
        return arith::CmpIOp::create(builder, loc, intPredicate(compare.getPredicate()), x[0], x[1]);
      })
      .Case([&](SelectOp) { return arith::SelectOp::create(builder, loc, x[0], x[1], x[2]); })
      .Case([&](CopyOp) { return x[0]; })
      .Case([&](CastOp cast) { return emitCast(builder, loc, cast, x[0]); })
      .Default([](mlir::Operation *) { return Value(); });
}
