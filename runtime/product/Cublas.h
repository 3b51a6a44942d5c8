//===- Cublas.h - Matrix products by cuBLASLt -------------------*- C++ -*-===//
//
// Row-major products by the column-major library: d = a·b is computed as dᵀ = bᵀ·aᵀ, whose column-major
// operands are the same bytes. The library's choice of algorithm is asked for once for each distinct product,
// alignment included, and kept; after that a product costs a table look-up and one call.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_CUBLAS_H
#define HEDDLE_RUNTIME_PRODUCT_CUBLAS_H

#include "runtime/base/Status.h"
#include "runtime/device/Device.h"
#include "runtime/plan/Workspace.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::runtime {

class Cublas {
public:
  /// Loads libcublasLt and makes a handle for the current CUDA context. Unavailable lists where it was looked
  /// for.
  static StatusOr<std::unique_ptr<Cublas>> create();

  /// Where the library is and its version, without a handle (and so without a GPU).
  struct Library {
    std::string path, version;
  };
  static StatusOr<Library> library();

  virtual ~Cublas() = default;

  /// Enqueues `product` on a CUstream. InvalidInput where the library has no algorithm for the combination of
  /// types, sizes, alignment and epilogue, or where product.algorithm is not one that it accepts.
  virtual Status enqueue(const Product &product, const Device::ProductAddresses &addresses, void *stream) = 0;

  /// The algorithm that `enqueue` takes, for Product::algorithm: opaque bytes that name the library's
  /// version.
  virtual StatusOr<std::vector<uint8_t>> algorithm(const Product &product,
                                                   const Device::ProductAddresses &addresses) = 0;

  /// The library's `count` best guesses, best first, in the form of `algorithm`.
  virtual StatusOr<std::vector<std::vector<uint8_t>>>
  candidates(const Product &product, const Device::ProductAddresses &addresses, int count) = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_CUBLAS_H
