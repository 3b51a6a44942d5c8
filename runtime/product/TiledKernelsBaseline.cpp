//===- TiledKernelsBaseline.cpp - What every x86-64 has: SSE2 -------------===//
//
// Without a fused multiply-add a product is rounded before it is added: other bits than on newer processors.
//
//===----------------------------------------------------------------------===//
#include "runtime/product/TiledKernelsBody.h"

#include <immintrin.h>

namespace heddle::runtime {

namespace {

struct Sse2 {
  using Vector = __m128;
  static constexpr int kLanes = 4;
  static Vector load(const float *from) { return _mm_loadu_ps(from); }
  static void store(float *to, Vector value) { _mm_storeu_ps(to, value); }
  static Vector broadcast(float value) { return _mm_set1_ps(value); }
  static Vector add(Vector a, Vector b) { return _mm_add_ps(a, b); }
  static Vector multiplyAdd(Vector a, Vector b, Vector c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
  static Vector interleaveLow(Vector a, Vector b) { return _mm_unpacklo_ps(a, b); }
  static Vector interleaveHigh(Vector a, Vector b) { return _mm_unpackhi_ps(a, b); }
};

} // namespace

constexpr TiledKernels kTiledKernelsBaseline = makeTiledKernels<Sse2, 6, 2>();

} // namespace heddle::runtime
