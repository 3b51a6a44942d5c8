//===- CpuProduct.h - Matrix products on the CPU ----------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_PRODUCT_CPUPRODUCT_H
#define HEDDLE_RUNTIME_PRODUCT_CPUPRODUCT_H

#include "runtime/base/Status.h"
#include "runtime/base/ThreadPool.h"
#include "runtime/plan/Plan.h"
#include "runtime/product/TiledProduct.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Computes Plan.h's Product with float32 sums: by TiledProducts where Product::algorithm is kTiledProduct,
/// by the library where it is empty. For the library the result is cut into tiles by its size and the number
/// of threads alone, each tile computed by one thread: the same product gives the same bits every time. bf16
/// and f16 operands are widened panel by panel, and a narrow result is rounded once, on store. MathMode::TF32
/// permits rounding of the operands, which this processor has no use for: they stay float32. Not for two
/// callers at a time.
class CpuProducts {
public:
  /// Unavailable where the product library does not work on this processor.
  static StatusOr<std::unique_ptr<CpuProducts>> create(ThreadPool &pool);

  /// "OpenBLAS 0.3.21 (SkylakeX)".
  const std::string &library() const { return library_; }

  /// Addresses have the references' byte offsets applied; `c` and `bias` are null where absent. The product
  /// has been verified (verifyPlan). InvalidInput where Product::algorithm is none of the CPU's.
  Status run(const Product &product, const void *a, const void *b, const void *c, const void *bias, void *d);

private:
  CpuProducts(ThreadPool &pool, std::string library)
      : pool_(pool), tiled_(pool, cpuLevel()), library_(std::move(library)),
        scratch_(static_cast<size_t>(pool.threads())) {}

  Status runLibrary(const Product &product, const void *a, const void *b, const void *c, const void *bias,
                    void *d);

  ThreadPool &pool_;
  TiledProducts tiled_;
  std::string library_;
  std::vector<std::vector<float>> scratch_; ///< Of each thread: widened panels and the float32 tile.
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_CPUPRODUCT_H
