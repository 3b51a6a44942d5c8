//===- CpuDevice.cpp - The CPU as a device --------------------------------===//
//
// Everything runs when it is enqueued: the stream of this device is the calling thread, which shares each
// piece of work with the pool and returns when it is done.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/ThreadPool.h"
#include "runtime/device/Device.h"
#include "runtime/device/cpu/ElfObject.h"
#include "runtime/device/cpu/Generate.h"
#include "runtime/device/cpu/Memory.h"
#include "runtime/plan/Panels.h"
#include "runtime/product/CpuProduct.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace heddle::runtime {

namespace {

using Clock = std::chrono::steady_clock;
using Entry = void (*)(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end);

/// Bytes that a thread copies or sets at the least: below it, waking another thread costs more.
constexpr int64_t kCopyGrain = int64_t{256} << 10;

class CpuKernels : public LoadedKernels {
public:
  std::vector<std::unique_ptr<ElfObject>> objects;
  std::vector<Entry> entries; ///< As Plan::kernels.
};

class CpuDevice : public Device {
public:
  static StatusOr<std::unique_ptr<Device>> create(int threads) {
    std::unique_ptr<CpuDevice> device(new CpuDevice(threads));
    HEDDLE_ASSIGN_OR_RETURN(device->products_, CpuProducts::create(device->pool_));
    return std::unique_ptr<Device>(std::move(device));
  }

  std::string kind() const override { return "cpu"; }
  std::string name() const override { return cpuName(); }
  std::string target() const override { return nameOf(cpuLevel()); }
  bool supports(const std::string &target) const override { return cpuRuns(target); }

  StatusOr<void *> allocate(int64_t bytes) override { return allocateHost(bytes); }
  void release(void *memory) override { releaseHost(memory); }
  StatusOr<MemoryInfo> memoryInfo() override { return hostMemory(); }

  Status upload(void *destination, const void *source, int64_t bytes) override {
    return copy(destination, source, bytes);
  }
  Status download(void *destination, const void *source, int64_t bytes) override {
    return copy(destination, source, bytes);
  }
  Status copy(void *destination, const void *source, int64_t bytes) override {
    pool_.parallelFor(bytes, kCopyGrain, [=](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char *>(destination) + begin, static_cast<const char *>(source) + begin,
                  static_cast<size_t>(end - begin));
    });
    return Status::ok();
  }
  Status fill(void *destination, uint8_t value, int64_t bytes) override {
    pool_.parallelFor(bytes, kCopyGrain, [=](int64_t begin, int64_t end) {
      std::memset(static_cast<char *>(destination) + begin, value, static_cast<size_t>(end - begin));
    });
    return Status::ok();
  }
  Status generate(void *destination, DType dtype, int64_t count, InitKind kind, double scale, uint64_t seed,
                  uint64_t stream) override {
    return generateElements(pool_, destination, dtype, count, kind, scale, seed, stream);
  }
  Status convert(void *destination, DType to, const void *source, DType from, int64_t count) override {
    return convertElements(pool_, destination, to, source, from, count);
  }
  Status packPanels(void *data, DType dtype, int64_t rows, int64_t columns, int64_t panel) override {
    PanelOrder order{rows, columns, panel};
    int64_t size = sizeOf(dtype);
    // A panel's rows and the panel take the same place, so that one at a time is turned in a thread's memory.
    int64_t bytes = order.width(0) * columns * size;
    std::vector<char> memory;
    try {
      memory.resize(static_cast<size_t>(pool_.threads() * bytes));
    } catch (const std::bad_alloc &) {
      return outOfMemory(
          "no memory to put a parameter into panels: " + std::to_string(pool_.threads() * bytes) + " bytes");
    }
    pool_.parallelFor(order.panels(), 1, [&](int64_t begin, int64_t end, int thread) {
      char *rowMajor = memory.data() + thread * bytes;
      for (int64_t index = begin; index < end; ++index) {
        char *place = static_cast<char *>(data) + order.begin(index) * size;
        std::memcpy(rowMajor, place, static_cast<size_t>(order.width(index) * columns * size));
        order.pack(index, size, rowMajor, place);
      }
    });
    return Status::ok();
  }
  Status synchronize() override { return Status::ok(); }

  StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &plan) override {
    auto kernels = std::make_unique<CpuKernels>();
    for (const Kernel &kernel : plan.kernels) {
      std::string context = "kernel " + kernel.name;
      if (!supports(kernel.target))
        return unavailable(context + " was made for " + kernel.target + "; this processor (" + name() +
                           ") has " + target());
      StatusOr<std::unique_ptr<ElfObject>> object = ElfObject::load(kernel.binary);
      if (!object.isOk())
        return std::move(object).status().with(context);
      StatusOr<void *> entry = (*object)->function(kernel.name);
      if (!entry.isOk())
        return std::move(entry).status().with(context);
      kernels->objects.push_back(*std::move(object));
      kernels->entries.push_back(reinterpret_cast<Entry>(*entry));
    }
    return std::unique_ptr<LoadedKernels>(std::move(kernels));
  }

  Status launch(LoadedKernels &kernels, const Launch &launch, std::span<void *const> buffers) override {
    Entry entry = static_cast<CpuKernels &>(kernels).entries[static_cast<size_t>(launch.kernel)];
    if (launch.shares.empty()) {
      pool_.parallelFor(launch.items, 1, [&](int64_t begin, int64_t end) {
        entry(buffers.data(), launch.counts.data(), begin, end);
      });
      return Status::ok();
    }
    // One region over the items of all instances: a worker's range may begin in one and end in another.
    size_t instances = launch.shares.size();
    size_t eachBuffers = buffers.size() / instances, eachCounts = launch.counts.size() / instances;
    pool_.parallelFor(launch.items, 1, [&](int64_t begin, int64_t end) {
      int64_t first = 0; // Of the instance, among all items.
      for (size_t i = 0; i < instances && first < end; first += launch.shares[i++])
        if (int64_t last = first + launch.shares[i]; std::max(begin, first) < std::min(end, last))
          entry(buffers.data() + i * eachBuffers, launch.counts.data() + i * eachCounts,
                std::max(begin, first) - first, std::min(end, last) - first);
    });
    return Status::ok();
  }

  Status product(const Product &product, const ProductAddresses &addresses) override {
    return products_->run(product, addresses.a, addresses.b, addresses.c, addresses.bias, addresses.d);
  }

  Status beginRecording() override { return cannotRecord(); }
  StatusOr<std::unique_ptr<Recording>> endRecording() override { return cannotRecord(); }
  Status replay(Recording &) override { return cannotRecord(); }

  Status startProfile() override {
    times_.clear();
    profiling_ = true;
    open_ = false;
    return Status::ok();
  }
  void markStep(int32_t step) override {
    if (!profiling_)
      return;
    closeStep();
    times_.push_back({step, 0});
    open_ = true;
    began_ = Clock::now();
  }
  StatusOr<std::vector<StepTime>> stopProfile() override {
    closeStep();
    profiling_ = false;
    return std::move(times_);
  }

private:
  explicit CpuDevice(int threads) : pool_(threads) {}

  static Status cannotRecord() {
    return unavailable("device cpu cannot record steps; use the sequential executor");
  }

  void closeStep() {
    if (open_)
      times_.back().ms = std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
    open_ = false;
  }

  ThreadPool pool_;
  std::unique_ptr<CpuProducts> products_;
  bool profiling_ = false, open_ = false;
  Clock::time_point began_;
  std::vector<StepTime> times_;
};

} // namespace

StatusOr<std::unique_ptr<Device>> createCpuDevice(int threads) { return CpuDevice::create(threads); }

} // namespace heddle::runtime
