//===- Execution.h - Devices, executors, inputs and outputs -----*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_EXECUTION_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_EXECUTION_H

#include "runtime/executor/Executor.h"
#include "runtime/tooling/HostTensor.h"
#include "tools/heddle/Support/Flags.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace heddle::driver {

/// The device that `plan`, made of or read from the model of `flags`, runs on. Unavailable says what asked
/// for it and what would run here.
runtime::StatusOr<std::unique_ptr<runtime::Device>> openDevice(const ModelFlags &flags,
                                                               const runtime::Plan &plan);

/// The executor that a plan is made for: eager plans run eagerly; compiled ones as `executor` says
/// (sequential, graph), where empty means graph on a GPU and sequential on a CPU.
runtime::StatusOr<runtime::ExecutorKind> executorFor(const runtime::Plan &plan, const std::string &executor);

/// The name of a kind as flags spell it: eager, sequential, graph.
std::string nameOf(runtime::ExecutorKind kind);

using Tensors = std::map<std::string, runtime::HostTensor>;

/// Random values for every input of the plan.
runtime::StatusOr<Tensors> randomInputs(const runtime::Plan &plan, uint64_t seed);

/// Checks one input against the plan: dtype, shape and, for indices, their range; InvalidInput names the
/// first bad one.
runtime::Status checkInput(const runtime::Buffer &input, const runtime::HostTensor &tensor);

/// Gives the executor every input of the plan; int64 values for an int32 input are narrowed where all fit.
/// InvalidInput lists the inputs that are missing or unknown, each with its type and shape.
runtime::Status setInputs(runtime::Executor &executor, const runtime::Plan &plan, const Tensors &inputs);

/// Reads every output.
runtime::StatusOr<Tensors> readOutputs(runtime::Executor &executor, const runtime::Plan &plan);
/// Reads every part of parameters and states.
runtime::StatusOr<Tensors> readState(runtime::Executor &executor, const runtime::Plan &plan);

/// Adds to an OutOfMemory error what the plan needs in all, known before anything ran.
runtime::Status withPlannedPeak(runtime::Status status, const runtime::Plan &plan);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_EXECUTION_H
