//===- Generate.cu - Tensors from the counter-based generator -------------===//
//
// The device's side of runtime/base/Random.h: Philox4x32-10 keyed by the seed and counted by element and stream, eight
// halves summed, one float32 multiplication. Compiled by NVRTC when the first tensor is generated.
//
//===----------------------------------------------------------------------===//

typedef unsigned int u32;
typedef unsigned long long u64;

// Philox4x32-10, with the multipliers and key increments of its paper (SC'11, section 4).
__device__ __forceinline__ void philox(u32 (&c)[4], u32 k0, u32 k1) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    u64 p0 = (u64)0xD2511F53u * c[0];
    u64 p1 = (u64)0xCD9E8D57u * c[2];
    u32 next0 = (u32)(p1 >> 32) ^ c[1] ^ k0;
    u32 next2 = (u32)(p0 >> 32) ^ c[3] ^ k1;
    c[0] = next0;
    c[1] = (u32)p1;
    c[2] = next2;
    c[3] = (u32)p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

__device__ __forceinline__ float normalElement(u64 seed, u64 stream, u64 index, float factor) {
  u32 c[4] = {(u32)index, (u32)(index >> 32), (u32)stream, (u32)(stream >> 32)};
  philox(c, (u32)seed, (u32)(seed >> 32));
  int sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    sum += (int)(c[i] & 0xffffu) + (int)(c[i] >> 16);
  return factor * (float)(sum - 262140);
}

// Round to nearest, ties to even; the values are finite.
__device__ __forceinline__ unsigned short toBf16(float value) {
  u32 bits = __float_as_uint(value);
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

__device__ __forceinline__ unsigned short toF16(float value) {
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
  return half;
}

// Grid-stride loops, one element a thread and turn: the integer work of a Philox block hides the store.
extern "C" __global__ void heddle_generate_f32(float *out, u64 count, u64 seed, u64 stream, float factor) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    out[i] = normalElement(seed, stream, i, factor);
}

extern "C" __global__ void heddle_generate_bf16(unsigned short *out, u64 count, u64 seed, u64 stream,
                                                float factor) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    out[i] = toBf16(normalElement(seed, stream, i, factor));
}

extern "C" __global__ void heddle_generate_f16(unsigned short *out, u64 count, u64 seed, u64 stream,
                                               float factor) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += (u64)gridDim.x * blockDim.x)
    out[i] = toF16(normalElement(seed, stream, i, factor));
}
