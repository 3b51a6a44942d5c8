//===- CpuKernel.h - Compiles kernels in tests and runs them ----*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_COMPILER_CPU_CPUKERNEL_H
#define HEDDLE_TEST_UNIT_COMPILER_CPU_CPUKERNEL_H

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::runtime {
class ElfObject;
}

namespace heddle::test {

/// Both targets that this machine can run.
std::vector<std::string> targetsHere();

/// Memory that ends where no page is mapped: a read or write beyond the last element stops the test.
class Guarded {
public:
  explicit Guarded(size_t bytes);
  ~Guarded();
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  void *data() const { return data_; }

private:
  void *mapping_ = nullptr, *data_ = nullptr;
  size_t size_ = 0;
};

template <typename T>
class Buffer {
public:
  explicit Buffer(size_t count) : memory(count * sizeof(T)), count(count) {
    std::memset(data(), 0xab, count * sizeof(T));
  }
  Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    if (count)
      std::memcpy(data(), values.data(), count * sizeof(T));
  }
  T *data() const { return static_cast<T *>(memory.data()); }
  T &operator[](size_t index) const { return data()[index]; }
  std::vector<T> values() const { return {data(), data() + count}; }

  Guarded memory;
  size_t count;
};

/// The one kernel of a text in the kernel dialect, compiled by the pass target-cpu for launches with given
/// counts. Throws std::runtime_error with the diagnostics when the pass refuses.
class CpuKernel {
public:
  /// With `oneBuffer` the launches name one buffer for all arguments.
  CpuKernel(const std::string &text, const std::string &target, std::vector<std::vector<int64_t>> counts,
            bool oneBuffer = false);
  ~CpuKernel();
  /// Runs launch `index` on [0, items), cut into `pieces` ranges that are run last first.
  void run(size_t index, std::vector<void *> buffers, int64_t pieces = 1);

  std::vector<int64_t> items; ///< Of each launch.
  std::vector<uint8_t> object;

private:
  std::unique_ptr<runtime::ElfObject> loaded;
  std::vector<std::vector<int64_t>> counts;
  void (*entry)(void *const *, const int64_t *, int64_t, int64_t) = nullptr;
};

/// Runs target-cpu on a program's text; the program's text after it, or the diagnostics after "error: ".
std::string runTargetCpu(const std::string &program, const std::string &target);
/// A plan.program around `body`.
std::string programText(const std::string &body, const std::string &target);

/// Reproducible numbers in [-range, range).
std::vector<float> randomFloats(size_t count, float range, uint64_t seed = 1);
/// To bf16, ties to even; and back.
uint16_t toBF16(float value);
float fromBF16(uint16_t bits);
/// `text` with each $KEY replaced.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values);

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_COMPILER_CPU_CPUKERNEL_H
