//===- CachingAllocator.h - Device memory for eager runs --------*- C++ -*-===//
//
// Asking a device for memory takes longer than a kernel, so eager execution keeps what it got and cuts it up.
// The rules are those of PyTorch's caching allocator (its documentation of CUDA memory management), so that
// eager's peak is comparable: requests are rounded up to 512 bytes; those up to 1 MiB share segments of 2
// MiB, those below 10 MiB segments of 20 MiB, larger ones get a segment rounded up to 2 MiB; the smallest
// free block that fits is taken and split; neighbours are merged when they are freed.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_EXECUTOR_CACHINGALLOCATOR_H
#define HEDDLE_RUNTIME_EXECUTOR_CACHINGALLOCATOR_H

#include "runtime/device/Device.h"

#include <array>
#include <deque>
#include <vector>

namespace heddle::runtime {

class CachingAllocator {
public:
  /// A piece of a segment. Opaque but for its address.
  struct Block {
    char *address = nullptr;
    int64_t size = 0;
    bool isFree = false, isSmall = false;
    Block *before = nullptr, *after = nullptr;       ///< Neighbours in the segment.
    Block *previous = nullptr, *following = nullptr; ///< In the list of free blocks of its size class.
  };

  explicit CachingAllocator(Device &device) : device_(device) {}
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  /// At least `bytes`, aligned to 256. When the device has no more, segments that are wholly free go back to
  /// it first; OutOfMemory then says what is in use and what is reserved.
  StatusOr<Block *> allocate(int64_t bytes);
  /// The block may be handed out again at once: work is in stream order.
  void release(Block *block);

  /// Bytes in blocks that are handed out, rounded as they were handed out; now and at most so far.
  int64_t usedBytes() const { return used_; }
  int64_t peakBytes() const { return peak_; }
  /// Bytes that the device gave.
  int64_t reservedBytes() const { return reserved_; }

  static constexpr int64_t kRounding = 512;
  static int64_t roundedSize(int64_t bytes) {
    return bytes <= 0 ? kRounding : (bytes + kRounding - 1) / kRounding * kRounding;
  }

private:
  /// Size classes: four for each power of two.
  static constexpr int kClasses = 256;
  struct Pool {
    std::array<Block *, kClasses> heads{};
    std::array<uint64_t, kClasses / 64> occupied{};
  };

  static int classOf(int64_t size);
  Pool &poolOf(const Block &block) { return pools_[block.isSmall]; }
  void insert(Block *block);
  void remove(Block *block);
  Block *bestFit(Pool &pool, int64_t size);
  StatusOr<Block *> newSegment(bool isSmall, int64_t size);
  void releaseFreeSegments();
  Block *newBlock();

  Device &device_;
  Pool pools_[2];
  std::deque<Block> storage_; ///< Blocks keep their addresses.
  std::vector<Block *> spare_;
  std::vector<std::pair<void *, Block *>> segments_; ///< Memory of the device and its first block.
  int64_t used_ = 0, peak_ = 0, reserved_ = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_CACHINGALLOCATOR_H
