//===- GpuTest.h - Tests on a GPU -------------------------------*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_RUNTIME_CUDA_GPU_GPUTEST_H
#define HEDDLE_TEST_UNIT_RUNTIME_CUDA_GPU_GPUTEST_H

#include "runtime/base/Convert.h"
#include "runtime/device/Device.h"

#include <gtest/gtest.h>
#include <vector>

namespace heddle::runtime {

/// Makes the device of a test, or skips it with the reason; frees what the test allocated.
class GpuTest : public testing::Test {
protected:
  void SetUp() override {
    StatusOr<std::unique_ptr<Device>> created = createCudaDevice(0);
    if (!created)
      GTEST_SKIP() << created.status().message();
    device = *std::move(created);
  }
  void TearDown() override {
    for (void *memory : allocations)
      device->release(memory);
  }

  void *allocate(int64_t bytes) {
    StatusOr<void *> memory = device->allocate(bytes);
    if (!memory) {
      ADD_FAILURE() << memory.status().message();
      return nullptr;
    }
    allocations.push_back(*memory);
    return *memory;
  }

  template <typename T>
  T *upload(const std::vector<T> &values, int64_t byteOffset = 0) {
    int64_t bytes = int64_t(values.size() * sizeof(T));
    void *memory = static_cast<char *>(allocate(bytes + byteOffset)) + byteOffset;
    expectOk(device->upload(memory, values.data(), bytes));
    return static_cast<T *>(memory);
  }

  template <typename T>
  std::vector<T> download(const void *memory, int64_t count) {
    std::vector<T> values(count);
    expectOk(device->download(values.data(), memory, count * int64_t(sizeof(T))));
    return values;
  }

  static void expectOk(const Status &status) { EXPECT_TRUE(status.isOk()) << status.message(); }

  std::unique_ptr<Device> device;
  std::vector<void *> allocations;
};

} // namespace heddle::runtime

#endif // HEDDLE_TEST_UNIT_RUNTIME_CUDA_GPU_GPUTEST_H
