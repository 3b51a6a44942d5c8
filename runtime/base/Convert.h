//===- Convert.h - Conversions between floating types -----------*- C++ -*-===//
//
// bf16 and f16 to and from float32. Narrowing rounds to nearest, ties to even; overflow gives infinity; a NaN
// stays a NaN (quiet, sign and upper payload kept); denormals are kept.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_CONVERT_H
#define HEDDLE_RUNTIME_BASE_CONVERT_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"

#include <bit>
#include <cstdint>

namespace heddle::runtime {

inline float bf16ToF32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline uint16_t f32ToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

float f16ToF32(uint16_t bits);
uint16_t f32ToF16(float value);

/// Whole arrays. `type` is F32, BF16 or F16, otherwise Internal. Source and destination do not overlap.
Status widenToF32(DType type, const void *source, float *destination, int64_t count);
Status narrowFromF32(DType type, const float *source, void *destination, int64_t count);

/// Elements of any type as float64: integers exactly below 2^53, Bool as 0 or 1.
void widenToF64(DType type, const void *source, double *destination, int64_t count);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_CONVERT_H
