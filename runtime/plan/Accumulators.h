//===- Accumulators.h - States in which gradients add up --------*- C++ -*-===//
//
// Their names, which whoever runs a plan of mode accumulate sets and leaves out by. What they mean:
// compiler/Autodiff/GradientSums.h.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_ACCUMULATORS_H
#define HEDDLE_RUNTIME_PLAN_ACCUMULATORS_H

#include <string>

namespace heddle::runtime {

constexpr const char *kKeepSums = "accumulate.keep", *kRunWeight = "accumulate.weight",
                     *kGradientSum = "accumulate.sum.";

/// Whether a state holds something only between the runs of one step: no checkpoint has it. The prefix is
/// kAccumulatorPrefix of the graph dialect, which keeps it from other states.
inline bool isAccumulator(const std::string &state) { return state.starts_with("accumulate."); }

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_ACCUMULATORS_H
