//===- TiledProduct.h - Heddle's own products on the CPU --------*- C++ -*-===//
//
// A compiled plan's products, where the library packs both operands again for each of a product's tiles and
// writes the result before the epilogue reads it. Here a is read where it is stored, b, which weights bring
// along packed, too (other operands are packed once or tile by tile) while the next tile's share is on its
// way into the cache, and a tile gets its epilogue, its conversion and its residual while it is in the
// second-level cache. docs/rationale.md, "CPU products", has the measurements. The blocking is that of Goto
// and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_TILEDPRODUCT_H
#define HEDDLE_RUNTIME_PRODUCT_TILEDPRODUCT_H

#include "runtime/base/CpuFeatures.h"
#include "runtime/base/LargeArray.h"
#include "runtime/base/Status.h"
#include "runtime/base/ThreadPool.h"
#include "runtime/plan/Plan.h"

namespace heddle::runtime {

struct TiledKernels;

/// Computes Plan.h's Product with float32 sums: k in chains of kTiledChain (of kTiledShortChain with few
/// rows), one fused multiply-add (below AVX2, a multiplication and an addition) after the other within a
/// chain, chains added in their order. An element's bits depend on neither the number of threads nor the
/// tiles. bf16 and f16 operands are widened as they are packed, a narrow result is rounded once. Not for two
/// callers at a time.
class TiledProducts {
public:
  /// For the instructions of `level`, which this processor must have.
  TiledProducts(ThreadPool &pool, CpuLevel level);

  /// As CpuProducts::run; b is in panels of `panel` rows (runtime/plan/Panels.h), or as the product says
  /// where that is 0. Unavailable where no kernel of this processor takes such panels.
  Status run(const Product &product, int64_t panel, const void *a, const void *b, const void *c,
             const void *bias, void *d);

private:
  ThreadPool &pool_;
  CpuLevel level_;
  LargeArray packedA_; ///< Some rows of a, all of k; shared by the threads.
  LargeArray scratch_; ///< For each thread: a block of b, a tile of d, what is widened.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_TILEDPRODUCT_H
