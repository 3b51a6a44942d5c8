//===- OpenBlas.h - The library behind CPU products -------------*- C++ -*-===//
//
// OpenBLAS picks its kernels when the program starts: by OPENBLAS_CORETYPE, which may be set for other
// programs, or by a list of the processors known when it was released. The wrong kernels cost half the speed
// (AVX2 ones on a core with AVX-512) or compute wrong results. So the core type is chosen here, from what the
// processor can do, before the first product, and a product is checked. Its own threads stay unused: between
// two products they would spin on the cores that other kernels need.
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
/// HEDDLE_OPENBLAS_CORETYPE overrules the choice; OPENBLAS_CORETYPE, which may be meant for other programs,
/// does not.
/// OutOfMemory where the process gets no memory for the library's buffers.
StatusOr<std::string> prepareOpenBlas();

/// Makes sure that `callers` threads can be in sgemm at once. Each takes a buffer of 128 MiB of address space
/// from the library, which keeps it for the next call, and which asks again for ever where it gets none.
/// OutOfMemory where the system refuses one. Cheap once it succeeded for as many.
Status reserveOpenBlas(int callers);

/// c = alpha * op(a)·op(b) + beta * c in float32, row-major, on the calling thread; op transposes where
/// asked. op(a) is m×k, op(b) k×n, c m×n, all above zero. Where beta is 0, c is not read.
void sgemm(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
           int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_OPENBLAS_H
