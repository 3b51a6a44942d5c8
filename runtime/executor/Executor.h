//===- Executor.h - Runs a plan on a device ---------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H
#define HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H

#include "runtime/device/Device.h"

#include <functional>
#include <memory>
#include <optional>
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

/// Values of one tensor of the state dict as they are stored. They go to the device as they are and are
/// converted there: f32, bf16 and f16 into whichever of them the buffer has; any other type must be the
/// buffer's own.
struct StoredValues {
  DType dtype = DType::F32;
  /// Fills the bytes from `byteOffset` on; asked in pieces, in order.
  std::function<Status(int64_t byteOffset, std::span<uint8_t> destination)> read;
};

/// Where a part's values come from; nothing lets the generator draw them.
using ParameterSource = std::function<StatusOr<std::optional<StoredValues>>(const ParameterPart &part)>;

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
  /// The same without the Optimizer steps: gradients are added to those of earlier runs, where the plan is of
  /// mode accumulate. Outputs that the optimizer computes have no value then.
  virtual Status runWithoutOptimizer() = 0;
  virtual Status synchronize() = 0;
  virtual StatusOr<std::vector<uint8_t>> output(const std::string &name) = 0;
  /// The current values of a part of a parameter or a state, in the buffer's dtype.
  virtual StatusOr<std::vector<uint8_t>> parameter(const std::string &partName) = 0;
  /// Gives it other values, exactly its bytes in the buffer's dtype: an optimizer's learning rate, or what
  /// was saved. Where it is a parameter's, the next run begins with the Init steps. InvalidInput for
  /// parameters in panels, which are those of forward plans.
  virtual Status setParameter(const std::string &partName, std::span<const uint8_t> data) = 0;
  /// One run, timed step by step on the device.
  virtual StatusOr<std::vector<StepTime>> profile() = 0;
  virtual ExecutorStats stats() const = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_EXECUTOR_H
