//===- LearningRate.cpp - Learning rate by step ---------------------------===//
#include "runtime/tooling/LearningRate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle::runtime {

static constexpr Schedule kSchedules[] = {Schedule::Constant, Schedule::Linear, Schedule::Cosine};

const char *nameOf(Schedule schedule) {
  switch (schedule) {
  case Schedule::Constant:
    return "constant";
  case Schedule::Linear:
    return "linear";
  case Schedule::Cosine:
    return "cosine";
  }
  return "";
}

std::optional<Schedule> parseSchedule(std::string_view name) {
  for (Schedule schedule : kSchedules)
    if (name == nameOf(schedule))
      return schedule;
  return std::nullopt;
}

std::vector<std::string> scheduleNames() {
  std::vector<std::string> names;
  for (Schedule schedule : kSchedules)
    names.emplace_back(nameOf(schedule));
  return names;
}

double LearningRate::at(int64_t step) const {
  if (step < warmup)
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  // Behind the last step the rate stays where it ended.
  double progress = std::min(1.0, static_cast<double>(step - warmup) /
                                      static_cast<double>(std::max<int64_t>(1, steps - warmup)));
  switch (schedule) {
  case Schedule::Constant:
    return peak;
  case Schedule::Linear:
    return peak * (1.0 - progress);
  case Schedule::Cosine:
    return peak * (1.0 + std::cos(std::numbers::pi * progress)) / 2.0;
  }
  return 0;
}

} // namespace heddle::runtime
