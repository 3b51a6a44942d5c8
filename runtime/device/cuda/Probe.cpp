//===- Probe.cpp - What a machine has for CUDA ----------------------------===//
#include "runtime/device/cuda/Probe.h"

#include "runtime/device/Device.h"
#include "runtime/nvrtc/Nvrtc.h"
#include "runtime/product/Cublas.h"

#if HEDDLE_HAVE_CUDA
#include "runtime/device/cuda/Driver.h"
#include "runtime/device/cuda/Profiler.h"
#endif

using namespace heddle::runtime;

static LibraryProbe probe(std::string name, std::string purpose, const Status &status, std::string path = "",
                          std::string version = "") {
  return {std::move(name), std::move(purpose), status.isOk(),
          std::move(path), std::move(version), status.message()};
}

#if HEDDLE_HAVE_CUDA
static LibraryProbe probeDriver() {
  StatusOr<const Driver *> driver = Driver::get();
  const char *purpose = "running on a GPU";
  if (!driver)
    return probe("CUDA driver", purpose, driver.status());
  int version = (*driver)->version();
  return probe("CUDA driver", purpose, Status::ok(), (*driver)->path(),
               std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
}

static LibraryProbe probeCupti() {
  StatusOr<CuptiLibrary> cupti = cuptiLibrary();
  const char *purpose = "device time of each kernel (events are used without it)";
  return cupti ? probe("CUPTI", purpose, Status::ok(), cupti->path, cupti->version)
               : probe("CUPTI", purpose, cupti.status());
}

StatusOr<std::pair<int, int>> heddle::runtime::computeCapability(int32_t index) {
  HEDDLE_ASSIGN_OR_RETURN(const Driver *driver, Driver::get());
  CUdevice device = 0;
  std::string context = "CUDA device " + std::to_string(index);
  HEDDLE_RETURN_IF_CUDA_ERROR(*driver, cuDeviceGet, (&device, index), context);
  std::pair<int, int> found;
  for (auto [what, value] : {std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &found.first},
                             {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &found.second}})
    HEDDLE_RETURN_IF_CUDA_ERROR(*driver, cuDeviceGetAttribute, (value, what, device), context);
  return found;
}

static void probeGpus(std::vector<GpuProbe> &gpus) {
  StatusOr<const Driver *> driver = Driver::get();
  int count = 0;
  if (!driver || (*driver)->cuDeviceGetCount(&count) != CUDA_SUCCESS)
    return;
  for (int index = 0; index < count; ++index) {
    GpuProbe &gpu = gpus.emplace_back();
    gpu.index = index;
    StatusOr<std::unique_ptr<Device>> device = createCudaDevice(index);
    if (!device) {
      gpu.problem = device.status().message();
      continue;
    }
    gpu.name = (*device)->name();
    gpu.target = (*device)->target();
    if (StatusOr<MemoryInfo> memory = (*device)->memoryInfo()) {
      gpu.freeBytes = memory->free;
      gpu.totalBytes = memory->total;
    } else {
      gpu.problem = memory.status().message();
    }
  }
}
#else
static Status builtWithout() { return unavailable("this program was built without the CUDA headers"); }
static LibraryProbe probeDriver() { return probe("CUDA driver", "running on a GPU", builtWithout()); }
static LibraryProbe probeCupti() { return probe("CUPTI", "device time of each kernel", builtWithout()); }
static void probeGpus(std::vector<GpuProbe> &) {}
StatusOr<std::pair<int, int>> heddle::runtime::computeCapability(int32_t) { return builtWithout(); }
#endif

CudaProbe heddle::runtime::probeCuda() {
  CudaProbe result;
  result.libraries.push_back(probeDriver());
  StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
  const char *compiling = "compiling kernels (plans that hold binaries for this GPU run without it)";
  result.libraries.push_back(
      nvrtc ? probe("NVRTC", compiling, Status::ok(), (*nvrtc)->path(), (*nvrtc)->version())
            : probe("NVRTC", compiling, nvrtc.status()));
  StatusOr<Cublas::Library> cublas = Cublas::library();
  result.libraries.push_back(
      cublas ? probe("cuBLASLt", "matrix products", Status::ok(), cublas->path, cublas->version)
             : probe("cuBLASLt", "matrix products", cublas.status()));
  result.libraries.push_back(probeCupti());
  probeGpus(result.gpus);
  return result;
}
