//===- Convert.cpp - Conversions between floating types -------------------===//
#include "runtime/base/Convert.h"

#include "runtime/base/CpuFeatures.h"

#include <cstring>

namespace heddle::runtime {

float f16ToF32(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  uint32_t rest = bits & 0x7fffu;
  if (rest >= 0x7c00u) { // Infinity or NaN; a signalling NaN becomes quiet.
    uint32_t mantissa = (rest & 0x3ffu) << 13;
    return std::bit_cast<float>(sign | 0x7f800000u | mantissa | (mantissa ? 0x400000u : 0u));
  }
  // Denormals too: the half's value is rest * 2^-24 scaled by the exponent, which this multiplication does
  // exactly.
  float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

uint16_t f32ToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)
    return static_cast<uint16_t>(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  if (rest >= 0x47800000u) // 65536 and above.
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (rest < 0x38800000u) { // Below 2^-14: adding 0.5 leaves the rounded denormal in the low bits.
    float shifted = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  // Rebase the exponent; a carry out of the mantissa moves into it, and from 65520 on gives infinity.
  uint32_t rounded = rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1);
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

namespace {

HEDDLE_ALWAYS_INLINE void widenBf16Body(const uint16_t *__restrict__ source, float *__restrict__ destination,
                                        int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    destination[i] = bf16ToF32(source[i]);
}
HEDDLE_DISPATCH(widenBf16, widenBf16Body, (const uint16_t *source, float *destination, int64_t count),
                (source, destination, count))

HEDDLE_ALWAYS_INLINE void narrowBf16Body(const float *__restrict__ source, uint16_t *__restrict__ destination,
                                         int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    destination[i] = f32ToBf16(source[i]);
}
HEDDLE_DISPATCH(narrowBf16, narrowBf16Body, (const float *source, uint16_t *destination, int64_t count),
                (source, destination, count))

Status notFloating(DType type) {
  return internalError("conversion wants f32, bf16 or f16, found " + std::string(nameOf(type)));
}

template <typename T>
void widenPlain(const void *source, double *destination, int64_t count) {
  auto *elements = static_cast<const T *>(source);
  for (int64_t i = 0; i < count; ++i)
    destination[i] = static_cast<double>(elements[i]);
}

} // namespace

Status widenToF32(DType type, const void *source, float *destination, int64_t count) {
  switch (type) {
  case DType::F32:
    if (count > 0) // memcpy takes no null pointer, not even for nothing.
      std::memcpy(destination, source, static_cast<size_t>(count) * sizeof(float));
    return Status::ok();
  case DType::BF16:
    widenBf16(static_cast<const uint16_t *>(source), destination, count);
    return Status::ok();
  case DType::F16:
    for (int64_t i = 0; i < count; ++i)
      destination[i] = f16ToF32(static_cast<const uint16_t *>(source)[i]);
    return Status::ok();
  default:
    return notFloating(type);
  }
}

Status narrowFromF32(DType type, const float *source, void *destination, int64_t count) {
  switch (type) {
  case DType::F32:
    if (count > 0) // memcpy takes no null pointer, not even for nothing.
      std::memcpy(destination, source, static_cast<size_t>(count) * sizeof(float));
    return Status::ok();
  case DType::BF16:
    narrowBf16(source, static_cast<uint16_t *>(destination), count);
    return Status::ok();
  case DType::F16:
    for (int64_t i = 0; i < count; ++i)
      static_cast<uint16_t *>(destination)[i] = f32ToF16(source[i]);
    return Status::ok();
  default:
    return notFloating(type);
  }
}

void widenToF64(DType type, const void *source, double *destination, int64_t count) {
  switch (type) {
  case DType::F32:
    return widenPlain<float>(source, destination, count);
  case DType::BF16:
    for (int64_t i = 0; i < count; ++i)
      destination[i] = bf16ToF32(static_cast<const uint16_t *>(source)[i]);
    return;
  case DType::F16:
    for (int64_t i = 0; i < count; ++i)
      destination[i] = f16ToF32(static_cast<const uint16_t *>(source)[i]);
    return;
  case DType::I32:
    return widenPlain<int32_t>(source, destination, count);
  case DType::I64:
    return widenPlain<int64_t>(source, destination, count);
  case DType::Bool:
  case DType::U8:
    return widenPlain<uint8_t>(source, destination, count);
  }
}

} // namespace heddle::runtime
