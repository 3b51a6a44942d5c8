//===- TiledKernelsV3.cpp - AVX2 and FMA: 6 rows of two vectors -----------===//
//
// 12 sums, two vectors of b and a broadcast are 15 of 16 registers.
//
//===----------------------------------------------------------------------===//
#include "runtime/product/TiledKernelsBody.h"

#include <immintrin.h>

namespace heddle::runtime {

namespace {

struct Avx2 {
  using Vector = __m256;
  static constexpr int kLanes = 8;
  static Vector load(const float *from) { return _mm256_loadu_ps(from); }
  static void store(float *to, Vector value) { _mm256_storeu_ps(to, value); }
  static Vector broadcast(float value) { return _mm256_set1_ps(value); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector interleaveLow(Vector a, Vector b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
  }
  static Vector interleaveHigh(Vector a, Vector b) {
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
  }
};

} // namespace

constexpr TiledKernels kTiledKernelsV3 = makeTiledKernels<Avx2, 6, 2>();
static_assert(kTiledKernelsV3.columns == kTiledColumnsV3);

} // namespace heddle::runtime
