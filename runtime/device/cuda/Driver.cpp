//===- Driver.cpp - The CUDA driver, loaded while running -----------------===//
#include "runtime/device/cuda/Driver.h"

#include "runtime/base/DynamicLibrary.h"

using namespace heddle::runtime;

Status Driver::failed(const char *call, CUresult result, const std::string &context) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &text);
  std::string message =
      std::string(call) + ": " + (name ? name : "CUDA error " + std::to_string(int(result))) +
      (text ? " (" + std::string(text) + ")" : "") + (context.empty() ? "" : "; " + context);
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return outOfMemory(std::move(message));
  // The machine's state, not Heddle's doing.
  case CUDA_ERROR_NO_DEVICE:
  case CUDA_ERROR_INVALID_DEVICE:
  case CUDA_ERROR_DEVICE_UNAVAILABLE:
  case CUDA_ERROR_SYSTEM_NOT_READY:
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
  case CUDA_ERROR_OPERATING_SYSTEM:
  case CUDA_ERROR_STUB_LIBRARY:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NOT_SUPPORTED:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return unavailable(std::move(message));
  default:
    return internalError(std::move(message));
  }
}

Status Driver::load() {
  // The driver comes with the kernel module and never with the toolkit, whose folders hold at most a stub of
  // it.
  HEDDLE_ASSIGN_OR_RETURN(DynamicLibrary library,
                          DynamicLibrary::open({"libcuda.so.1"}, {"/usr/lib/wsl/lib"}));
  path_ = library.path();
#define HEDDLE_TEXT_(name) #name
#define HEDDLE_TEXT(name) HEDDLE_TEXT_(name)
#define HEDDLE_BIND(name) HEDDLE_RETURN_IF_ERROR(library.bind(HEDDLE_TEXT(name), name));
  HEDDLE_DRIVER_FUNCTIONS(HEDDLE_BIND)
#undef HEDDLE_BIND
  HEDDLE_RETURN_IF_ERROR(library.bind("cuEventElapsedTime", elapsedTime));
  tensorMapEncodeTiled =
      reinterpret_cast<decltype(tensorMapEncodeTiled)>(library.find("cuTensorMapEncodeTiled"));
  funcGetParamInfo = reinterpret_cast<decltype(funcGetParamInfo)>(library.find("cuFuncGetParamInfo"));
  funcLoad = reinterpret_cast<decltype(funcLoad)>(library.find("cuFuncLoad"));
  HEDDLE_RETURN_IF_CUDA_ERROR(*this, cuInit, (0), path_);
  HEDDLE_RETURN_IF_CUDA_ERROR(*this, cuDriverGetVersion, (&version_), path_);
  return Status::ok();
}

StatusOr<const Driver *> Driver::get() {
  static Driver driver;
  static Status loaded = driver.load();
  if (!loaded)
    return Status(loaded).with("the CUDA driver");
  return static_cast<const Driver *>(&driver);
}
