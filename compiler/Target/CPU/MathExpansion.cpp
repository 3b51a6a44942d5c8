#include "compiler/Target/CPU/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace heddle::cpu;

namespace {
/// Arithmetic on values of one shape, in float64 unless said otherwise.
class Arithmetic {
public:
  Arithmetic(ImplicitLocOpBuilder &builder, Type shape) : b(builder), shape(shape) {}

  Type type(Type element) {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type f64() { return type(b.getF64Type()); }
  Type i64() { return type(b.getI64Type()); }
  Value splat(TypedAttr scalar) {
    Type wanted = type(scalar.getType());
    if (auto vector = dyn_cast<VectorType>(wanted))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, Attribute(scalar)));
    return arith::ConstantOp::create(b, scalar);
  }
  Value real(double value) { return splat(b.getF64FloatAttr(value)); }
  Value word(uint64_t value) { return splat(b.getI64IntegerAttr(int64_t(value))); }

  Value extend(Value x) { return arith::ExtFOp::create(b, f64(), x); }
  Value round(Value x) { return arith::TruncFOp::create(b, type(b.getF32Type()), x); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value nearest(Value x) { return math::RoundEvenOp::create(b, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value equal(Value x, Value y) { return compare(arith::CmpFPredicate::OEQ, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) { return arith::SelectOp::create(b, condition, x, y); }
  Value bits(Value x) { return arith::BitcastOp::create(b, i64(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, f64(), x); }
  /// Coefficients from the highest power down.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = real(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, real(coefficient));
    return sum;
  }

  ImplicitLocOpBuilder &b;
  Type shape;
};

bool isFloat32(Operation *op) { return getElementTypeOrSelf(op->getResult(0).getType()).isF32(); }

/// Replaces a float32 op by what `expand` computes from its operands.
template <typename Op>
struct Expand : OpRewritePattern<Op> {
  using Function = Value (*)(Arithmetic &m, Op op);
  Expand(MLIRContext *context, Function expand)
      : OpRewritePattern<Op>(context, /*benefit=*/10), expand(expand) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isFloat32(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Arithmetic m(b, op.getType());
    rewriter.replaceOp(op, expand(m, op));
    return success();
  }

  Function expand;
};
} // namespace

static Value expandRsqrt(Arithmetic &m, math::RsqrtOp op) {
  Value one = m.splat(m.b.getF32FloatAttr(1.0f));
  return m.div(one, math::SqrtOp::create(m.b, op.getOperand()));
}

//===----------------------------------------------------------------------===//
// sin, cos
//===----------------------------------------------------------------------===//

namespace {
/// x = (k + 4 n) pi/2 + r for a whole number n, |r| <= pi/4 or a rounding more.
struct ReducedAngle {
  Value k, r; ///< float64, k a whole number.
};
} // namespace

/// Angles up to here have a short reduction.
static constexpr double kNearAngles = 1099511627776.0; // 2^40

/// pi/2 has two parts and the subtraction is fused, so that r has 2^-50 of absolute error up to kNearAngles:
/// more than float32 sees.
static ReducedAngle reduceAngle(Arithmetic &m, Value x) {
  constexpr double kHalfPi = 1.5707963267948966, kHalfPiLow = 6.123233995736766e-17;
  Value k = m.nearest(m.mul(x, m.real(2 / M_PI)));
  Value minus = m.negate(k);
  return {k, m.fma(minus, m.real(kHalfPiLow), m.fma(minus, m.real(kHalfPi), x))};
}

/// The same for larger x that was a finite float32 (M. Payne, R. Hanek, Radian reduction for trigonometric
/// functions, 1983): x = c 2^e with a whole number c below 2^24, so that of 2/pi only those bits matter whose
/// product with c 2^e is below 4 and not far below 1. 96 of them leave 2^-61 of absolute error, and float32
/// comes no nearer to a multiple of pi/2 than 1.6e-9, 16367173 * 2^72 (J.-M. Muller, Elementary Functions,
/// 2016).
static ReducedAngle reduceFarAngle(Arithmetic &m, Value x) {
  // 2/pi from 2^-1 down.
  constexpr uint64_t kTwoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                     0xfe5163abdebbc561};
  auto shiftLeft = [&](Value value, Value by) { return arith::ShLIOp::create(m.b, value, by).getResult(); };
  auto shiftRight = [&](Value value, Value by) { return arith::ShRUIOp::create(m.b, value, by).getResult(); };
  auto masked = [&](Value value, uint64_t mask) { return m.both(value, m.word(mask)); };
  auto minus = [&](Value a, Value b) { return arith::SubIOp::create(m.b, a, b).getResult(); };
  auto plus = [&](Value a, Value b) { return arith::AddIOp::create(m.b, a, b).getResult(); };
  auto times = [&](Value a, Value b) { return arith::MulIOp::create(m.b, a, b).getResult(); };

  Value bits = m.bits(x);
  // The upper 24 of the 53 bits of x: the others are zero.
  Value c = shiftRight(m.either(masked(bits, 0x000fffffffffffff), m.word(0x0010000000000000)), m.word(29));
  // Times 2^e the bit behind the first e - 2 is worth 2. For e from 17 to 104, to where float32 ends, it is
  // in the first or second word.
  Value place = minus(masked(shiftRight(bits, m.word(52)), 0x7ff), m.word(1023 + 23 + 2));
  Value second = arith::CmpIOp::create(m.b, arith::CmpIPredicate::sge, place, m.word(64));
  Value by = masked(place, 63), words[3];
  for (int index = 0; index < 3; ++index)
    words[index] = m.select(second, m.word(kTwoOverPi[index + 1]), m.word(kTwoOverPi[index]));
  // From bit `by` of one word on; shifts by 64 are undefined, those by 1 and then up to 63 are not.
  Value rest = minus(m.word(63), by);
  auto from = [&](Value high, Value low) {
    return m.either(shiftLeft(high, by), shiftRight(shiftRight(low, m.word(1)), rest));
  };
  // x 2/pi modulo 4 in units of 2^-62: what overflows is a multiple of 4.
  Value high = times(c, from(words[0], words[1]));
  Value low = times(c, shiftRight(from(words[1], words[2]), m.word(32)));
  Value turned = plus(high, shiftRight(low, m.word(32)));
  // To the nearest whole number: what is left is signed.
  Value k = shiftRight(plus(turned, m.word(uint64_t(1) << 61)), m.word(62));
  Value left = minus(turned, shiftLeft(k, m.word(62)));
  Value r = m.mul(arith::SIToFPOp::create(m.b, m.f64(), left), m.real(M_PI_2 * 0x1p-62));
  Value whole = arith::SIToFPOp::create(m.b, m.f64(), k);
  Value negative = arith::CmpIOp::create(m.b, arith::CmpIPredicate::slt, bits, m.word(0));
  return {m.select(negative, m.negate(whole), whole), m.select(negative, m.negate(r), r)};
}

/// The Taylor series of sine or cosine of what is left of the angle, by the quadrant.
static Value sine(Arithmetic &m, Value x32, double quadrants) {
  Value x = m.extend(x32);
  Value size = math::AbsFOp::create(m.b, x);
  auto [k, r] = reduceAngle(m, x);
  // Hardly ever: a branch is cheaper than both reductions.
  Value far = m.compare(arith::CmpFPredicate::OGT, size, m.real(kNearAngles));
  Value any = far;
  if (isa<VectorType>(far.getType()))
    any = vector::ReductionOp::create(m.b, vector::CombiningKind::OR, far);
  auto branch = scf::IfOp::create(m.b, TypeRange{m.f64(), m.f64()}, any, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(m.b);
    m.b.setInsertionPointToStart(branch.thenBlock());
    auto [farK, farR] = reduceFarAngle(m, x);
    scf::YieldOp::create(m.b, ValueRange{m.select(far, farK, k), m.select(far, farR, r)});
    m.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(m.b, ValueRange{k, r});
  }
  k = branch.getResult(0);
  r = branch.getResult(1);
  Value square = m.mul(r, r);
  // Next terms: 3e-14 of the sine, 4e-13 of the cosine.
  Value sinR = m.mul(r, m.polynomial(square, {1.0 / 6227020800, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040,
                                              1.0 / 120, -1.0 / 6, 1.0}));
  Value cosR =
      m.polynomial(square, {1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0});
  // k + quadrants modulo 4, in float64: exact, and no conversion that the processor may lack.
  Value turned = m.add(k, m.real(quadrants));
  Value quadrant = m.sub(turned, m.mul(m.real(4), m.floor(m.mul(turned, m.real(0.25)))));
  Value odd = m.either(m.equal(quadrant, m.real(1)), m.equal(quadrant, m.real(3)));
  Value value = m.select(odd, cosR, sinR);
  value = m.select(m.compare(arith::CmpFPredicate::OGE, quadrant, m.real(2)), m.negate(value), value);
  Value finite = m.compare(arith::CmpFPredicate::OLT, size, m.real(INFINITY));
  return m.round(m.select(finite, value, m.real(std::nan(""))));
}

static Value expandSin(Arithmetic &m, math::SinOp op) { return sine(m, op.getOperand(), 0); }
static Value expandCos(Arithmetic &m, math::CosOp op) { return sine(m, op.getOperand(), 1); }

//===----------------------------------------------------------------------===//
// log, log2, powf
//===----------------------------------------------------------------------===//

/// log2 of a positive finite float64 that was a float32: exponent and atanh series of the mantissa.
static Value log2(Arithmetic &m, Value x) {
  Value bits = m.bits(x);
  Value exponent = arith::ShRUIOp::create(m.b, bits, m.word(52));
  Value mantissa = arith::AndIOp::create(m.b, bits, m.word(0x000fffffffffffff));
  mantissa = m.fromBits(arith::OrIOp::create(m.b, mantissa, m.word(0x3ff0000000000000)));
  // An integer below 2^52 in the mantissa of 2^52 is that integer more: AVX2 has no conversion from 64-bit
  // integers.
  Value e = m.fromBits(arith::OrIOp::create(m.b, exponent, m.word(0x4330000000000000)));
  e = m.sub(e, m.real(4503599627370496.0 + 1023.0));
  Value upper = m.compare(arith::CmpFPredicate::OGT, mantissa, m.real(M_SQRT2));
  mantissa = m.select(upper, m.mul(mantissa, m.real(0.5)), mantissa);
  e = m.select(upper, m.add(e, m.real(1)), e);
  // ln m = 2 atanh s, s = (m - 1) / (m + 1), |s| < 0.172: the terms left out are below 1e-15.
  Value s = m.div(m.sub(mantissa, m.real(1)), m.add(mantissa, m.real(1)));
  Value series = m.polynomial(
      m.mul(s, s), {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  return m.fma(m.mul(s, m.real(2 * M_LOG2E)), series, e);
}

/// scale * log2 of any float32: -inf of 0, NaN below.
static Value logarithm(Arithmetic &m, Value x32, double scale) {
  Value x = m.extend(x32), zero = m.real(0), infinity = m.real(INFINITY);
  Value result = m.mul(log2(m, x), m.real(scale));
  result = m.select(m.equal(x, zero), m.real(-INFINITY), result);
  result = m.select(m.compare(arith::CmpFPredicate::ULT, x, zero), m.real(std::nan("")), result);
  result = m.select(m.equal(x, infinity), infinity, result);
  return m.round(result);
}

static Value expandLog(Arithmetic &m, math::LogOp op) { return logarithm(m, op.getOperand(), M_LN2); }
static Value expandLog2(Arithmetic &m, math::Log2Op op) { return logarithm(m, op.getOperand(), 1); }

/// 2^t for |t| <= 1000: the Taylor series of 2^(t - k) and k in the exponent.
static Value exp2(Arithmetic &m, Value t) {
  Value k = m.nearest(t);
  Value f = m.mul(m.sub(t, k), m.real(M_LN2));
  Value series = m.polynomial(f, {1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                                  1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Value biased = m.bits(m.add(k, m.real(4503599627370496.0 + 1023.0)));
  return m.mul(series, m.fromBits(arith::ShLIOp::create(m.b, biased, m.word(52))));
}

/// x^y = 2^(y log2 |x|) in float64, with the cases of C's pow.
static Value generalPower(Arithmetic &m, Value x32, Value y32) {
  Value x = m.extend(x32), y = m.extend(y32);
  Value zero = m.real(0), one = m.real(1), infinity = m.real(INFINITY), nan = m.real(std::nan(""));
  Value size = math::AbsFOp::create(m.b, x);
  Value logarithm = log2(m, size);
  logarithm = m.select(m.equal(size, zero), m.real(-INFINITY), logarithm);
  logarithm = m.select(m.equal(size, infinity), infinity, logarithm);
  Value t = m.mul(y, logarithm);
  // (-1)^inf is 1, where inf * 0 would make a NaN.
  t = m.select(m.both(m.equal(size, one), m.compare(arith::CmpFPredicate::ORD, y, y)), zero, t);
  // Far outside of float32 already, and inside of what exp2 scales.
  t = arith::MinimumFOp::create(m.b, arith::MaximumFOp::create(m.b, t, m.real(-400)), m.real(400));
  Value power = exp2(m, t);

  Value negative = arith::CmpIOp::create(m.b, arith::CmpIPredicate::slt, m.bits(x), m.word(0));
  Value whole = m.equal(m.floor(y), y);
  Value half = m.mul(y, m.real(0.5));
  Value odd = m.both(whole, m.compare(arith::CmpFPredicate::ONE, m.floor(half), half));
  power = m.select(m.both(negative, odd), m.negate(power), power);
  Value undefined = m.compare(arith::CmpFPredicate::OLT, x, zero);
  undefined = m.both(undefined, m.both(m.compare(arith::CmpFPredicate::ONE, m.floor(y), y),
                                       m.compare(arith::CmpFPredicate::ONE, size, infinity)));
  power = m.select(undefined, nan, power);
  power = m.select(m.compare(arith::CmpFPredicate::UNO, x, y), nan, power);
  power = m.select(m.either(m.equal(x, one), m.equal(y, zero)), one, power);
  return m.round(power);
}

/// x^n by squaring, 0 < n <= 4: at most two units in the last place.
static Value integerPower(Arithmetic &m, Value x, int n) {
  Value result;
  for (; n; n /= 2, x = n ? m.mul(x, x) : x)
    if (n % 2)
      result = result ? m.mul(result, x) : x;
  return result;
}

static Value expandPow(Arithmetic &m, math::PowFOp op) {
  Attribute attribute;
  Value power = op.getRhs();
  if (auto broadcast = power.getDefiningOp<vector::BroadcastOp>())
    power = broadcast.getSource();
  if (!matchPattern(power, m_Constant(&attribute)))
    return generalPower(m, op.getLhs(), op.getRhs());
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    attribute = elements.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(attribute);
  double exponent = number ? number.getValueAsDouble() : NAN;
  Value one = m.splat(m.b.getF32FloatAttr(1.0f));
  if (exponent == 0)
    return one;
  if (std::fabs(exponent) == 0.5) {
    Value root = math::SqrtOp::create(m.b, op.getLhs());
    return exponent > 0 ? root : m.div(one, root);
  }
  if (std::fabs(exponent) <= 4 && exponent == std::floor(exponent)) {
    // The quotient first: x^2 can be denormal where 1/x^2 is not.
    Value factor = exponent > 0 ? op.getLhs() : m.div(one, op.getLhs());
    return integerPower(m, factor, std::abs(int(exponent)));
  }
  return generalPower(m, op.getLhs(), op.getRhs());
}

void heddle::cpu::populateMathExpansion(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::RsqrtOp>>(context, expandRsqrt);
  patterns.add<Expand<math::LogOp>>(context, expandLog);
  patterns.add<Expand<math::Log2Op>>(context, expandLog2);
  patterns.add<Expand<math::SinOp>>(context, expandSin);
  patterns.add<Expand<math::CosOp>>(context, expandCos);
  patterns.add<Expand<math::PowFOp>>(context, expandPow);
  constexpr StringRef kApproximated[] = {"math.exp", "math.expm1", "math.log1p", "math.tanh", "math.erf"};
  populateMathPolynomialApproximationPatterns(
      patterns, [&](StringRef name) { return llvm::is_contained(kApproximated, name); });
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
}
