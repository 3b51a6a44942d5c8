//===- SymbolicDim.h - Extents that may differ in the next plan -*- C++ -*-===//
//
// An extent is a static integer, or a product of symbols with a static coefficient whose value in this
// compilation is known. Text of kernels is made from the symbols and coefficients, sizes of buffers from the
// values.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_SYMBOLICDIM_H
#define HEDDLE_DIALECTS_GRAPH_SYMBOLICDIM_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace heddle::graph {

/// coefficient × symbols; `value` is what that is in this compilation.
struct SymbolicDim {
  int64_t coefficient = 1;
  llvm::SmallVector<llvm::StringRef, 2> symbols; ///< Sorted; the text lives as long as the context's strings.
  int64_t value = 1;

  static SymbolicDim fixed(int64_t extent) { return {extent, {}, extent}; }
  static SymbolicDim symbol(llvm::StringRef name, int64_t value) { return {1, {name}, value}; }

  bool isStatic() const { return symbols.empty(); }
  bool isOne() const { return isStatic() && coefficient == 1; }

  /// As in #graph.dims: "" for a static extent, else "seq", "2*batch*seq".
  std::string name() const;
  /// Readable: the integer, or the name.
  std::string str() const;
  /// The inverse of `name`; nullopt when the text is malformed or its coefficient does not divide the value.
  static std::optional<SymbolicDim> parse(llvm::StringRef name, int64_t value);

  /// this × other.
  SymbolicDim times(const SymbolicDim &other) const;
  /// this / other where that is a monomial with an integer coefficient.
  std::optional<SymbolicDim> dividedBy(const SymbolicDim &other) const;

  bool operator==(const SymbolicDim &other) const {
    return coefficient == other.coefficient && symbols == other.symbols;
  }
  bool operator!=(const SymbolicDim &other) const { return !(*this == other); }
};

using SymbolicShape = llvm::SmallVector<SymbolicDim, 4>;

/// The extents of a tensor, read from its shape and #graph.dims encoding.
SymbolicShape symbolicShape(mlir::RankedTensorType type);
/// A tensor type with these extents; no encoding when all are static.
mlir::RankedTensorType tensorType(mlir::MLIRContext *context, llvm::ArrayRef<SymbolicDim> shape,
                                  mlir::Type elementType);
/// The same extents with another element type.
mlir::RankedTensorType withElementType(mlir::RankedTensorType type, mlir::Type elementType);
/// The product of all.
SymbolicDim elementCount(llvm::ArrayRef<SymbolicDim> shape);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_SYMBOLICDIM_H
