// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from global to shared memory that run beside the arithmetic (cp.async), and matrix fragments for the
// tensor cores (ldmatrix, mma.sync). Needs sm_80. This file and types.cuh hold all of the library's inline
// PTX.

#ifndef HEDDLE_DEVICE_ASYNC_CUH
#define HEDDLE_DEVICE_ASYNC_CUH

#include "prelude.cuh"

namespace heddle {

/// The block's dynamic shared memory, aligned to 128 bytes.
__device__ inline unsigned char *dynamic_shared() {
  extern __shared__ __align__(128) unsigned char heddle_dynamic_shared[];
  return heddle_dynamic_shared;
}

/// 32-bit address within shared memory, as the instructions below want it.
__device__ inline unsigned int shared_address(const void *pointer) {
  return (unsigned int)__cvta_generic_to_shared(pointer);
}

/// Starts a copy of 16 bytes past L1; both addresses aligned to 16. Where not `valid` nothing is read, and
/// zeros are written: that is how tiles get their rows beyond the end.
__device__ inline void cp_async_16(void *target, const void *source, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(target)), "l"(source),
               "r"(valid ? 16 : 0)
               : "memory");
}

/// The same for 4 bytes, for copies that transpose float32 on the way.
__device__ inline void cp_async_4(void *target, const void *source, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(target)), "l"(source),
               "r"(valid ? 4 : 0)
               : "memory");
}

/// Closes the group of all copies that this thread started since the last call.
__device__ inline void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Waits until at most `Pending` of this thread's youngest groups are under way. A barrier must follow before
/// other threads' copies are read.
template <int Pending>
__device__ inline void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

/// Barrier `id` (1..15) of `threads` threads, a multiple of 32: arrives and waits.
__device__ inline void named_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Waits until another block has published `wanted` in *counter. After a barrier, all threads of this block
/// see, by load_fresh, what the other block's threads stored before theirs.
__device__ inline void wait_for(const int *counter, int wanted) {
  int value;
  do
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  while (value != wanted);
}

/// Lets other blocks see `value`, and what this block stored before the last barrier.
__device__ inline void publish(int *counter, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

/// The next number of a counter that all blocks draw from, from 0.
__device__ inline int draw_number(int *counter) {
  int value;
  asm volatile("atom.relaxed.gpu.global.add.s32 %0, [%1], 1;" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

/// Loads N floats (1, 2 or 4, aligned together) past L1, which does not know what other blocks have stored.
template <int N>
__device__ void load_fresh(float (&values)[N], const float *source);
template <>
__device__ inline void load_fresh<1>(float (&values)[1], const float *source) {
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(values[0]) : "l"(source) : "memory");
}
template <>
__device__ inline void load_fresh<2>(float (&values)[2], const float *source) {
  asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];"
               : "=f"(values[0]), "=f"(values[1])
               : "l"(source)
               : "memory");
}
template <>
__device__ inline void load_fresh<4>(float (&values)[4], const float *source) {
  asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3])
               : "l"(source)
               : "memory");
}

/// Four 8x8 matrices of 16-bit elements. Lane l names row l % 8 of matrix l / 8 (16 bytes, aligned to 16) and
/// receives in matrices[m] the elements (l / 4, 2 * (l % 4)) and (l / 4, 2 * (l % 4) + 1) of matrix m.
__device__ inline void ldmatrix_x4(unsigned int (&matrices)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(shared_address(row))
               : "memory");
}

/// The same, each matrix transposed: the lane receives the elements (2 * (l % 4), l / 4) and (2 * (l % 4) +
/// 1, l / 4).
__device__ inline void ldmatrix_x4_trans(unsigned int (&matrices)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(shared_address(row))
               : "memory");
}

/// c[16x8] += a[16x16] * b[16x8], float32 sums. With g = lane / 4 and t = lane % 4 a lane holds
///   a[0..3]  pairs of columns 2t, 2t + 1 at (row g, k 0..7), (row g + 8, k 0..7), (row g, k 8..15), (row g +
///   8, k 8..15) b0, b1   pairs of k 2t, 2t + 1 of column g at k 0..7 and k 8..15 c[0..3]  (g, 2t), (g, 2t +
///   1), (g + 8, 2t), (g + 8, 2t + 1)
template <typename T>
__device__ void mma_16x8x16(float (&c)[4], const unsigned int (&a)[4], unsigned int b0, unsigned int b1);

template <>
__device__ inline void mma_16x8x16<bf16>(float (&c)[4], const unsigned int (&a)[4], unsigned int b0,
                                         unsigned int b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

template <>
__device__ inline void mma_16x8x16<f16>(float (&c)[4], const unsigned int (&a)[4], unsigned int b0,
                                        unsigned int b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ASYNC_CUH
