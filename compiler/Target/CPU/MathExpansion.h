//===- MathExpansion.h - math ops without a library -------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_MATHEXPANSION_H
#define HEDDLE_COMPILER_TARGET_CPU_MATHEXPANSION_H

namespace mlir {
class RewritePatternSet;
}

namespace heddle::cpu {

/// Patterns that replace math ops on float32, scalar or vector, by arithmetic, so that objects call no
/// library.
///
/// exp, expm1, log1p, tanh, erf: MLIR's polynomials (exp about 1 ulp, tanh and erf about 5).
/// rsqrt: 1 / sqrt, each step rounded. log, log2, powf, sin, cos: own, in float64, so that the result is the
/// nearest float32 but for near ties; sin and cos for angles up to kLargestAngle in absolute value, NaN
/// beyond.
void populateMathExpansion(mlir::RewritePatternSet &patterns);

/// Where the spacing of float32 passes 2^17 revolutions no one asks for a sine: range reduction stops here.
constexpr double kLargestAngle = 1099511627776.0; // 2^40

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_MATHEXPANSION_H
