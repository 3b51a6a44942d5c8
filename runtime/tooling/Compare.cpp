//===- Compare.cpp - A result against the float64 reference ---------------===//
#include "runtime/tooling/Compare.h"

#include "runtime/base/Convert.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heddle::runtime {
namespace {

/// Euclidean norm that neither overflows nor underflows: the sum is kept in units of the largest magnitude so
/// far.
class Norm {
public:
  void add(double value) {
    double magnitude = std::fabs(value);
    if (magnitude == 0)
      return;
    if (magnitude > largest_) {
      double ratio = largest_ / magnitude;
      sum_ = 1 + sum_ * ratio * ratio;
      largest_ = magnitude;
    } else {
      double ratio = magnitude / largest_;
      sum_ += ratio * ratio;
    }
  }
  double value() const { return largest_ * std::sqrt(sum_); }

private:
  double largest_ = 0, sum_ = 0;
};

} // namespace

StatusOr<Difference> compare(DType dtype, std::span<const uint8_t> result,
                             std::span<const double> reference) {
  int64_t count = static_cast<int64_t>(result.size()) / sizeOf(dtype);
  if (count != static_cast<int64_t>(reference.size()))
    return invalidInput("the result has " + std::to_string(count) + " elements, the reference " +
                        std::to_string(reference.size()));
  Difference difference;
  Norm referenceNorm, squareNorm, errorNorm;
  // In pieces: an output of logits has tens of millions of elements.
  constexpr int64_t kPiece = 1 << 16;
  std::vector<double> piece(std::min(count, kPiece));
  for (int64_t begin = 0; begin < count; begin += kPiece) {
    int64_t size = std::min(kPiece, count - begin);
    widenToF64(dtype, result.data() + begin * sizeOf(dtype), piece.data(), size);
    for (int64_t i = 0; i < size; ++i) {
      double found = piece[i], wanted = reference[begin + i];
      if (std::isfinite(wanted)) {
        referenceNorm.add(wanted);
        squareNorm.add(wanted * wanted);
      }
      if (std::isfinite(wanted) && std::isfinite(found)) {
        ++difference.compared;
        errorNorm.add(found - wanted);
        difference.maxAbs = std::max(difference.maxAbs, std::fabs(found - wanted));
      } else if (std::isnan(found) && std::isnan(wanted)) {
        ++difference.bothNaN;
      } else if (found != wanted) {
        ++difference.misplaced;
      }
    }
  }
  difference.referenceNorm = referenceNorm.value();
  // Squares below float64's range are none; then so is the ratio.
  if (double ratio = referenceNorm.value() * referenceNorm.value() / squareNorm.value(); std::isfinite(ratio))
    difference.carriers = ratio * ratio;
  difference.errorNorm = errorNorm.value();
  return difference;
}

double unitRoundoff(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return 0x1p-24;
  case DType::BF16:
    return 0x1p-8;
  case DType::F16:
    return 0x1p-11;
  case DType::I32:
  case DType::I64:
  case DType::Bool:
  case DType::U8:
    return 0;
  }
  return 0;
}

double movedScale(double change, int64_t elements, double gradientError, bool zeroGradient) {
  auto all = static_cast<double>(elements);
  double unsure = zeroGradient ? all : std::min(all, 4 * gradientError * all + 4);
  return 2 * change * std::sqrt(unsure);
}

double squaresScale(double roundoff, double largest) { return 16 * roundoff * roundoff * largest; }

bool isZeroGradient(double norm, double largest) {
  return norm <= 1e-10 * largest; // Far above what float64's own rounding leaves.
}

double errorBound(DType dtype, const Difference &eager, const ErrorScale &scale) {
  constexpr double kFew = 64;
  double own = unitRoundoff(dtype);
  if (own == 0)
    return 1.5 * eager.relative(); // Integers have no rounding.
  if (scale.gradients > 0 && isZeroGradient(eager.referenceNorm, scale.gradients)) {
    double absolute = std::max(1.5 * eager.errorNorm, 4 * std::max(own, scale.roundoff) * scale.gradients);
    return eager.referenceNorm > 0 ? absolute / eager.referenceNorm : absolute;
  }
  double sums = std::sqrt(static_cast<double>(scale.longestSum)) / 2 * unitRoundoff(DType::F32);
  double few =
      eager.carriers > 0 && eager.carriers < kFew ? std::max(3 * eager.relative(), scale.roundoff) : 0;
  double moved = eager.referenceNorm > 0 ? scale.moved / eager.referenceNorm : scale.moved;
  return std::max({1.5 * eager.relative(), 4 * own, sums, few, moved});
}

bool passes(DType dtype, const Difference &eager, const Difference &compiled, const ErrorScale &scale) {
  return compiled.misplaced == 0 && compiled.relative() <= errorBound(dtype, eager, scale);
}

} // namespace heddle::runtime
