//===- Access.h - How a load or store walks over columns --------*- C++ -*-===//
//
// Two questions about the affine map of an access decide whether it may be a vector: how far apart are the
// elements of neighbouring columns, and what is the first one's position a multiple of. Both are answered by
// structure, for columns c = V*q + i with i in [0, V), and conservatively: no answer means one element at a
// time.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_ACCESS_H
#define HEDDLE_COMPILER_TARGET_CUDA_ACCESS_H

#include "dialects/Kernel/KernelDialect.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace heddle::cuda {

/// A kernel.load or kernel.store.
struct Access {
  mlir::Operation *op = nullptr;
  bool isStore = false;
  mlir::Value buffer, value; ///< `value`: loaded or stored.
  mlir::AffineMap map;
  mlir::ValueRange indices, symbols;

  /// Empty (`op` null) where `op` is neither.
  static Access of(mlir::Operation *op);
  explicit operator bool() const { return op != nullptr; }

  mlir::Type elementType() const { return llvm::cast<kernel::BufferType>(buffer.getType()).getElementType(); }
  int64_t elementBytes() const;
  int64_t width() const; ///< The attribute, 0 where it is not set.
  /// True where both address the same elements but for the constant in the map.
  bool sameBase(const Access &other) const;
};

/// Bytes of an element in memory (i1 takes one).
int64_t bytesOf(mlir::Type elementType);

/// The greatest power of two, up to 2^20, that `value` (an index) is known to be a multiple of: by the
/// arithmetic that makes it, and for an argument of the kernel by its kernel.divisor.
int64_t powerOfTwoDivisor(mlir::Value value);

/// The alignment of a buffer's first element in bytes: kernel.alignment of the argument, or the 256 of every
/// buffer of a plan.
int64_t alignmentOf(mlir::Value buffer);

/// What is the same for all columns of a vector of `vector` columns, and how accesses move within it. Only
/// values made inside the columns loop differ; a load whose map gives one position for the whole vector does
/// not.
class VectorWalk {
public:
  VectorWalk(kernel::ColumnsOp columns, int64_t vector);

  bool isUniform(mlir::Value value) const { return !varying.contains(value); }
  /// The elements between neighbouring columns, within a vector that starts at a multiple of `vector`;
  /// nothing where that is not one constant >= 0 (a gathered position, a run-time stride).
  std::optional<int64_t> stride(const Access &access) const;
  /// The position of a vector's first column modulo `modulus`, where the map tells it.
  std::optional<int64_t> positionModulo(const Access &access, int64_t modulus) const;

private:
  mlir::Value column;
  int64_t vector;
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_ACCESS_H
