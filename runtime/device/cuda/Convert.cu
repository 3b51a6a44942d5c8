//===- Convert.cu - Conversions between floating types --------------------===//
//
// The device's side of runtime/base/Convert.h: round to nearest, ties to even, a NaN stays a quiet NaN with its sign and
// upper payload, denormals are kept. In integer arithmetic where the hardware's conversion would drop a NaN's payload, so
// that the bits are those of the CPU. Compiled by NVRTC when the first tensor is converted.
//
//===----------------------------------------------------------------------===//

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

struct F32 {
  u32 bits;
};
struct BF16 {
  u16 bits;
};
struct F16 {
  u16 bits;
};

// Each type's value as the bits of a float32.
__device__ __forceinline__ u32 widen(F32 value) { return value.bits; }
__device__ __forceinline__ u32 widen(BF16 value) { return (u32)value.bits << 16; }
__device__ __forceinline__ u32 widen(F16 value) {
  u32 sign = (u32)(value.bits & 0x8000u) << 16, rest = value.bits & 0x7fffu, fraction = rest & 0x3ffu;
  if (rest >= 0x7c00u)
    return sign | 0x7f800000u | (fraction << 13) | (fraction ? 0x400000u : 0u);
  if (rest < 0x400u) // Zero and denormals: multiples of 2^-24, exact in float32.
    return sign | __float_as_uint((float)rest * 5.9604644775390625e-8f);
  return sign | ((rest << 13) + 0x38000000u);
}

__device__ __forceinline__ void narrow(u32 bits, F32 &out) { out.bits = bits; }
__device__ __forceinline__ void narrow(u32 bits, BF16 &out) {
  bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
  out.bits = (u16)(nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
__device__ __forceinline__ void narrow(u32 bits, F16 &out) {
  u32 sign = (bits >> 16) & 0x8000u, rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)
    out.bits = (u16)(sign | 0x7e00u | ((rest >> 13) & 0x3ffu));
  else if (rest >= 0x47800000u) // 65536 and above.
    out.bits = (u16)(sign | 0x7c00u);
  else if (rest < 0x38800000u) // Below 2^-14: adding 0.5 leaves the rounded denormal in the low bits.
    out.bits = (u16)(sign | (__float_as_uint(__uint_as_float(rest) + 0.5f) - 0x3f000000u));
  else // Rebase the exponent; a carry out of the fraction moves into it, and from 65520 on gives infinity.
    out.bits = (u16)(sign | ((rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13));
}

// Grid-stride loops, one element a thread and turn: the bus that brings the elements is slower.
template <typename From, typename To>
__device__ __forceinline__ void convert(To *out, const From *in, u64 count) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    narrow(widen(in[i]), out[i]);
}

#define HEDDLE_CONVERT(name, From, To)                                                                                 \
  extern "C" __global__ void name(To *out, const From *in, u64 count) { convert(out, in, count); }

HEDDLE_CONVERT(heddle_convert_f32_bf16, F32, BF16)
HEDDLE_CONVERT(heddle_convert_f32_f16, F32, F16)
HEDDLE_CONVERT(heddle_convert_bf16_f32, BF16, F32)
HEDDLE_CONVERT(heddle_convert_bf16_f16, BF16, F16)
HEDDLE_CONVERT(heddle_convert_f16_f32, F16, F32)
HEDDLE_CONVERT(heddle_convert_f16_bf16, F16, BF16)
