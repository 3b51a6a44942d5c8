//===- InstanceTable.h - What a batched CUDA kernel reads -------*- C++ -*-===//
//
// A batched kernel's first argument points at words of 64 bits: for each instance, in order, the number of
// its first block; then for each instance its buffers' addresses and its counts. The compiler's device
// library (compiler/Target/CUDA/device/batch.cuh) reads what is written here.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_INSTANCETABLE_H
#define HEDDLE_RUNTIME_PLAN_INSTANCETABLE_H

#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace heddle::runtime {

/// The table's words in their order: first blocks, then of each instance its buffers and its counts. A word
/// is a number, or the text of one: `word` makes it of a first block.
template <typename Word, typename MakeWord>
std::vector<Word> instanceWords(std::span<const int64_t> shares, std::span<const Word> buffers,
                                std::span<const Word> counts, MakeWord word) {
  size_t instances = shares.size();
  size_t eachBuffers = buffers.size() / instances, eachCounts = counts.size() / instances;
  std::vector<Word> table;
  table.reserve(instances + buffers.size() + counts.size());
  int64_t first = 0;
  for (int64_t share : shares) {
    table.push_back(word(first));
    first += share;
  }
  for (size_t i = 0; i < instances; ++i)
    for (std::span<const Word> each :
         {buffers.subspan(i * eachBuffers, eachBuffers), counts.subspan(i * eachCounts, eachCounts)})
      table.insert(table.end(), each.begin(), each.end());
  return table;
}

/// The table of a verified launch with shares. `buffers` are the addresses for launch.buffers, in order, byte
/// offsets applied.
std::vector<int64_t> instanceTable(const Launch &launch, std::span<void *const> buffers);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_INSTANCETABLE_H
