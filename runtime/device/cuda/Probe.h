//===- Probe.h - What a machine has for CUDA --------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_PROBE_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_PROBE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace heddle::runtime {

/// A library that is loaded while running.
struct LibraryProbe {
  std::string name;    ///< "CUDA driver", "NVRTC", "cuBLASLt", "CUPTI".
  std::string purpose; ///< What does not work without it.
  bool found = false;
  std::string path, version; ///< Where found.
  std::string problem;       ///< Where not: the error, with what was tried.
};

struct GpuProbe {
  int32_t index = 0;
  std::string name;
  std::string target; ///< "sm_90a".
  int64_t freeBytes = 0, totalBytes = 0;
  std::string problem; ///< Why it is not usable; empty when it is.
};

struct CudaProbe {
  std::vector<LibraryProbe> libraries;
  std::vector<GpuProbe> gpus;
};

/// Major and minor compute capability of a GPU, without a context on it; Unavailable where there is none.
StatusOr<std::pair<int, int>> computeCapability(int32_t index = 0);

/// Loads what there is, makes a context on each GPU for its free memory, and never fails.
CudaProbe probeCuda();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_PROBE_H
