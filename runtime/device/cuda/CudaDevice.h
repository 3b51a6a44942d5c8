//===- CudaDevice.h - A CUDA device -----------------------------*- C++ -*-===//
//
// The implementation of runtime/device/Device.h; only files of this folder include it. The device's primary
// context is used, so that it can be shared with other users of the GPU in the process, and one stream of its
// own.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_CUDADEVICE_H

#include "runtime/device/Device.h"
#include "runtime/device/cuda/Driver.h"
#include "runtime/device/cuda/Profiler.h"
#include "runtime/product/Cublas.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::runtime {

/// One kernel as launches need it.
struct CudaFunction {
  CUfunction function = nullptr;
  unsigned threads = 0, sharedBytes = 0;
  int32_t parameters = -1; ///< -1 where the driver does not tell.
};

class CudaKernels final : public LoadedKernels {
public:
  explicit CudaKernels(const Driver &driver) : driver_(driver) {}
  ~CudaKernels() override;

  /// Loads a cubin and finds its entry point.
  Status add(const Kernel &kernel, const std::vector<uint8_t> &cubin);

  /// The tensor maps of a launch of the plan that was loaded, encoded for these addresses. They are kept by
  /// launch: a plan's buffers stay where they are, but for those of the eager pipeline.
  StatusOr<std::span<CUtensorMap>> maps(const Launch &launch, std::span<void *const> buffers);

  /// The table of a batched launch (runtime/plan/InstanceTable.h) in the device's memory, written for these
  /// addresses by way of `device`, which owns these kernels, unless it was already. It lives as long as they
  /// do, and is no more a part of a plan's peak than their code.
  StatusOr<void *> table(Device &device, const Launch &launch, std::span<void *const> buffers);

  std::vector<CudaFunction> functions; ///< As Plan::kernels.
  std::vector<std::string> names;      ///< For messages.

private:
  struct EncodedMaps {
    std::vector<void *> addresses; ///< That the maps were made for.
    std::vector<CUtensorMap> maps;
  };

  struct BoundTable {
    std::vector<void *> addresses; ///< That the table was written for.
    CUdeviceptr memory = 0;
  };

  std::unordered_map<const Launch *, EncodedMaps> encoded_;
  std::unordered_map<const Launch *, BoundTable> tables_;
  const Driver &driver_;
  std::vector<CUmodule> modules_;
};

class CudaRecording final : public Recording {
public:
  CudaRecording(const Driver &driver, CUgraphExec graph) : driver_(driver), graph(graph) {}
  ~CudaRecording() override { driver_.cuGraphExecDestroy(graph); }

private:
  const Driver &driver_;

public:
  const CUgraphExec graph;
};

class CudaDevice final : public Device {
public:
  explicit CudaDevice(const Driver &driver) : driver_(driver) {}
  ~CudaDevice() override;
  Status open(int index);

  std::string kind() const override { return "cuda"; }
  std::string name() const override { return name_; }
  std::string target() const override;
  bool supports(const std::string &target) const override;

  StatusOr<void *> allocate(int64_t bytes) override;
  void release(void *memory) override;
  StatusOr<MemoryInfo> memoryInfo() override;

  Status upload(void *destination, const void *source, int64_t bytes) override;
  Status download(void *destination, const void *source, int64_t bytes) override;
  Status copy(void *destination, const void *source, int64_t bytes) override;
  Status fill(void *destination, uint8_t value, int64_t bytes) override;
  Status generate(void *destination, DType dtype, int64_t count, InitKind kind, double scale, uint64_t seed,
                  uint64_t stream) override;
  Status convert(void *destination, DType to, const void *source, DType from, int64_t count) override;
  Status synchronize() override;

  StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &plan) override;
  Status bind(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) override;
  Status launch(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) override;
  Status product(const Product &product, const ProductAddresses &addresses) override;

  Status beginRecording() override;
  StatusOr<std::unique_ptr<Recording>> endRecording() override;
  Status replay(Recording &recording) override;

  Status startProfile() override;
  void markStep(int32_t step) override;
  StatusOr<std::vector<StepTime>> stopProfile() override;
  std::string profileNote() const override { return profileNote_; }

  /// The product library, loaded at the first call.
  StatusOr<Cublas *> cublas();
  const Driver &driver() const { return driver_; }
  CUstream stream() const { return stream_; }
  CUdevice handle() const { return device_; }

private:
  /// Makes the context current on the calling thread; free when it is already.
  Status bind() {
    thread_local uint64_t bound = 0;
    if (bound == id_)
      return Status::ok();
    HEDDLE_RETURN_IF_CUDA_ERROR(driver_, cuCtxSetCurrent, (context_), name_);
    bound = id_;
    return Status::ok();
  }
  Status fillConstant(CUdeviceptr destination, DType dtype, int64_t count, double value);
  /// Fills `kernels`, unless it has been already, with the entries of a file of device code that travels
  /// inside the program: compiled, or from the cache. `context` is what an error is about.
  Status loadEmbedded(std::unique_ptr<CudaKernels> &kernels, const char *name, const char *source,
                      std::span<const char *const> entries, const char *context);
  /// Blocks of kEmbeddedThreads threads that fill the device, for a kernel that loops over the rest.
  unsigned blocksFor(int64_t count) const;

  const Driver &driver_;
  uint64_t id_ = 0; ///< Unique in the process, unlike context handles, which may come back.
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::string name_;
  int major_ = 0, minor_ = 0, processors_ = 0;
  bool recording_ = false;
  std::unique_ptr<CudaKernels> generators_, converters_;
  std::unique_ptr<Cublas> cublas_;
  std::unique_ptr<Profiler> profiler_;
  bool profiling_ = false;
  std::string profileNote_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_CUDADEVICE_H
