// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of the attention skeletons for mma.sync: tiles of bf16 or f16 rows on their way to shared memory.

#ifndef HEDDLE_DEVICE_MMA_TILES_CUH
#define HEDDLE_DEVICE_MMA_TILES_CUH

#include "async.cuh"

namespace heddle {

/// Starts copying rows [0, valid) of `Columns` elements into shared rows `Stride` apart, and zeros for rows
/// [valid, Rows). `source` is row 0. Aligned: source and row_stride keep to multiples of 16 bytes; otherwise
/// the copy is done element by element, at once (cp.async moves no 2 bytes).
template <int Rows, int Columns, int Stride, int Threads, bool Aligned, typename T>
__device__ inline void copy_rows(T *target, const T *source, long long row_stride, int valid) {
  if constexpr (Aligned) {
    // A thread keeps its column and only its row moves, so that addresses are one sum each. Where a row's
    // chunks are no power of two, some lanes have none.
    constexpr int kChunks = Columns / 8;
    constexpr int kLanes = kChunks > 16 ? 32 : kChunks > 8 ? 16 : kChunks > 4 ? 8 : kChunks > 2 ? 4 : kChunks;
    constexpr int kRowsAtOnce = Threads / kLanes;
    static_assert(kChunks <= 32, "rows of at most 256 columns");
    const int thread =
        opaque(threadIdx.x); // addresses are cheap, and registers are not: none waits for the next tile
    const int chunk = thread % kLanes;
    const int first = thread / kLanes;
    const T *from = source + first * row_stride + chunk * 8;
    T *to = target + first * Stride + chunk * 8;
    if (kLanes == kChunks || chunk < kChunks) {
#pragma unroll
      for (int r = 0; r < ceil_div(Rows, kRowsAtOnce); ++r) {
        const int row = first + r * kRowsAtOnce;
        if (Rows % kRowsAtOnce == 0 || row < Rows)
          cp_async_16(to + r * kRowsAtOnce * Stride,
                      row < valid ? from + r * kRowsAtOnce * row_stride : source, row < valid);
      }
    }
  } else {
#pragma unroll 1
    for (int i = threadIdx.x; i < Rows * Columns; i += Threads) {
      const int row = i / Columns;
      const int column = i - row * Columns;
      T value = {};
      if (row < valid)
        value = source[row * row_stride + column];
      target[row * Stride + column] = value;
    }
  }
}

/// Zeros columns [First, First + 8) of `rows` rows. No work where First is Last.
template <int First, int Last, int Stride, int Threads, typename T>
__device__ inline void zero_padding(T *target, int rows) {
  if constexpr (First < Last) {
    static_assert(Last - First == 8, "head sizes are multiples of 8 padded to 16");
    for (int row = threadIdx.x; row < rows; row += Threads)
      Vec<T, 8>::filled(T{}).store(target + row * Stride + First);
  }
}

} // namespace heddle

#endif // HEDDLE_DEVICE_MMA_TILES_CUH
