//===- InstanceTableTest.cpp - What a batched CUDA kernel reads -----------===//
#include "runtime/plan/InstanceTable.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

namespace {

TEST(InstanceTable, FirstBlocksThenBuffersAndCountsOfEach) {
  char memory[8];
  void *buffers[] = {memory, nullptr, memory + 2, memory + 3};
  Launch launch;
  launch.shares = {3, 4};
  launch.counts = {10, -11, 20, 21};
  auto address = [&](int offset) {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(memory + offset));
  };
  EXPECT_EQ(instanceTable(launch, buffers),
            (std::vector<int64_t>{0, 3, address(0), 0, 10, -11, address(2), address(3), 20, 21}));
}

TEST(InstanceTable, CountsMayBeNone) {
  char memory[2];
  void *buffers[] = {memory};
  Launch launch;
  launch.shares = {5};
  EXPECT_EQ(instanceTable(launch, buffers),
            (std::vector<int64_t>{0, static_cast<int64_t>(reinterpret_cast<intptr_t>(memory))}));
}

} // namespace
