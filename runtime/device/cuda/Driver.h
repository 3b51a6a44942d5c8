//===- Driver.h - The CUDA driver, loaded while running ---------*- C++ -*-===//
//
// A table of typed pointers to the driver's functions. Only files of this folder include it, and only where
// the CUDA headers were found. A call is written `driver.cuMemAlloc(…)`: the members go by the names of
// cuda.h, whose macros give them and the symbols the same version suffix.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_DRIVER_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_DRIVER_H

#include "runtime/base/Status.h"

#include <cuda.h>
#include <string>

namespace heddle::runtime {

#define HEDDLE_DRIVER_FUNCTIONS(X)                                                                           \
  X(cuInit)                                                                                                  \
  X(cuDriverGetVersion)                                                                                      \
  X(cuGetErrorName)                                                                                          \
  X(cuGetErrorString)                                                                                        \
  X(cuDeviceGetCount)                                                                                        \
  X(cuDeviceGet)                                                                                             \
  X(cuDeviceGetName)                                                                                         \
  X(cuDeviceGetAttribute)                                                                                    \
  X(cuDeviceTotalMem)                                                                                        \
  X(cuDevicePrimaryCtxRetain)                                                                                \
  X(cuDevicePrimaryCtxRelease)                                                                               \
  X(cuCtxSetCurrent)                                                                                         \
  X(cuMemGetInfo)                                                                                            \
  X(cuMemAlloc)                                                                                              \
  X(cuMemFree)                                                                                               \
  X(cuMemcpyHtoDAsync)                                                                                       \
  X(cuMemcpyDtoHAsync)                                                                                       \
  X(cuMemcpyDtoDAsync)                                                                                       \
  X(cuMemsetD8Async)                                                                                         \
  X(cuMemsetD16Async)                                                                                        \
  X(cuMemsetD32Async)                                                                                        \
  X(cuMemsetD2D32Async)                                                                                      \
  X(cuStreamCreate)                                                                                          \
  X(cuStreamDestroy)                                                                                         \
  X(cuStreamSynchronize)                                                                                     \
  X(cuStreamBeginCapture)                                                                                    \
  X(cuStreamEndCapture)                                                                                      \
  X(cuGraphInstantiate)                                                                                      \
  X(cuGraphLaunch)                                                                                           \
  X(cuGraphUpload)                                                                                           \
  X(cuGraphExecDestroy)                                                                                      \
  X(cuGraphDestroy)                                                                                          \
  X(cuModuleLoadData)                                                                                        \
  X(cuModuleUnload)                                                                                          \
  X(cuModuleGetFunction)                                                                                     \
  X(cuFuncSetAttribute)                                                                                      \
  X(cuLaunchKernel)                                                                                          \
  X(cuEventCreate)                                                                                           \
  X(cuEventDestroy)                                                                                          \
  X(cuEventRecord)

class Driver {
public:
  /// The driver, loaded and initialised at the first call. Unavailable says what was not found and where it
  /// was looked for, or why the driver does not start (no device, a driver older than the kernel module).
  static StatusOr<const Driver *> get();

  const std::string &path() const { return path_; }
  /// The CUDA version that the driver supports, as 13000 for 13.0.
  int version() const { return version_; }

  /// "call: CUDA_ERROR_X (text); context" as Unavailable, OutOfMemory or Internal by the error's kind.
  Status failed(const char *call, CUresult result, const std::string &context) const;

#define HEDDLE_MEMBER(name) decltype(&::name) name = nullptr;
  HEDDLE_DRIVER_FUNCTIONS(HEDDLE_MEMBER)
#undef HEDDLE_MEMBER
  /// Declared by hand: cuda.h of CUDA 13 maps the name to a version that drivers before 12.8 lack.
  CUresult (*elapsedTime)(float *ms, CUevent begin, CUevent end) = nullptr;
  /// Null before CUDA 12.0.
  decltype(&::cuTensorMapEncodeTiled) tensorMapEncodeTiled = nullptr;
  /// Null before CUDA 12.4; used to check argument counts.
  CUresult (*funcGetParamInfo)(CUfunction function, size_t index, size_t *offset, size_t *size) = nullptr;
  /// Null before CUDA 12.4; loads a function that the driver would else load at its first launch.
  CUresult (*funcLoad)(CUfunction function) = nullptr;

private:
  Status load();

  std::string path_;
  int version_ = 0;
};

/// Returns from the enclosing function when a driver call fails; `context` is made only then.
#define HEDDLE_RETURN_IF_CUDA_ERROR(driver, name, arguments, context)                                        \
  do {                                                                                                       \
    if (CUresult result_ = (driver).name arguments; result_ != CUDA_SUCCESS)                                 \
      return (driver).failed(#name, result_, context);                                                       \
  } while (false)

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_DRIVER_H
