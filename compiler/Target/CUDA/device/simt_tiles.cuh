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

/// The same for kernels whose registers are full: a thread keeps its column and only its row moves, and no
/// address waits for the next tile. Where a row's chunks are no power of two, some threads have none.
template <int Rows, int Columns, int Stride, int Threads, bool Aligned>
__device__ inline void copy_lean(float *target, const float *source, long long row_stride, int valid) {
  constexpr int kWidth = Aligned ? 4 : 1;
  constexpr int kChunks = Columns / kWidth;
  constexpr int kLanes = kChunks > 128  ? 256
                         : kChunks > 64 ? 128
                         : kChunks > 32 ? 64
                         : kChunks > 16 ? 32
                         : kChunks > 8  ? 16
                         : kChunks > 4  ? 8
                         : kChunks > 2  ? 4
                                        : kChunks;
  static_assert(Threads % kLanes == 0 && kChunks <= 256, "rows of at most 256 columns");
  constexpr int kRowsAtOnce = Threads / kLanes;
  const int thread = opaque(threadIdx.x);
  const int column = thread % kLanes * kWidth;
  const int first = thread / kLanes;
  if (kLanes != kChunks && column >= Columns)
    return;
  const float *from = source + first * row_stride + column;
  float *to = target + first * Stride + column;
#pragma unroll
  for (int r = 0; r < ceil_div(Rows, kRowsAtOnce); ++r) {
    const int row = first + r * kRowsAtOnce;
    if (Rows % kRowsAtOnce != 0 && row >= Rows)
      break;
    const float *row_from = row < valid ? from + r * kRowsAtOnce * row_stride : source;
    if constexpr (Aligned)
      cp_async_16(to + r * kRowsAtOnce * Stride, row_from, row < valid);
    else
      cp_async_4(to + r * kRowsAtOnce * Stride, row_from, row < valid);
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
