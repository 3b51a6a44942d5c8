//===- TiledKernelsV4.cpp - AVX-512: 14 rows of two vectors ---------------===//
//
// 28 sums, two vectors of b and a broadcast are 31 of 32 registers.
//
//===----------------------------------------------------------------------===//
#include "runtime/product/TiledKernelsBody.h"

#include <immintrin.h>

namespace heddle::runtime {

namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr int kLanes = 16;
  static Vector load(const float *from) { return _mm512_loadu_ps(from); }
  static void store(float *to, Vector value) { _mm512_storeu_ps(to, value); }
  static Vector broadcast(float value) { return _mm512_set1_ps(value); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static Vector interleaveLow(Vector a, Vector b) {
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
  }
  static Vector interleaveHigh(Vector a, Vector b) {
    const __m512i order = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
  }
};

} // namespace

constexpr TiledKernels kTiledKernelsV4 = makeTiledKernels<Avx512, 14, 2>();
static_assert(kTiledKernelsV4.columns == kTiledColumnsV4);

} // namespace heddle::runtime
