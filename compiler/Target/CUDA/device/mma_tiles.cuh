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

/// A warp's fragments of rows [RowBlocks * 16][Depth] for the left side of a product, held for several.
template <typename T, int Depth, int Stride, int RowBlocks>
__device__ inline void mma_load_left(unsigned int (&left)[RowBlocks][Depth / 16][4], const T *rows) {
  const int lane = threadIdx.x % kWarpSize;
  const T *from = rows + lane % 16 * Stride + lane / 16 * 8;
#pragma unroll
  for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
    for (int c = 0; c < Depth / 16; ++c)
      ldmatrix_x4(left[r][c], from + r * 16 * Stride + c * 16);
}

/// x = A B^T for one warp, of rows A [RowBlocks * 16][Depth] and B [Blocks * 8][Depth] in shared memory; A is
/// `left` where InRegisters. A lane receives x[r][n][2 * half + pair] of row 16 r + 8 half + lane / 4 and
/// column 8 n + 2 (lane % 4) + pair.
template <typename T, int Depth, int StrideA, int StrideB, bool InRegisters, int RowBlocks, int Blocks,
          int LeftBlocks>
__device__ inline void mma_rows_by_rows(float (&x)[RowBlocks][Blocks][4], const T *a, const T *b,
                                        const unsigned int (&left)[LeftBlocks][Depth / 16][4]) {
  const int lane = opaque(threadIdx.x) % kWarpSize; // no address waits for the next tile
  const T *a_lane = a + lane % 16 * StrideA + lane / 16 * 8;
  const T *b_lane = b + (lane / 16 * 8 + lane % 8) * StrideB + lane / 8 % 2 * 8;
#pragma unroll
  for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
    for (int n = 0; n < Blocks; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        x[r][n][e] = 0.0f;
#pragma unroll
  for (int c = 0; c < Depth / 16; ++c) {
    unsigned int fragments[RowBlocks][4];
#pragma unroll
    for (int r = 0; r < RowBlocks; ++r) {
      if constexpr (InRegisters) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
          fragments[r][e] = left[r][c][e];
      } else {
        ldmatrix_x4(fragments[r], a_lane + r * 16 * StrideA + c * 16);
      }
    }
#pragma unroll
    for (int n = 0; n < Blocks / 2; ++n) {
      unsigned int pair[4];
      ldmatrix_x4(pair, b_lane + n * 16 * StrideB + c * 16);
#pragma unroll
      for (int r = 0; r < RowBlocks; ++r) {
        mma_16x8x16<T>(x[r][2 * n], fragments[r], pair[0], pair[1]);
        mma_16x8x16<T>(x[r][2 * n + 1], fragments[r], pair[2], pair[3]);
      }
    }
  }
}

/// sums += A B for one warp: A [RowBlocks * 16][Chunks * 16] in fragments, B rows [Chunks * 16][Blocks * 8]
/// in shared memory.
template <typename T, int Stride, int RowBlocks, int Blocks, int Chunks>
__device__ inline void mma_add_rows(float (&sums)[RowBlocks][Blocks][4],
                                    const unsigned int (&a)[RowBlocks][Chunks][4], const T *b) {
  const int lane = opaque(threadIdx.x) % kWarpSize; // no address waits for the next tile
  const T *b_lane = b + lane % 16 * Stride + lane / 16 * 8;
#pragma unroll
  for (int c = 0; c < Chunks; ++c)
#pragma unroll
    for (int n = 0; n < Blocks / 2; ++n) {
      unsigned int pair[4];
      ldmatrix_x4_trans(pair, b_lane + c * 16 * Stride + n * 16);
#pragma unroll
      for (int r = 0; r < RowBlocks; ++r) {
        mma_16x8x16<T>(sums[r][2 * n], a[r][c], pair[0], pair[1]);
        mma_16x8x16<T>(sums[r][2 * n + 1], a[r][c], pair[2], pair[3]);
      }
    }
}

} // namespace heddle

#endif // HEDDLE_DEVICE_MMA_TILES_CUH
