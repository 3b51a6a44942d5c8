// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every generated kernel includes first. NVRTC has no standard headers, so the integer types and
// INFINITY come from here; nvcc takes them from the C library, so that the same files serve the standalone
// benches.

#ifndef HEDDLE_DEVICE_PRELUDE_CUH
#define HEDDLE_DEVICE_PRELUDE_CUH

#ifdef __CUDACC_RTC__
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
using uintptr_t = unsigned long long;
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#else
#include <math.h>
#include <stdint.h>
#endif

#include "types.cuh"

namespace heddle {

constexpr int kWarpSize = 32;

/// A bool as a type, to hand a compile-time choice to a generic lambda.
template <bool Value>
struct BoolConstant {
  static constexpr bool value = Value;
};

/// Smallest multiple of `step` that is not below `value`.
__host__ __device__ constexpr int round_up(int value, int step) { return (value + step - 1) / step * step; }

/// Quotient rounded up, for value >= 0 and step > 0.
__host__ __device__ constexpr int ceil_div(int value, int step) { return (value + step - 1) / step; }

/// The unsigned machine word, or words, that move `Bytes` bytes in one access.
template <int Bytes>
struct AccessWord;
template <>
struct AccessWord<1> {
  using type = uint8_t;
};
template <>
struct AccessWord<2> {
  using type = uint16_t;
};
template <>
struct AccessWord<4> {
  using type = uint32_t;
};
template <>
struct AccessWord<8> {
  using type = uint2;
};
template <>
struct AccessWord<16> {
  using type = uint4;
};

/// N elements that travel in one access of sizeof(T) * N bytes (1, 2, 4, 8 or 16). Loads and stores go
/// through one machine word, because the compiler does not merge the accesses of 2-byte elements by itself.
/// Addresses must be aligned to the whole vector.
template <typename T, int N>
struct alignas(sizeof(T) * N) Vec {
  using Word = typename AccessWord<int(sizeof(T)) * N>::type;
  T v[N];

  __device__ T &operator[](int i) { return v[i]; }
  __device__ const T &operator[](int i) const { return v[i]; }

  /// Reads source[0..N).
  static __device__ Vec load(const T *source) {
    Word word = *reinterpret_cast<const Word *>(source);
    Vec result;
    memcpy(&result, &word, sizeof(Word));
    return result;
  }

  /// Writes target[0..N).
  __device__ void store(T *target) const {
    Word word;
    memcpy(&word, this, sizeof(Word));
    *reinterpret_cast<Word *>(target) = word;
  }

  static __device__ Vec filled(T value) {
    Vec result;
#pragma unroll
    for (int i = 0; i < N; ++i)
      result.v[i] = value;
    return result;
  }
};

/// Elements in a 16-byte access.
template <typename T>
constexpr int kVectorWidth = 16 / int(sizeof(T));

} // namespace heddle

#endif // HEDDLE_DEVICE_PRELUDE_CUH
