//===- LearningRate.h - Learning rate by step -------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_LEARNINGRATE_H
#define HEDDLE_RUNTIME_TOOLING_LEARNINGRATE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

enum class Schedule { Constant, Linear, Cosine };
/// "constant", "linear" or "cosine".
const char *nameOf(Schedule schedule);
/// The schedule of that name; nothing for any other.
std::optional<Schedule> parseSchedule(std::string_view name);
/// Every name, in the order of the enum.
std::vector<std::string> scheduleNames();

/// The rate of step t = 0, 1, …, steps - 1:
///   t < warmup:  peak * (t + 1) / warmup          (linear warm-up: Goyal et al., arXiv:1706.02677)
///   constant:    peak
///   linear:      peak * (1 - p)
///   cosine:      peak * (1 + cos(pi * p)) / 2     (Loshchilov and Hutter, arXiv:1608.03983, no restarts)
/// with p = (t - warmup) / (steps - warmup). The first step has a rate above 0, and so has the last.
struct LearningRate {
  Schedule schedule = Schedule::Constant;
  double peak = 1e-3;
  int64_t warmup = 0, steps = 1;

  double at(int64_t step) const;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_LEARNINGRATE_H
