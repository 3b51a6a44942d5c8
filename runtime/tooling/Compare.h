//===- Compare.h - A result against the float64 reference -------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_COMPARE_H
#define HEDDLE_RUNTIME_TOOLING_COMPARE_H

#include "runtime/tooling/HostTensor.h"

#include <cstdint>
#include <span>

namespace heddle::runtime {

/// How far a result is from the reference. Elements where the reference is infinite or NaN must be the same
/// infinity or NaN and take no part in the norms; a result that is not finite where the reference is, or the
/// reverse, is misplaced.
struct Difference {
  double referenceNorm = 0; ///< Euclidean norm of the reference's finite elements.
  double errorNorm = 0;     ///< Of result minus reference, where both are finite.
  double maxAbs = 0;        ///< Largest absolute error, where both are finite.
  int64_t misplaced = 0;
  int64_t bothNaN = 0;  ///< Elements that are NaN in the result and in the reference: right, but no evidence.
  int64_t compared = 0; ///< Elements that are finite in both; where there are none, nothing was compared.
  /// ||result - reference|| / ||reference||; the absolute norm where the reference is zero.
  double relative() const { return referenceNorm > 0 ? errorNorm / referenceNorm : errorNorm; }
};

/// InvalidInput when the result has another number of elements than the reference.
StatusOr<Difference> compare(DType dtype, std::span<const uint8_t> result, std::span<const double> reference);

/// Half the distance from 1 to the next number: 2^-24 (f32), 2^-8 (bf16), 2^-11 (f16); 0 for integers.
double unitRoundoff(DType dtype);

/// The largest relative error that compiled code may have: 1.5 times eager's, and at least four roundings of
/// the output's own type and sqrt(longestSum) / 2 of float32. Integers have neither floor. Eager and compiled
/// sum in different orders, so that the ratio of two errors near that says nothing: an output whose eager
/// result happens to be exact would otherwise forbid any other order. Four: one rounding each for storing the
/// result, for its two operands, and for one change in the order of sums. sqrt(K) / 2: by so many roundings a
/// float32 sum of K terms in random order is off, about; 14 for the K = 768 of the smallest preset.
/// `longestSum` is K: terms of the compiled plan's longest product; attention and reductions are not counted.
double errorBound(DType dtype, const Difference &eager, int64_t longestSum);

/// Whether compiled passes against eager: nothing misplaced, and an error within the bound.
bool passes(DType dtype, const Difference &eager, const Difference &compiled, int64_t longestSum);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_COMPARE_H
