//===- FakeDevice.h - A device that only keeps accounts ---------*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_RUNTIME_EXECUTOR_FAKEDEVICE_H
#define HEDDLE_TEST_UNIT_RUNTIME_EXECUTOR_FAKEDEVICE_H

#include "runtime/device/Device.h"

#include <cstdlib>
#include <map>

namespace heddle::runtime {

/// Gives host memory up to a capacity, records instead of running, and remembers what it was asked.
class FakeDevice : public Device {
public:
  explicit FakeDevice(int64_t capacity) : capacity(capacity) {}
  ~FakeDevice() override {
    for (auto &[memory, bytes] : live)
      std::free(memory);
  }

  std::string kind() const override { return "cuda"; }
  std::string name() const override { return "fake"; }
  std::string target() const override { return "sm_80"; }
  bool supports(const std::string &target) const override { return target == "sm_80"; }

  StatusOr<void *> allocate(int64_t bytes) override {
    ++allocations;
    if (bytes > capacity - used)
      return outOfMemory("wanted " + std::to_string(bytes) + " bytes, free " +
                         std::to_string(capacity - used));
    void *memory = std::aligned_alloc(256, static_cast<size_t>((bytes + 255) / 256 * 256));
    live[memory] = bytes;
    used += bytes;
    return memory;
  }
  void release(void *memory) override {
    used -= live.at(memory);
    live.erase(memory);
    std::free(memory);
  }
  StatusOr<MemoryInfo> memoryInfo() override {
    return MemoryInfo{claimedFree < 0 ? capacity - used : claimedFree, capacity};
  }

  Status upload(void *, const void *, int64_t) override { return Status::ok(); }
  Status download(void *, const void *, int64_t) override { return Status::ok(); }
  Status copy(void *, const void *, int64_t) override { return enqueue("copy"); }
  Status fill(void *, uint8_t, int64_t) override { return Status::ok(); }
  Status generate(void *, DType, int64_t, InitKind, double, uint64_t, uint64_t) override {
    return Status::ok();
  }
  Status convert(void *, DType, const void *, DType, int64_t) override { return Status::ok(); }
  Status synchronize() override { return Status::ok(); }
  StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &) override {
    return std::make_unique<LoadedKernels>();
  }
  Status bind(LoadedKernels &, const Launch &launch, std::span<void *const> buffers) override {
    bound[&launch].assign(buffers.begin(), buffers.end());
    return recording ? internalError("bound in a recording") : Status::ok();
  }
  Status launch(LoadedKernels &, const Launch &, std::span<void *const>) override {
    return enqueue("launch");
  }
  Status product(const Product &, const ProductAddresses &) override { return enqueue("product"); }
  Status beginRecording() override {
    recording = true;
    return Status::ok();
  }
  StatusOr<std::unique_ptr<Recording>> endRecording() override {
    recording = false;
    return std::make_unique<Recording>();
  }
  Status replay(Recording &) override {
    log += "replay ";
    return Status::ok();
  }
  Status startProfile() override { return Status::ok(); }
  void markStep(int32_t step) override { log.append("#").append(std::to_string(step)).append(" "); }
  StatusOr<std::vector<StepTime>> stopProfile() override { return std::vector<StepTime>(); }

  Status enqueue(const char *what) {
    log += std::string(recording ? "record-" : "") + what + " ";
    return failAt == what ? unavailable("the fake was told to fail") : Status::ok();
  }

  int64_t capacity, used = 0, claimedFree = -1;
  int allocations = 0;
  bool recording = false;
  std::string log, failAt;
  std::map<void *, int64_t> live;
  std::map<const Launch *, std::vector<void *>> bound;
};

} // namespace heddle::runtime

#endif // HEDDLE_TEST_UNIT_RUNTIME_EXECUTOR_FAKEDEVICE_H
