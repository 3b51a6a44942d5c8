// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over the lanes of a warp and over the threads of a block, in an order that depends on the number
// of threads alone: the same input gives the same bits. Every thread receives the result.

#ifndef HEDDLE_DEVICE_REDUCE_CUH
#define HEDDLE_DEVICE_REDUCE_CUH

#include "prelude.cuh"

namespace heddle {

struct Add {
  static __device__ float identity() { return 0.0f; }
  static __device__ float apply(float a, float b) { return a + b; }
};

/// NaN operands are passed on, as in torch.amax (fmaxf alone would drop them).
struct Max {
  static __device__ float identity() { return -INFINITY; }
  static __device__ float apply(float a, float b) { return a != a ? a : b != b ? b : fmaxf(a, b); }
};

struct Min {
  static __device__ float identity() { return INFINITY; }
  static __device__ float apply(float a, float b) { return a != a ? a : b != b ? b : fminf(a, b); }
};

/// Combines `value` over groups of `Width` neighbouring lanes (a power of two, at most 32). All 32 lanes must
/// call.
template <typename Op, int Width = kWarpSize>
__device__ inline float warp_reduce(float value) {
  static_assert((Width & (Width - 1)) == 0 && Width <= kWarpSize, "lanes are combined by a butterfly");
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

/// Floats of shared scratch that block_reduce needs for `values` values: one slot for each warp that a block
/// may have.
__host__ __device__ constexpr int block_reduce_scratch(int values) { return values * kWarpSize; }

/// Combines each of values[0..N) over all threads of a block of any number of whole warps, at most 32.
/// `scratch` is shared memory of block_reduce_scratch(N) floats and may be used again at once: the function
/// begins and ends with all threads done with it. All threads must call.
template <typename Op, int N>
__device__ inline void block_reduce(float (&values)[N], float *scratch) {
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int lane = thread % kWarpSize;
  const int warp = thread / kWarpSize;
  const int warps = (blockDim.x * blockDim.y * blockDim.z) / kWarpSize;
#pragma unroll
  for (int i = 0; i < N; ++i)
    values[i] = warp_reduce<Op>(values[i]);
  if (warps == 1)
    return;
  if (lane == 0) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      scratch[i * kWarpSize + warp] = values[i];
  }
  __syncthreads();
  // Each warp combines the partial results for itself; lanes without a warp hold the identity, so that the
  // number of warps need not be a power of two. This costs no more than one warp doing it, and saves a second
  // exchange.
#pragma unroll
  for (int i = 0; i < N; ++i)
    values[i] = warp_reduce<Op>(lane < warps ? scratch[i * kWarpSize + lane] : Op::identity());
  __syncthreads();
}

template <typename Op>
__device__ inline float block_reduce(float value, float *scratch) {
  float values[1] = {value};
  block_reduce<Op, 1>(values, scratch);
  return values[0];
}

/// Floats of shared scratch that block_reduce_rows needs.
__host__ __device__ constexpr int block_reduce_rows_scratch(int rows) { return rows * kWarpSize; }

/// Combines `value` over all threads of a block whose numbers are one and the same modulo `Rows`, a power of
/// two up to 32: neighbouring threads hold neighbouring rows. As block_reduce otherwise, for one-dimensional
/// blocks.
template <typename Op, int Rows>
__device__ inline float block_reduce_rows(float value, float *scratch) {
  static_assert((Rows & (Rows - 1)) == 0 && Rows <= kWarpSize, "lanes are combined by a butterfly");
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  const int warps = blockDim.x / kWarpSize;
#pragma unroll
  for (int distance = kWarpSize / 2; distance >= Rows; distance /= 2)
    value = Op::apply(value, __shfl_xor_sync(0xffffffffu, value, distance));
  if (lane < Rows)
    scratch[warp * Rows + lane] = value;
  __syncthreads();
  // Each warp combines the partial results for itself, lanes of one row taking turns.
  float result = Op::identity();
  for (int other = lane / Rows; other < warps; other += kWarpSize / Rows)
    result = Op::apply(result, scratch[other * Rows + lane % Rows]);
#pragma unroll
  for (int distance = kWarpSize / 2; distance >= Rows; distance /= 2)
    result = Op::apply(result, __shfl_xor_sync(0xffffffffu, result, distance));
  __syncthreads();
  return result;
}

} // namespace heddle

#endif // HEDDLE_DEVICE_REDUCE_CUH
