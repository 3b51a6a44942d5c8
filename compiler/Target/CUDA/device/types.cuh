// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 and f16 as storage types: sixteen bits, converted to and from float32 explicitly and rounded to
// nearest even (compiling cuda_bf16.h would cost more than the kernel that uses it). Arithmetic happens in
// float32, or in mma.sync on packed pairs. This file and async.cuh hold all of the library's inline PTX.

#ifndef HEDDLE_DEVICE_TYPES_CUH
#define HEDDLE_DEVICE_TYPES_CUH

namespace heddle {

struct alignas(2) bf16 {
  unsigned short bits;
};

struct alignas(2) f16 {
  unsigned short bits;
};

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(bf16 value) { return __uint_as_float((unsigned int)value.bits << 16); }
__device__ inline float to_float(f16 value) {
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
}

/// float32 to T, to nearest even. NaN stays NaN, overflow becomes infinity.
template <typename T>
__device__ T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline bf16 from_float<bf16>(float value) {
  bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}
template <>
__device__ inline f16 from_float<f16>(float value) {
  f16 result;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
  return result;
}

/// Two values in one register, `low` in bits 0..15: the element order of mma.sync fragments and of memory.
template <typename T>
__device__ unsigned int pack_pair(float low, float high);
template <>
__device__ inline unsigned int pack_pair<bf16>(float low, float high) {
  unsigned int result;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}
template <>
__device__ inline unsigned int pack_pair<f16>(float low, float high) {
  unsigned int result;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(result) : "f"(high), "f"(low));
  return result;
}

/// `value`, of which the compiler knows nothing: what is computed from it in a loop stays there, instead of
/// waiting in registers (an unrolled loop's row addresses, for one).
__device__ inline int opaque(int value) {
  asm volatile("" : "+r"(value));
  return value;
}

/// 2^x by the special function unit: at most 2 ulp, results below 2^-126 are zero, exp2_approx(-inf) = 0.
__device__ inline float exp2_approx(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

} // namespace heddle

#endif // HEDDLE_DEVICE_TYPES_CUH
