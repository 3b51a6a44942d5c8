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

/// The table of a verified launch with shares. `buffers` are the addresses for launch.buffers, in order, byte
/// offsets applied.
std::vector<int64_t> instanceTable(const Launch &launch, std::span<void *const> buffers);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_INSTANCETABLE_H
