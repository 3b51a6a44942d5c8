//===- Parameters.h - Fills the buffers that a plan starts from -*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_EXECUTOR_PARAMETERS_H
#define HEDDLE_RUNTIME_EXECUTOR_PARAMETERS_H

#include "runtime/executor/Executor.h"

namespace heddle::runtime {

/// Gives parameters their values (from `source`, else by Device::generate, part by part; what no part covers
/// is zero; then panels are formed where the buffer has them), uploads constants and sets states and inputs
/// to zero. `addresses` are those of the plan's buffers; what is null is left alone.
Status fillBuffers(Device &device, const Plan &plan, std::span<char *const> addresses, uint64_t seed,
                   const ParameterSource &source);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_PARAMETERS_H
