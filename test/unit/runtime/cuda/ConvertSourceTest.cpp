//===- ConvertSourceTest.cpp - The conversion kernels, run on the host ----===//
//
// Convert.cu is plain arithmetic: compiled as C++, with the few words of CUDA that it uses defined here, it
// must give the bits of runtime/base/Convert.h for every pattern of 16 bits and for float32 around every
// boundary.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/Convert.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

#define __device__
#define __global__
#define __forceinline__ inline
struct {
  unsigned x;
} blockIdx{0}, blockDim{1}, threadIdx{0}, gridDim{1};
unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
#include "runtime/device/cuda/Convert.cu"

using namespace heddle::runtime;

/// All 16-bit patterns.
std::vector<uint16_t> everyHalf() {
  std::vector<uint16_t> patterns(0x10000);
  for (size_t i = 0; i < patterns.size(); ++i)
    patterns[i] = static_cast<uint16_t>(i);
  return patterns;
}

/// For every upper half: lower halves that are zero, just below, at and just above the ties of bf16 and f16.
std::vector<float> floats() {
  std::vector<float> values;
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u, 0x7fffu,
                           0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
  return values;
}

/// What Convert.h makes of `source`.
template <typename To, typename From>
std::vector<To> onHost(DType to, DType from, const std::vector<From> &source) {
  int64_t count = static_cast<int64_t>(source.size());
  std::vector<float> wide(source.size());
  std::vector<To> out(source.size());
  EXPECT_TRUE(widenToF32(from, source.data(), wide.data(), count));
  EXPECT_TRUE(narrowFromF32(to, wide.data(), out.data(), count));
  return out;
}

/// What a kernel of Convert.cu makes of it.
template <typename To, typename Out, typename In, typename From>
std::vector<To> byKernel(void (*kernel)(Out *, const In *, u64), const std::vector<From> &source) {
  static_assert(sizeof(Out) == sizeof(To) && sizeof(In) == sizeof(From));
  std::vector<To> out(source.size());
  kernel(reinterpret_cast<Out *>(out.data()), reinterpret_cast<const In *>(source.data()), source.size());
  return out;
}

/// Compares bits: a NaN equals itself here.
template <typename T>
void expectSameBits(const std::vector<T> &found, const std::vector<T> &wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(std::memcmp(&found[i], &wanted[i], sizeof(T)), 0) << "element " << i;
}

} // namespace

TEST(ConvertSource, WidensLikeTheHost) {
  expectSameBits(byKernel<float>(heddle_convert_bf16_f32, everyHalf()),
                 onHost<float>(DType::F32, DType::BF16, everyHalf()));
  expectSameBits(byKernel<float>(heddle_convert_f16_f32, everyHalf()),
                 onHost<float>(DType::F32, DType::F16, everyHalf()));
}

TEST(ConvertSource, NarrowsLikeTheHost) {
  expectSameBits(byKernel<uint16_t>(heddle_convert_f32_bf16, floats()),
                 onHost<uint16_t>(DType::BF16, DType::F32, floats()));
  expectSameBits(byKernel<uint16_t>(heddle_convert_f32_f16, floats()),
                 onHost<uint16_t>(DType::F16, DType::F32, floats()));
}

TEST(ConvertSource, GoesBetweenHalvesLikeTheHost) {
  expectSameBits(byKernel<uint16_t>(heddle_convert_bf16_f16, everyHalf()),
                 onHost<uint16_t>(DType::F16, DType::BF16, everyHalf()));
  expectSameBits(byKernel<uint16_t>(heddle_convert_f16_bf16, everyHalf()),
                 onHost<uint16_t>(DType::BF16, DType::F16, everyHalf()));
}
