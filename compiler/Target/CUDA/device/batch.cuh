// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a block of a batched kernel finds what it works on. Instances have consecutive blocks, in their order.
// The table is what runtime/plan/InstanceTable.h writes, in words of 64 bits: the first block of each
// instance, then of each its buffers' addresses and its counts.

#ifndef HEDDLE_DEVICE_BATCH_CUH
#define HEDDLE_DEVICE_BATCH_CUH

#include "prelude.cuh"

namespace heddle {

/// One of a batched kernel's instances, and which of its blocks this one is.
struct Instance {
  const long long *words; ///< Its buffers, then its counts.
  long long block;

  /// The address of the buffer at `index` among the words.
  template <typename T>
  __device__ T *buffer(int index) const {
    return reinterpret_cast<T *>(words[index]);
  }
  __device__ long long count(int index) const { return words[index]; }
};

/// The instance that this block belongs to; `words` are an instance's buffers and counts. All threads of the
/// block call it. A warp looks at 32 instances at once, and the loads of a loop's turns do not wait for each
/// other: a binary search would, turn by turn.
__device__ inline Instance instance_of(const long long *table, long long instances, int words) {
  const int lane = threadIdx.x % kWarpSize;
  int begun = 0; // Instances whose first block is this one or comes before it.
  for (int first = 0; first < int(instances); first += kWarpSize) {
    const int index = first + lane;
    begun +=
        __popc(__ballot_sync(0xffffffffu, index < int(instances) && table[index] <= (long long)blockIdx.x));
  }
  const int instance = begun - 1;
  return {table + instances + (long long)instance * words, (long long)blockIdx.x - table[instance]};
}

} // namespace heddle

#endif // HEDDLE_DEVICE_BATCH_CUH
