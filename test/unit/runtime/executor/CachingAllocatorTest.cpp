//===- CachingAllocatorTest.cpp - Device memory for eager runs ------------===//
#include "runtime/executor/CachingAllocator.h"

#include "FakeDevice.h"

#include <gtest/gtest.h>

#include <random>

using namespace heddle::runtime;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
using Block = CachingAllocator::Block;

Block *take(CachingAllocator &allocator, int64_t bytes) {
  auto block = allocator.allocate(bytes);
  EXPECT_TRUE(block.isOk()) << block.status().message();
  return block.isOk() ? *block : nullptr;
}

TEST(CachingAllocator, RoundsAndShares) {
  FakeDevice device(1 << 30);
  CachingAllocator allocator(device);
  Block *a = take(allocator, 1), *b = take(allocator, 513), *c = take(allocator, 0);
  EXPECT_EQ(a->size, 512);
  EXPECT_EQ(b->size, 1024);
  EXPECT_EQ(c->size, 512);
  EXPECT_EQ(b->address, a->address + 512);
  EXPECT_EQ(allocator.usedBytes(), 2048);
  EXPECT_EQ(allocator.reservedBytes(), 2 * kMiB);
  take(allocator, kMiB + 1); // Medium: a segment of its own kind.
  EXPECT_EQ(allocator.reservedBytes(), 22 * kMiB);
  take(allocator, 11 * kMiB); // Large: fits the rest of the medium segment.
  EXPECT_EQ(allocator.reservedBytes(), 22 * kMiB);
  take(allocator, 21 * kMiB + 5);
  EXPECT_EQ(allocator.reservedBytes(), 44 * kMiB);
  EXPECT_EQ(device.allocations, 3);
}

TEST(CachingAllocator, ReusesTheSmallestThatFits) {
  FakeDevice device(1 << 30);
  CachingAllocator allocator(device);
  Block *blocks[5];
  int64_t sizes[5] = {4096, 512, 2048, 512, 512};
  for (int i = 0; i < 5; ++i)
    blocks[i] = take(allocator, sizes[i]);
  char *wanted = blocks[2]->address;
  allocator.release(blocks[0]);
  allocator.release(blocks[2]);
  EXPECT_EQ(take(allocator, 1536)->address, wanted);
  EXPECT_EQ(device.allocations, 1);
}

TEST(CachingAllocator, MergesNeighbours) {
  FakeDevice device(1 << 30);
  CachingAllocator allocator(device);
  Block *a = take(allocator, 700 * 1024), *b = take(allocator, 700 * 1024), *c = take(allocator, 600 * 1024);
  char *start = a->address;
  allocator.release(a);
  allocator.release(c);
  allocator.release(b); // Merges with both.
  EXPECT_EQ(allocator.usedBytes(), 0);
  EXPECT_EQ(take(allocator, kMiB)->address, start);
  EXPECT_EQ(device.allocations, 1);
}

TEST(CachingAllocator, PeakIsOfLiveBytes) {
  FakeDevice device(1 << 30);
  CachingAllocator allocator(device);
  Block *a = take(allocator, 1000), *b = take(allocator, 1000);
  allocator.release(a);
  allocator.release(b);
  take(allocator, 1000);
  EXPECT_EQ(allocator.peakBytes(), 2048);
}

TEST(CachingAllocator, GivesBackBeforeItFails) {
  FakeDevice device(50 * kMiB);
  CachingAllocator allocator(device);
  allocator.release(take(allocator, 30 * kMiB));
  Block *second = take(allocator, 40 * kMiB); // Only after the first segment went back.
  EXPECT_EQ(allocator.reservedBytes(), 40 * kMiB);
  auto third = allocator.allocate(30 * kMiB);
  EXPECT_EQ(third.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(third.status().message(), "eager allocator with 41943040 bytes in use and 41943040 reserved: "
                                      "wanted 31457280 bytes, free 10485760");
  allocator.release(second);
}

TEST(CachingAllocator, RandomUseNeverOverlaps) {
  FakeDevice device(int64_t{1} << 32);
  std::mt19937 random(1);
  {
    CachingAllocator allocator(device);
    std::vector<std::pair<Block *, int64_t>> live;
    int64_t used = 0;
    for (int round = 0; round < 20000; ++round) {
      if (live.size() < 40 && random() % 2) {
        int64_t bytes = static_cast<int64_t>(random() % 3 ? random() % 5000 : random() % (12 * kMiB));
        Block *block = take(allocator, bytes);
        ASSERT_GE(block->size, bytes);
        for (auto &[other, size] : live)
          ASSERT_TRUE(block->address + block->size <= other->address ||
                      other->address + size <= block->address);
        live.emplace_back(block, block->size);
        used += block->size;
      } else if (!live.empty()) {
        size_t i = random() % live.size();
        used -= live[i].second;
        allocator.release(live[i].first);
        live[i] = live.back();
        live.pop_back();
      }
      ASSERT_EQ(allocator.usedBytes(), used);
    }
    EXPECT_LE(allocator.peakBytes(), allocator.reservedBytes());
  }
  EXPECT_TRUE(device.live.empty()); // All went back.
}

} // namespace
