// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of wgmma.cuh alone, on small integers, whose sums are exact: a wrong descriptor or swizzle
// shows here under its own name, not as noise in attention.

#include "attention_instances.h"
#include "compiler/Target/CUDA/device/wgmma.cuh"

#include <cuda_runtime.h>

namespace heddle::bench {
namespace {

constexpr int kRows = 64;
constexpr int kSteps = 5; // of 16: the contraction crosses a column block
constexpr int kDepth = kSteps * 16;
constexpr int kBlockRows = 128; // that a column block of B has room for
constexpr int kSharedBytes = (2 * kRows + 4 * kBlockRows) * kSwizzleRowBytes;

/// Stores [rows, columns] as a swizzled tile; what lies beyond is zero.
template <typename T>
__device__ void fill(unsigned char *tile, const T *source, int rows, int columns, int block_rows) {
  for (int i = threadIdx.x; i < rows * columns; i += kWarpGroupSize) {
    const int row = i / columns, column = i % columns;
    unsigned char *chunk =
        tile + column / 64 * block_rows * kSwizzleRowBytes + swizzled_offset(row, column / 8 % 8);
    reinterpret_cast<T *>(chunk)[column % 8] = source[i];
  }
}

/// d[64, N] = a[64, kDepth] b, with b as [N, kDepth] (KMajor; A from shared memory) or [kDepth, N] (A from
/// registers).
template <typename T, int N, bool KMajor>
__global__ void __launch_bounds__(kWarpGroupSize) product(const T *a, const T *b, float *d) {
  unsigned char *shared_a = swizzled_shared();
  unsigned char *shared_b = shared_a + 2 * kRows * kSwizzleRowBytes;
  const int thread = threadIdx.x, lane = thread % kWarpSize, warp = thread / kWarpSize;
  fill(shared_a, a, kRows, kDepth, kRows);
  fill(shared_b, b, KMajor ? N : kDepth, KMajor ? kDepth : N, kBlockRows);
  fence_shared_for_wgmma();
  __syncthreads();
  float sums[N / 2];
#pragma unroll
  for (int i = 0; i < N / 2; ++i)
    sums[i] = KMajor ? 1e9f : 0.0f; // dropped, or added to
  const MatrixDescriptor a_operand = descriptor_k_major(shared_a);
  if constexpr (KMajor) {
    const MatrixDescriptor b_operand = descriptor_k_major(shared_b);
    pin_registers(sums);
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < kSteps; ++c)
      WarpGroupProduct<T, N>::shared(sums, a_operand + (c / 4 * kRows * kSwizzleRowBytes + c % 4 * 32),
                                     b_operand + (c / 4 * kBlockRows * kSwizzleRowBytes + c % 4 * 32),
                                     c != 0);
  } else {
    const MatrixDescriptor b_operand = descriptor_mn_major(shared_b, kBlockRows * kSwizzleRowBytes);
    unsigned int registers[kSteps][4];
#pragma unroll
    for (int c = 0; c < kSteps; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const T *pair = a + (warp * 16 + lane / 4 + e % 2 * 8) * kDepth + c * 16 + e / 2 * 8 + lane % 4 * 2;
        registers[c][e] = pair[0].bits | (unsigned int)pair[1].bits << 16;
      }
    pin_registers(registers);
    pin_registers(sums);
    wgmma_fence();
#pragma unroll
    for (int c = 0; c < kSteps; ++c)
      WarpGroupProduct<T, N>::values(sums, registers[c], b_operand + c * 16 * kSwizzleRowBytes);
  }
  wgmma_commit();
  wgmma_wait<0>(sums);
#pragma unroll
  for (int i = 0; i < N / 2; ++i)
    d[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * N + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
}

template <typename T, int N, bool KMajor>
int check(uint64_t seed, Element element) {
  std::vector<float> a(kRows * kDepth), b(N * kDepth), d(kRows * N);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = std::floor(uniform(seed, i) * 8);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = std::floor(uniform(seed + 1, i) * 8);
  std::vector<T> encoded(a.size() + b.size());
  for (size_t i = 0; i < encoded.size(); ++i)
    encoded[i].bits = (unsigned short)encode(element, i < a.size() ? a[i] : b[i - a.size()]);
  T *in = nullptr;
  float *out = nullptr;
  const auto kernel = product<T, N, KMajor>;
  cudaError_t error = cudaMalloc(&in, encoded.size() * 2);
  if (error == cudaSuccess)
    error = cudaMalloc(&out, d.size() * 4);
  if (error == cudaSuccess)
    error = cudaMemcpy(in, encoded.data(), encoded.size() * 2, cudaMemcpyHostToDevice);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  if (error == cudaSuccess) {
    cudaMemset(out, 0xff, d.size() * 4);
    kernel<<<1, kWarpGroupSize, kSharedBytes>>>(in, in + a.size(), out);
    error = cudaMemcpy(d.data(), out, d.size() * 4, cudaMemcpyDeviceToHost);
  }
  cudaFree(in);
  cudaFree(out);
  const char *order = KMajor ? "K-major, A in shared memory" : "MN-major, A in registers";
  if (error != cudaSuccess) {
    std::printf("FAIL,block,%s,n %d,%s: %s\n", name(element), N, order, cudaGetErrorString(error));
    return 1;
  }
  int wrong = 0, firstRow = 0, firstColumn = 0, lastColumn = 0;
  double wanted = 0;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < N; ++column) {
      double sum = 0;
      for (int k = 0; k < kDepth; ++k)
        sum += double(a[row * kDepth + k]) * b[KMajor ? column * kDepth + k : k * N + column];
      if (d[row * N + column] == sum)
        continue;
      if (wrong++ == 0)
        firstRow = row, firstColumn = column, wanted = sum;
      lastColumn = std::max(lastColumn, column);
    }
  if (wrong)
    std::printf("FAIL,block,%s,n %d,%s: %d of %d wrong; first (%d, %d): %g, wanted %g; last column %d\n",
                name(element), N, order, wrong, kRows * N, firstRow, firstColumn,
                d[firstRow * N + firstColumn], wanted, lastColumn);
  return wrong != 0;
}

template <int N>
void checkWidth(uint64_t seed, BlockTally &tally) {
  for (const int failed :
       {check<bf16, N, true>(seed, Element::BF16), check<bf16, N, false>(seed, Element::BF16),
        check<f16, N, true>(seed, Element::F16), check<f16, N, false>(seed, Element::F16)}) {
    ++tally.runs;
    tally.failures += failed;
  }
}

template <int... N>
BlockTally checkWidths(uint64_t seed) {
  BlockTally tally;
  (checkWidth<N>(seed, tally), ...);
  return tally;
}

const bool registered = [] {
  blockChecks() = checkWidths<16, 32, 48, 64, 80, 96, 112, 128>;
  return true;
}();

} // namespace
} // namespace heddle::bench
