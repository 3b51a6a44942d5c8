#include "runtime/plan/InstanceTable.h"

using namespace heddle::runtime;

std::vector<int64_t> heddle::runtime::instanceTable(const Launch &launch, std::span<void *const> buffers) {
  size_t instances = launch.shares.size();
  size_t eachBuffers = buffers.size() / instances, eachCounts = launch.counts.size() / instances;
  std::vector<int64_t> table;
  table.reserve(instances + buffers.size() + launch.counts.size());
  int64_t first = 0;
  for (int64_t share : launch.shares) {
    table.push_back(first);
    first += share;
  }
  for (size_t instance = 0; instance < instances; ++instance) {
    for (size_t i = 0; i < eachBuffers; ++i)
      table.push_back(static_cast<int64_t>(reinterpret_cast<intptr_t>(buffers[instance * eachBuffers + i])));
    for (size_t i = 0; i < eachCounts; ++i)
      table.push_back(launch.counts[instance * eachCounts + i]);
  }
  return table;
}
