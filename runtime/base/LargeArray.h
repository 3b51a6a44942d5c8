//===- LargeArray.h - Working memory on large pages -------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_BASE_LARGEARRAY_H
#define HEDDLE_RUNTIME_BASE_LARGEARRAY_H

#include <cstddef>
#include <memory>

namespace heddle::runtime {

/// Memory for working data that is read again and again, asked for in pages of 2 MiB, which cost less address
/// translation (bench/kernels/cpu-tiles.cpp measures it).
class LargeArray {
public:
  /// At least `elements` floats, aligned to a page; what was there is lost where it grows. Null where the
  /// system has no memory.
  float *reserve(size_t elements);

private:
  struct Free {
    void operator()(float *memory) const;
  };
  std::unique_ptr<float, Free> memory_;
  size_t elements_ = 0;
};

/// Memory of `bytes`, at least one, in whole pages of 2 MiB; release it with std::free. Null where the system
/// refuses.
void *allocateLargePages(size_t bytes);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_LARGEARRAY_H
