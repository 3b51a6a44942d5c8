//===- Memory.cpp - The machine's memory ----------------------------------===//
#include "runtime/device/cpu/Memory.h"

#include "runtime/base/LargeArray.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace heddle::runtime {

namespace {

/// The number after `key` in a file of "key number" lines, or -1.
int64_t field(const char *path, const std::string &key) {
  std::ifstream file(path);
  std::string word;
  int64_t value;
  while (file >> word)
    if (word == key && file >> value)
      return value;
  return -1;
}

/// The number that a file holds, or -1 ("max", or no such file).
int64_t number(const char *path) {
  std::ifstream file(path);
  int64_t value;
  return file >> value ? value : -1;
}

} // namespace

StatusOr<MemoryInfo> hostMemory() {
  int64_t available = field("/proc/meminfo", "MemAvailable:"), total = field("/proc/meminfo", "MemTotal:");
  if (available < 0 || total < 0)
    return unavailable("/proc/meminfo does not say how much memory is available");
  MemoryInfo info{available * 1024, total * 1024};
  int64_t limit = number("/sys/fs/cgroup/memory.max"), used = number("/sys/fs/cgroup/memory.current");
  if (limit > 0 && used >= 0) {
    // Cached files count as used, but the system gives them up.
    int64_t cache = std::max<int64_t>(field("/sys/fs/cgroup/memory.stat", "inactive_file"), 0);
    info.total = std::min(info.total, limit);
    info.free = std::min(info.free, std::max<int64_t>(limit - used + cache, 0));
  }
  return info;
}

StatusOr<void *> allocateHost(int64_t bytes) {
  constexpr int64_t page = 256, largePage = int64_t{2} << 20;
  bool large = bytes >= largePage;
  if (large) {
    StatusOr<MemoryInfo> memory = hostMemory();
    if (memory.isOk() && bytes > memory->free)
      return outOfMemory("wanted " + std::to_string(bytes) + " bytes of memory, free " +
                         std::to_string(memory->free) + " of " + std::to_string(memory->total));
  }
  auto rounded = static_cast<size_t>((std::max<int64_t>(bytes, 1) + page - 1) / page * page);
  void *memory = large ? allocateLargePages(rounded) : std::aligned_alloc(page, rounded);
  if (!memory)
    return outOfMemory("wanted " + std::to_string(bytes) + " bytes of memory; the system refused them");
  return memory;
}

void releaseHost(void *memory) { std::free(memory); }

} // namespace heddle::runtime
