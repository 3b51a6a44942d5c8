// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of the float32 attention skeletons: tiles of rows on their way to shared memory, and products of
// what a lane has read from there.

#ifndef HEDDLE_DEVICE_SIMT_TILES_CUH
#define HEDDLE_DEVICE_SIMT_TILES_CUH

#include "async.cuh"

namespace heddle {

/// Starts copying rows as they are: by 16 bytes where `Aligned` (source and row_stride keep to that), else
/// by 4.
template <int Rows, int Columns, int Stride, int Threads, bool Aligned>
__device__ inline void copy_straight(float *target, const float *source, long long row_stride, int valid) {
  if constexpr (Aligned) {
    constexpr int kChunks = Columns / 4;
#pragma unroll
    for (int i = 0; i < ceil_div(Rows * kChunks, Threads); ++i) {
      const int chunk = threadIdx.x + i * Threads;
      const int row = chunk / kChunks;
      const int column = (chunk - row * kChunks) * 4;
      if (Rows * kChunks % Threads == 0 || row < Rows)
        cp_async_16(target + row * Stride + column, row < valid ? source + row * row_stride + column : source,
                    row < valid);
    }
  } else {
    for (int i = threadIdx.x; i < Rows * Columns; i += Threads) {
      const int row = i / Columns;
      const int column = i - row * Columns;
      cp_async_4(target + row * Stride + column, row < valid ? source + row * row_stride + column : source,
                 row < valid);
    }
  }
}

/// Reads N floats as float4 (or float2) each `Step` floats apart.
template <int N, int Width, int Step>
__device__ inline void read_chunks(float (&values)[N], const float *source) {
#pragma unroll
  for (int i = 0; i < N / Width; ++i) {
    const Vec<float, Width> chunk = Vec<float, Width>::load(source + i * Step);
#pragma unroll
    for (int e = 0; e < Width; ++e)
      values[i * Width + e] = chunk[e];
  }
}

/// sums[i][j] += a[i] * b[j].
template <int M, int N>
__device__ inline void outer_product(float (&sums)[M][N], const float (&a)[M], const float (&b)[N]) {
#pragma unroll
  for (int i = 0; i < M; ++i)
#pragma unroll
    for (int j = 0; j < N; ++j)
      sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
}

} // namespace heddle

#endif // HEDDLE_DEVICE_SIMT_TILES_CUH
