// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated row kernels call besides prelude.cuh and reduce.cuh: vectors of any length in accesses of at
// most sixteen bytes, and scalar operations whose meaning in C++ differs from the compiler's.

#ifndef HEDDLE_DEVICE_ROW_CUH
#define HEDDLE_DEVICE_ROW_CUH

#include "prelude.cuh"
#include "reduce.cuh"

namespace heddle {

/// Elements of one access for a vector of N.
template <typename T, int N>
constexpr int kAccessWidth = N *int(sizeof(T)) > 16 ? 16 / int(sizeof(T)) : N;

/// Reads source[0..N). The address must be aligned to the whole vector, or to 16 bytes where that is longer.
template <typename T, int N>
__device__ inline void load_lanes(T (&lanes)[N], const T *source) {
  constexpr int kWidth = kAccessWidth<T, N>;
#pragma unroll
  for (int j = 0; j < N; j += kWidth) {
    const Vec<T, kWidth> part = Vec<T, kWidth>::load(source + j);
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      lanes[j + i] = part[i];
  }
}

/// Writes target[0..N); aligned as for load_lanes.
template <typename T, int N>
__device__ inline void store_lanes(T *target, const T (&lanes)[N]) {
  constexpr int kWidth = kAccessWidth<T, N>;
#pragma unroll
  for (int j = 0; j < N; j += kWidth) {
    Vec<T, kWidth> part;
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      part[i] = lanes[j + i];
    part.store(target + j);
  }
}

/// Integer arithmetic that wraps, as the compiler's does: signed overflow has no meaning in C++.
__device__ inline int wrap_add(int a, int b) { return int(uint32_t(a) + uint32_t(b)); }
__device__ inline int wrap_sub(int a, int b) { return int(uint32_t(a) - uint32_t(b)); }
__device__ inline int wrap_mul(int a, int b) { return int(uint32_t(a) * uint32_t(b)); }
__device__ inline long long wrap_add(long long a, long long b) {
  return (long long)(uint64_t(a) + uint64_t(b));
}
__device__ inline long long wrap_sub(long long a, long long b) {
  return (long long)(uint64_t(a) - uint64_t(b));
}
__device__ inline long long wrap_mul(long long a, long long b) {
  return (long long)(uint64_t(a) * uint64_t(b));
}

/// Zeros come in from the left; 0 <= b < the width of a.
__device__ inline int shift_right(int a, int b) { return int(uint32_t(a) >> b); }
__device__ inline long long shift_right(long long a, long long b) { return (long long)(uint64_t(a) >> b); }

/// Quotient rounded down and the remainder that belongs to it, for b > 0 and any a.
__device__ inline long long floor_div(long long a, long long b) { return (a - (a % b + b) % b) / b; }
__device__ inline long long floor_mod(long long a, long long b) { return (a % b + b) % b; }

/// Quotient rounded up; as floor_div.
__device__ inline long long ceiling_div(long long a, long long b) { return -floor_div(-a, b); }

/// Quotient and remainder of numbers that are not negative: unsigned division is the shorter one.
__device__ inline long long quotient(long long a, long long b) {
  return (long long)(uint64_t(a) / uint64_t(b));
}
__device__ inline long long remainder(long long a, long long b) {
  return (long long)(uint64_t(a) % uint64_t(b));
}

/// True where neither is NaN.
__device__ inline bool ordered(float a, float b) { return a == a && b == b; }
/// True where neither is NaN and they differ.
__device__ inline bool less_or_greater(float a, float b) { return a < b || a > b; }

} // namespace heddle

#endif // HEDDLE_DEVICE_ROW_CUH
