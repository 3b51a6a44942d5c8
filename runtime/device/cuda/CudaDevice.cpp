//===- CudaDevice.cpp - Context, memory, recordings, profiles -------------===//
#include "runtime/device/cuda/CudaDevice.h"

#include "runtime/device/cuda/Target.h"

#include <algorithm>
#include <atomic>

using namespace heddle::runtime;

static CUdeviceptr pointer(const void *address) { return reinterpret_cast<CUdeviceptr>(address); }

static std::string bytesText(int64_t bytes) {
  char text[64];
  std::snprintf(text, sizeof(text), "%lld bytes (%.2f GiB)", static_cast<long long>(bytes),
                double(bytes) / double(int64_t(1) << 30));
  return text;
}

StatusOr<std::unique_ptr<Device>> heddle::runtime::createCudaDevice(int index) {
  HEDDLE_ASSIGN_OR_RETURN(const Driver *driver, Driver::get());
  auto device = std::make_unique<CudaDevice>(*driver);
  if (Status status = device->open(index); !status)
    return std::move(status).with("CUDA device " + std::to_string(index));
  return std::unique_ptr<Device>(std::move(device));
}

Status CudaDevice::open(int index) {
  static std::atomic<uint64_t> nextId{1};
  id_ = nextId++;
  int count = 0;
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuDeviceGetCount, (&count), driver_.path());
  if (index < 0 || index >= count)
    return unavailable("the driver " + driver_.path() + " shows " + std::to_string(count) +
                       " devices (CUDA_VISIBLE_DEVICES can hide some)");
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuDeviceGet, (&device_, index), driver_.path());
  char name[256] = "";
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuDeviceGetName, (name, sizeof(name), device_), driver_.path());
  name_ = name;
  auto attribute = [&](CUdevice_attribute what, int &value) -> Status {
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuDeviceGetAttribute, (&value, what, device_), name_);
    return Status::ok();
  };
  HEDDLE_RETURN_IF_ERROR(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, major_));
  HEDDLE_RETURN_IF_ERROR(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, minor_));
  HEDDLE_RETURN_IF_ERROR(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, processors_));
  if (major_ < 8)
    return unavailable(name_ + " has compute capability " + std::to_string(major_) + "." +
                       std::to_string(minor_) + "; 8.0 or newer is needed");
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuDevicePrimaryCtxRetain, (&context_, device_), name_);
  HEDDLE_RETURN_IF_ERROR(bind());
  // A non-blocking stream does not wait for the legacy default stream, which other code in the process may
  // use.
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuStreamCreate, (&stream_, CU_STREAM_NON_BLOCKING), name_);
  return Status::ok();
}

CudaDevice::~CudaDevice() {
  if (!context_)
    return;
  // On a broken context (after an illegal address) all this fails too, and nothing can be done about it.
  if (bind().isOk()) {
    if (stream_)
      driver_.cuStreamSynchronize(stream_);
    profiler_.reset();
    generators_.reset();
    cublas_.reset();
    if (stream_)
      driver_.cuStreamDestroy(stream_);
  }
  driver_.cuDevicePrimaryCtxRelease(device_);
}

std::string CudaDevice::target() const { return bestCudaTarget(major_, minor_); }

/// Every CUDA plan carries the source of its kernels, so what counts is whether the source can be compiled
/// for this device: `load` takes the cubins where they run here, and compiles where they do not.
bool CudaDevice::supports(const std::string &target) const {
  std::optional<CudaTarget> parsed = parseCudaTarget(target);
  return parsed && sourceRunsOn(*parsed, major_, minor_);
}

StatusOr<void *> CudaDevice::allocate(int64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (bytes < 0)
    return internalError("allocation of " + std::to_string(bytes) + " bytes");
  CUdeviceptr memory = 0;
  CUresult result = driver_.cuMemAlloc(&memory, size_t(std::max<int64_t>(bytes, 1)));
  if (result == CUDA_SUCCESS)
    return reinterpret_cast<void *>(memory);
  std::string context = "wanted " + bytesText(bytes);
  if (StatusOr<MemoryInfo> info = memoryInfo())
    context += ", free " + bytesText(info->free) + " of " + bytesText(info->total) + " on " + name_;
  return driver_.failed("cuMemAlloc", result, context);
}

void CudaDevice::release(void *memory) {
  if (memory && bind().isOk())
    driver_.cuMemFree(pointer(memory));
}

StatusOr<MemoryInfo> CudaDevice::memoryInfo() {
  HEDDLE_RETURN_IF_ERROR(bind());
  size_t free = 0, total = 0;
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemGetInfo, (&free, &total), name_);
  return MemoryInfo{int64_t(free), int64_t(total)};
}

/// Returns when the source may be changed: on systems where the GPU reads pageable memory itself, the copy
/// alone does not promise that.
Status CudaDevice::upload(void *destination, const void *source, int64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (recording_)
    return internalError("an upload cannot be recorded");
  if (bytes > 0)
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemcpyHtoDAsync,
                                (pointer(destination), source, size_t(bytes), stream_),
                                "upload of " + bytesText(bytes));
  return synchronize();
}

/// Returns when the destination is written.
Status CudaDevice::download(void *destination, const void *source, int64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (recording_)
    return internalError("a download cannot be recorded");
  if (bytes > 0)
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemcpyDtoHAsync,
                                (destination, pointer(source), size_t(bytes), stream_),
                                "download of " + bytesText(bytes));
  return synchronize();
}

Status CudaDevice::copy(void *destination, const void *source, int64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (bytes > 0)
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemcpyDtoDAsync,
                                (pointer(destination), pointer(source), size_t(bytes), stream_),
                                "copy of " + bytesText(bytes));
  return Status::ok();
}

Status CudaDevice::fill(void *destination, uint8_t value, int64_t bytes) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (bytes > 0)
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuMemsetD8Async,
                                (pointer(destination), value, size_t(bytes), stream_),
                                "fill of " + bytesText(bytes));
  return Status::ok();
}

Status CudaDevice::synchronize() {
  HEDDLE_RETURN_IF_ERROR(bind());
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuStreamSynchronize, (stream_),
                              "an error here may come from any work enqueued before");
  return Status::ok();
}

StatusOr<Cublas *> CudaDevice::cublas() {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (!cublas_) {
    HEDDLE_ASSIGN_OR_RETURN(cublas_, Cublas::create());
  }
  return cublas_.get();
}

Status CudaDevice::product(const Product &product, const ProductAddresses &addresses) {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (!cublas_)
    HEDDLE_RETURN_IF_ERROR(Status(cublas().status()));
  return cublas_->enqueue(product, addresses, stream_);
}

Status CudaDevice::beginRecording() {
  HEDDLE_RETURN_IF_ERROR(bind());
  // Relaxed: nothing but this stream is recorded, and libraries may still load their kernels meanwhile.
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuStreamBeginCapture, (stream_, CU_STREAM_CAPTURE_MODE_RELAXED),
                              name_);
  recording_ = true;
  return Status::ok();
}

StatusOr<std::unique_ptr<Recording>> CudaDevice::endRecording() {
  HEDDLE_RETURN_IF_ERROR(bind());
  if (!recording_)
    return internalError("endRecording without beginRecording");
  recording_ = false;
  CUgraph graph = nullptr;
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuStreamEndCapture, (stream_, &graph), name_);
  CUgraphExec executable = nullptr;
  CUresult result = driver_.cuGraphInstantiate(&executable, graph, 0);
  driver_.cuGraphDestroy(graph);
  if (result != CUDA_SUCCESS)
    return driver_.failed("cuGraphInstantiate", result, name_);
  auto recording = std::make_unique<CudaRecording>(driver_, executable);
  // So that the first replay does not pay for it.
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuGraphUpload, (executable, stream_), name_);
  return std::unique_ptr<Recording>(std::move(recording));
}

Status CudaDevice::replay(Recording &recording) {
  HEDDLE_RETURN_IF_ERROR(bind());
  HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuGraphLaunch,
                              (static_cast<CudaRecording &>(recording).graph, stream_), name_);
  return Status::ok();
}

Status CudaDevice::startProfile() {
  if (profiling_)
    return internalError("startProfile while a profile is being taken");
  // So that nothing enqueued before is counted.
  HEDDLE_RETURN_IF_ERROR(synchronize());
  if (!profiler_) {
    StatusOr<std::unique_ptr<Profiler>> cupti = createCuptiProfiler();
    profiler_ = cupti ? *std::move(cupti) : createEventProfiler(driver_, stream_, cupti.status().message());
  }
  HEDDLE_RETURN_IF_ERROR(profiler_->start());
  profiling_ = true;
  profileNote_ = profiler_->note();
  return Status::ok();
}

void CudaDevice::markStep(int32_t step) {
  if (profiling_)
    profiler_->mark(step);
}

StatusOr<std::vector<StepTime>> CudaDevice::stopProfile() {
  if (!profiling_)
    return internalError("stopProfile without startProfile");
  // The profiler is stopped even where the work failed.
  Status finished = synchronize();
  profiling_ = false;
  StatusOr<std::vector<StepTime>> times = profiler_->stop();
  HEDDLE_RETURN_IF_ERROR(std::move(finished));
  return times;
}
