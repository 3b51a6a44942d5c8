//===- LearningRate.cpp - Learning rate by step ---------------------------===//
#include "runtime/tooling/LearningRate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle::runtime {

double LearningRate::at(int64_t step) const {
  if (step < warmup)
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  if (schedule == "constant")
    return peak;
  // Behind the last step the rate stays where it ended.
  double progress = std::min(1.0, static_cast<double>(step - warmup) /
                                      static_cast<double>(std::max<int64_t>(1, steps - warmup)));
  return schedule == "linear" ? peak * (1.0 - progress)
                              : peak * (1.0 + std::cos(std::numbers::pi * progress)) / 2.0;
}

} // namespace heddle::runtime
