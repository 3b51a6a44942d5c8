//===- OpenBlas.h - The library behind CPU products -------------*- C++ -*-===//
//
// OpenBLAS picks its kernels when the program starts, by a list of processors that ends with those known when it was
// released: newer ones get older kernels (half the speed on an AMD Zen 5 with version 0.3.21), or wrong ones. So the
// core type is chosen here, from what the processor can do, before the first product, and a product is checked.
// Its own threads stay unused: between two products they would spin on the cores that other kernels need.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_OPENBLAS_H
#define HEDDLE_RUNTIME_PRODUCT_OPENBLAS_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>

namespace heddle::runtime {

/// Prepares the library; the first call does the work. Returns its version and core type: "OpenBLAS 0.3.21
/// (SkylakeX)". Unavailable where it computes a wrong product on this processor. The environment variable
/// OPENBLAS_CORETYPE, where set, overrules the choice.
StatusOr<std::string> prepareOpenBlas();

/// c = alpha * op(a)·op(b) + beta * c in float32, row-major, on the calling thread; op transposes where asked.
/// op(a) is m×k, op(b) k×n, c m×n, all above zero. Where beta is 0, c is not read.
void sgemm(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
           int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_OPENBLAS_H
