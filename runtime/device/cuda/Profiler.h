//===- Profiler.h - Time on the device, step by step ------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_PROFILER_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_PROFILER_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/Driver.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Measures the work that is enqueued between `start` and `stop`, by the step that was marked last.
class Profiler {
public:
  virtual ~Profiler() = default;
  virtual Status start() = 0;
  virtual void mark(int32_t step) = 0;
  /// Called with the stream idle. Steps in ascending order, each once. Step -1 holds work that was enqueued
  /// before the first mark or could not be attributed.
  virtual StatusOr<std::vector<StepTime>> stop() = 0;
  /// How the times were taken, where that limits what they mean; else empty.
  virtual std::string note() const = 0;
};

/// By CUPTI's activity records: the duration of every kernel, copy and fill, without the gaps between them.
/// Unavailable where the library is not there or does not start (a restricted driver, another profiler).
StatusOr<std::unique_ptr<Profiler>> createCuptiProfiler();

struct CuptiLibrary {
  std::string path, version;
};
/// The library that createCuptiProfiler uses; loads it, and needs no GPU.
StatusOr<CuptiLibrary> cuptiLibrary();

/// By events around each step: gaps within a step count as busy, and a step shorter than its enqueueing is
/// overstated. `reason` says why CUPTI is not used.
std::unique_ptr<Profiler> createEventProfiler(const Driver &driver, CUstream stream, std::string reason);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_PROFILER_H
