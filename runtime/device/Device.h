//===- Device.h - What an executor asks of a device -------------*- C++ -*-===//
//
// One interface for CPU and CUDA. All work goes to one in-order stream of the device; launch, product, copy
// and fill only enqueue, `synchronize` waits. A device loads each kernel of a plan once.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_DEVICE_DEVICE_H
#define HEDDLE_RUNTIME_DEVICE_DEVICE_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// The kernels of one plan, loaded on a device; index as in Plan::kernels. Owned by the executor.
class LoadedKernels {
public:
  virtual ~LoadedKernels() = default;
};

/// A recorded sequence of steps that replays as one (a CUDA graph).
class Recording {
public:
  virtual ~Recording() = default;
};

struct MemoryInfo {
  int64_t free = 0, total = 0;
};

/// Time on the device of one step, in milliseconds.
struct StepTime {
  int32_t step = 0;
  double ms = 0;
  /// Kernels, copies and fills that the device ran for it (a product may take several); 1 where only the step
  /// was timed.
  int32_t kernels = 1;
};

class Device {
public:
  virtual ~Device() = default;

  virtual std::string kind() const = 0;   ///< "cpu" or "cuda", as Plan::device.
  virtual std::string name() const = 0;   ///< "NVIDIA H200", or the processor's own name.
  virtual std::string target() const = 0; ///< Best target: "sm_90a", "x86-64-v4".
  /// Whether code made for `target` runs here.
  virtual bool supports(const std::string &target) const = 0;

  /// Memory aligned to at least 256 bytes. OutOfMemory gives the bytes wanted and free.
  virtual StatusOr<void *> allocate(int64_t bytes) = 0;
  virtual void release(void *memory) = 0;
  virtual StatusOr<MemoryInfo> memoryInfo() = 0;

  virtual Status upload(void *destination, const void *source, int64_t bytes) = 0;
  virtual Status download(void *destination, const void *source, int64_t bytes) = 0;
  virtual Status copy(void *destination, const void *source, int64_t bytes) = 0;
  /// Sets every byte.
  virtual Status fill(void *destination, uint8_t value, int64_t bytes) = 0;
  /// Fills `count` elements from the counter-based generator (runtime/base/Random.h): same bits on every
  /// device.
  virtual Status generate(void *destination, DType dtype, int64_t count, InitKind kind, double scale,
                          uint64_t seed, uint64_t stream) = 0;
  /// Converts `count` elements in this device's memory, from one of F32, BF16, F16 into another or the same,
  /// by the rules of runtime/base/Convert.h: same bits on every device. The two places do not overlap.
  /// Internal for other types.
  virtual Status convert(void *destination, DType to, const void *source, DType from, int64_t count) = 0;
  /// Puts a rows x columns matrix of `dtype` into panels of `panel` rows (runtime/plan/Panels.h), in place.
  /// Unavailable on devices whose plans have none.
  virtual Status packPanels(void * /*data*/, DType /*dtype*/, int64_t /*rows*/, int64_t /*columns*/,
                            int64_t /*panel*/) {
    return unavailable("device " + kind() + " stores no parameters in panels");
  }
  virtual Status synchronize() = 0;

  virtual StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &plan) = 0;
  /// What a device prepares for launches at these addresses: the table of a batched one. Wanted before a
  /// recording; a launch at other addresses than those of the last call prepares anew by itself, which no
  /// recording can hold. `launch` is of the plan that was loaded and stays where it is.
  virtual Status bind(LoadedKernels & /*kernels*/, const Launch & /*launch*/,
                      std::span<void *const> /*buffers*/) {
    return Status::ok();
  }
  /// `buffers` are the addresses for launch.buffers, in order, byte offsets applied.
  virtual Status launch(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) = 0;

  /// Addresses of a product's operands, byte offsets applied; null where absent.
  struct ProductAddresses {
    const void *a = nullptr, *b = nullptr, *c = nullptr, *bias = nullptr;
    void *d = nullptr;
    void *workspace = nullptr;
    int64_t workspaceBytes = 0;
  };
  virtual Status product(const Product &product, const ProductAddresses &addresses) = 0;

  /// Between beginRecording and endRecording, enqueued work is recorded and not run. A device that cannot
  /// record returns Unavailable.
  virtual Status beginRecording() = 0;
  virtual StatusOr<std::unique_ptr<Recording>> endRecording() = 0;
  virtual Status replay(Recording &recording) = 0;

  /// Time on the device alone. startProfile, then work labelled by markStep, then stopProfile.
  virtual Status startProfile() = 0;
  virtual void markStep(int32_t step) = 0;
  virtual StatusOr<std::vector<StepTime>> stopProfile() = 0;
  /// What limits the last profile's meaning (gaps counted as work, say); empty when the times are of the work
  /// alone. To be shown beside the times.
  virtual std::string profileNote() const { return {}; }
};

/// The CPU with `threads` workers (0: all cores).
StatusOr<std::unique_ptr<Device>> createCpuDevice(int threads = 0);
/// CUDA device `index`. Unavailable says which library or driver was not found and where it was looked for.
StatusOr<std::unique_ptr<Device>> createCudaDevice(int index = 0);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_DEVICE_H
