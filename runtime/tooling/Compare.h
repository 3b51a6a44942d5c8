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
  /// How many elements carry the reference's norm: (sum of squares)^2 / sum of fourth powers. All, where they
  /// are of one size.
  double carriers = 0;
  /// ||result - reference|| / ||reference||; the absolute norm where the reference is zero.
  double relative() const { return referenceNorm > 0 ? errorNorm / referenceNorm : errorNorm; }
};

/// InvalidInput when the result has another number of elements than the reference.
StatusOr<Difference> compare(DType dtype, std::span<const uint8_t> result, std::span<const double> reference);

/// Half the distance from 1 to the next number: 2^-24 (f32), 2^-8 (bf16), 2^-11 (f16); 0 for integers.
double unitRoundoff(DType dtype);

/// What the errors of a plan's results are measured with.
struct ErrorScale {
  /// Terms of the compiled plan's longest product; attention and reductions are not counted.
  int64_t longestSum = 0;
  /// unitRoundoff of the coarsest type that values on the way to the result are rounded to: bf16 in autocast
  /// or in a graph that casts to it, whatever the result's own type is.
  double roundoff = 0;
  /// Euclidean norm of the reference's largest gradient; 0 where the result is no gradient.
  double gradients = 0;
  /// For a weight that an optimizer step moved, and for the second moment of a gradient that is zero by
  /// algebra: an absolute error that says nothing; else 0.
  double moved = 0;
};

/// Whether a gradient of this norm in float64 is zero by algebra, beside the largest one.
bool isZeroGradient(double norm, double largest);

/// ErrorScale::moved of a weight of `elements` elements when a step of AdamW moves each by about `change`.
/// `gradientError` is the relative error of its gradient. AdamW divides by the gradient's own size: an
/// element whose gradient is within its error of 0 moves by a whole `change` this way or that, and is off by
/// 2 * change at most. Four times the error makes a share of about as much of all elements such, and four
/// more by chance; all are where the gradient is zero by algebra.
double movedScale(double change, int64_t elements, double gradientError, bool zeroGradient);

/// ErrorScale::moved of the second moment of a gradient that is zero by algebra: that gradient may be four
/// roundings of the largest one (errorBound), and this is made of its squares. `largest` is the norm of the
/// largest second moment.
double squaresScale(double roundoff, double largest);

/// The largest relative error that compiled code may have: 1.5 times eager's, and at least four roundings of
/// the output's own type and sqrt(longestSum) / 2 of float32. Integers have neither floor. Eager and compiled
/// sum in different orders, so that the ratio of two errors near that says nothing: an output whose eager
/// result happens to be exact would otherwise forbid any other order. Four: one rounding each for storing the
/// result, for its two operands, and for one change in the order of sums. sqrt(K) / 2: by so many roundings a
/// float32 sum of K terms in random order is off, about; 14 for the K = 768 of the smallest preset.
///
/// The error of a few elements is a draw, near 0 by luck: with n elements the ratio of two such errors is
/// above 1.5 in 37 % of all cases for n = 1, 6 % for 16, below 0.1 % for 64. Where fewer than 64 elements
/// carry the norm (a loss, a short vector, squares of gradients) three times eager's error is allowed, and
/// one rounding of `roundoff`.
///
/// A gradient that is zero by algebra (of a key's bias: softmax does not see what all scores of a row share)
/// is 1e-10 of the largest gradient or less in float64, and noise in any other type: what is left of terms
/// that cancel out. Those are as large as those of other gradients, so that it is judged by four roundings of
/// the largest gradient's norm.
double errorBound(DType dtype, const Difference &eager, const ErrorScale &scale);

/// Whether compiled passes against eager: nothing misplaced, and an error within the bound.
bool passes(DType dtype, const Difference &eager, const Difference &compiled, const ErrorScale &scale);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_COMPARE_H
