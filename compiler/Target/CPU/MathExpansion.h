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
/// nearest float32 but for near ties; sin and cos of any finite angle.
void populateMathExpansion(mlir::RewritePatternSet &patterns);

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_MATHEXPANSION_H
