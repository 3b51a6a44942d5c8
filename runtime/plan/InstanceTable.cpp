#include "runtime/plan/InstanceTable.h"

using namespace heddle::runtime;

std::vector<int64_t> heddle::runtime::instanceTable(const Launch &launch, std::span<void *const> buffers) {
  std::vector<int64_t> addresses;
  for (void *buffer : buffers)
    addresses.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(buffer)));
  return instanceWords<int64_t>(launch.shares, addresses, launch.counts, [](int64_t first) { return first; });
}
