//===- LargeArray.cpp - Working memory on large pages ---------------------===//
#include "runtime/base/LargeArray.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

namespace heddle::runtime {

void *allocateLargePages(size_t bytes) {
  constexpr size_t page = size_t{2} << 20;
  if (bytes > SIZE_MAX - page)
    return nullptr;
  size_t rounded = (bytes + page - 1) / page * page;
  void *memory = std::aligned_alloc(page, rounded);
  if (memory) // Only advice: where it is not taken, pages are small.
    (void)madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void LargeArray::Free::operator()(float *memory) const { std::free(memory); }

float *LargeArray::reserve(size_t elements) {
  if (elements > elements_) {
    memory_.reset();
    elements_ = 0;
    if (elements > SIZE_MAX / sizeof(float))
      return nullptr;
    memory_.reset(static_cast<float *>(allocateLargePages(elements * sizeof(float))));
    if (memory_)
      elements_ = elements;
  }
  return memory_.get();
}

} // namespace heddle::runtime
