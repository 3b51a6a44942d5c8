//===- CachingAllocator.cpp - Device memory for eager runs ----------------===//
#include "runtime/executor/CachingAllocator.h"

#include <algorithm>
#include <bit>

namespace heddle::runtime {

namespace {
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kSmallRequest = kMiB, kSmallSegment = 2 * kMiB;
constexpr int64_t kMediumRequest = 10 * kMiB, kMediumSegment = 20 * kMiB, kLargeRounding = 2 * kMiB;
} // namespace

CachingAllocator::~CachingAllocator() {
  for (auto &[memory, block] : segments_)
    device_.release(memory);
}

int CachingAllocator::classOf(int64_t size) {
  auto units = static_cast<uint64_t>(std::max<int64_t>(size / kRounding, 1));
  int log = std::bit_width(units) - 1;
  int quarter = static_cast<int>(log >= 2 ? (units >> (log - 2)) & 3 : (units << (2 - log)) & 3);
  return std::min(log * 4 + quarter, kClasses - 1);
}

void CachingAllocator::insert(Block *block) {
  Pool &pool = poolOf(*block);
  int index = classOf(block->size);
  block->previous = nullptr;
  block->following = pool.heads[index];
  if (block->following)
    block->following->previous = block;
  pool.heads[index] = block;
  pool.occupied[index / 64] |= uint64_t{1} << (index % 64);
}

void CachingAllocator::remove(Block *block) {
  Pool &pool = poolOf(*block);
  int index = classOf(block->size);
  (block->previous ? block->previous->following : pool.heads[index]) = block->following;
  if (block->following)
    block->following->previous = block->previous;
  if (!pool.heads[index])
    pool.occupied[index / 64] &= ~(uint64_t{1} << (index % 64));
}

/// The smallest block that fits: classes are in order of size, so it is in the first class that has one.
CachingAllocator::Block *CachingAllocator::bestFit(Pool &pool, int64_t size) {
  int first = classOf(size);
  for (int word = first / 64; word < kClasses / 64; ++word) {
    uint64_t bits = pool.occupied[word];
    if (word == first / 64)
      bits &= ~uint64_t{0} << (first % 64);
    for (; bits != 0; bits &= bits - 1) {
      Block *best = nullptr;
      for (Block *block = pool.heads[word * 64 + std::countr_zero(bits)]; block; block = block->following)
        if (block->size >= size && (!best || block->size < best->size))
          best = block;
      if (best)
        return best;
    }
  }
  return nullptr;
}

CachingAllocator::Block *CachingAllocator::newBlock() {
  if (spare_.empty())
    return &storage_.emplace_back();
  Block *block = spare_.back();
  spare_.pop_back();
  *block = Block();
  return block;
}

StatusOr<CachingAllocator::Block *> CachingAllocator::newSegment(bool isSmall, int64_t size) {
  int64_t bytes = isSmall                 ? kSmallSegment
                  : size < kMediumRequest ? kMediumSegment
                                          : (size + kLargeRounding - 1) / kLargeRounding * kLargeRounding;
  StatusOr<void *> memory = device_.allocate(bytes);
  if (!memory.isOk() && memory.status().code() == StatusCode::OutOfMemory) {
    HEDDLE_RETURN_IF_ERROR(device_.synchronize());
    releaseFreeSegments();
    memory = device_.allocate(bytes);
  }
  if (!memory.isOk())
    return std::move(memory).status().with("eager allocator with " + std::to_string(used_) +
                                           " bytes in use and " + std::to_string(reserved_) + " reserved");
  Block *block = newBlock();
  block->address = static_cast<char *>(*memory);
  block->size = bytes;
  block->isSmall = isSmall;
  segments_.emplace_back(*memory, block);
  reserved_ += bytes;
  return block;
}

void CachingAllocator::releaseFreeSegments() {
  std::erase_if(segments_, [&](const std::pair<void *, Block *> &segment) {
    Block *block = segment.second;
    if (!block->isFree || block->after)
      return false;
    remove(block);
    reserved_ -= block->size;
    device_.release(segment.first);
    spare_.push_back(block);
    return true;
  });
}

StatusOr<CachingAllocator::Block *> CachingAllocator::allocate(int64_t bytes) {
  int64_t size = roundedSize(bytes);
  bool isSmall = size <= kSmallRequest;
  Block *block = bestFit(pools_[isSmall], size);
  if (block) {
    remove(block);
  } else {
    HEDDLE_ASSIGN_OR_RETURN(block, newSegment(isSmall, size));
  }
  int64_t rest = block->size - size;
  if (isSmall ? rest >= kRounding : rest > kSmallRequest) {
    Block *tail = newBlock();
    tail->address = block->address + size;
    tail->size = rest;
    tail->isSmall = isSmall;
    tail->isFree = true;
    tail->before = block;
    tail->after = block->after;
    if (tail->after)
      tail->after->before = tail;
    block->after = tail;
    block->size = size;
    insert(tail);
  }
  block->isFree = false;
  used_ += block->size;
  peak_ = std::max(peak_, used_);
  return block;
}

void CachingAllocator::release(Block *block) {
  used_ -= block->size;
  // The first block of a segment is named by segments_ and stays; what follows is merged into it.
  if (Block *after = block->after; after && after->isFree) {
    remove(after);
    block->size += after->size;
    block->after = after->after;
    if (block->after)
      block->after->before = block;
    spare_.push_back(after);
  }
  if (Block *before = block->before; before && before->isFree) {
    remove(before);
    before->size += block->size;
    before->after = block->after;
    if (before->after)
      before->after->before = before;
    spare_.push_back(block);
    block = before;
  }
  block->isFree = true;
  insert(block);
}

} // namespace heddle::runtime
