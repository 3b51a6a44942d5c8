//===- Target.h - Which code runs on which GPU ------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_TARGET_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_TARGET_H

#include <optional>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// "sm_90a" taken apart: compute capability 9.0 and the architecture-specific features.
struct CudaTarget {
  int major = 0, minor = 0;
  /// 0: portable; 'a': this architecture alone; 'f': this major version from this minor one on.
  char suffix = 0;
};

/// Nothing where `text` is not of the form sm_NN, sm_NNa or sm_NNf.
std::optional<CudaTarget> parseCudaTarget(std::string_view text);

/// The best target of a GPU: with the architecture-specific features from 9.0 on, where they exist.
std::string bestCudaTarget(int major, int minor);

/// Whether a cubin made for `target` runs on a GPU of this compute capability: same major version and no
/// newer minor one; cubins never run on another major version.
bool cubinRunsOn(const CudaTarget &target, int major, int minor);

/// Whether source written for `target` compiles for this GPU: portable source for every newer one, suffixed
/// source only where its features are.
bool sourceRunsOn(const CudaTarget &target, int major, int minor);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_TARGET_H
