//===- Executor.h - Runs a plan on a device ---------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H
#define HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/device/Device.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

enum class ExecutorKind {
  Eager,      ///< Each scratch buffer from a caching allocator, freed after its last use; one step at a time.
  Sequential, ///< Buffers at their planned places, one step at a time.
  Graph,      ///< As Sequential, recorded once and replayed.
};

struct ExecutorOptions {
  ExecutorKind kind = ExecutorKind::Sequential;
  uint64_t seed = 0;
  /// Fill scratch memory with NaN before every run: shows reads of what nobody wrote.
  bool poison = false;
};

struct ExecutorStats {
  int64_t peakBytes = 0;      ///< Parameters, inputs, outputs, constants, arena or allocator peak.
  int64_t workspaceBytes = 0; ///< Product library workspace; not in peakBytes.
  int64_t kernelsPerRun = 0;  ///< Launches, products and copies of one run.
};

/// Gives the values of one tensor of the state dict as float32 or as the buffer's own type; returns false to
/// let the generator draw it.
using ParameterSource =
    std::function<StatusOr<bool>(const ParameterPart &part, DType dtype, std::span<uint8_t> destination)>;

class Executor {
public:
  virtual ~Executor() = default;

  /// Allocates, loads kernels, fills parameters, runs the Init steps. The plan must outlive the executor.
  static StatusOr<std::unique_ptr<Executor>> create(Device &device, const Plan &plan,
                                                    const ExecutorOptions &options,
                                                    const ParameterSource &parameters = nullptr);

  /// `data` must have the input's dtype and exactly its bytes.
  virtual Status setInput(const std::string &name, std::span<const uint8_t> data) = 0;
  /// Enqueues one run of the Forward, Backward and Optimizer steps.
  virtual Status run() = 0;
  virtual Status synchronize() = 0;
  virtual StatusOr<std::vector<uint8_t>> output(const std::string &name) = 0;
  /// The current values of a parameter's part, in the buffer's dtype.
  virtual StatusOr<std::vector<uint8_t>> parameter(const std::string &partName) = 0;
  /// One run, timed step by step on the device.
  virtual StatusOr<std::vector<StepTime>> profile() = 0;
  virtual ExecutorStats stats() const = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H
