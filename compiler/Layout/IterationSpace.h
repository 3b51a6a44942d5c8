//===- IterationSpace.h - Index variables shared by tensors -----*- C++ -*-===//
//
// The dimensions of the tensors in a kernel are products of *atoms*: index variables with symbolic extents.
// Ops relate dimensions ("elementwise: the same", "reshape: the same row-major order"), and relating two
// products of atoms splits and merges atoms until they agree. Afterwards every index of every tensor is a
// linear form over the atoms, with no division or remainder.
//
//   x : [batch, seq, 768]   reshape to [batch, seq, 12, 64], transpose to [batch, 12, seq, 64]
//   atoms a=batch, b=seq, c=12, d=64; the element of x is at a*seq*768 + b*768 + c*64 + d
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_LAYOUT_ITERATIONSPACE_H
#define HEDDLE_COMPILER_LAYOUT_ITERATIONSPACE_H

#include "dialects/Graph/SymbolicDim.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace heddle {

using graph::SymbolicDim;
using graph::SymbolicShape;

/// One dimension as a product of atoms, slowest first. Empty: extent 1.
using AtomProduct = llvm::SmallVector<int, 2>;
/// The index of a tensor: one product for each dimension.
using TensorIndex = llvm::SmallVector<AtomProduct, 4>;

/// coefficient × atom, or a constant where atom is kConstant.
struct LinearTerm {
  static constexpr int kConstant = -1;
  SymbolicDim coefficient;
  int atom = kConstant;
};

/// A sum of terms: an element's offset, or an index along a dimension.
struct LinearForm {
  llvm::SmallVector<LinearTerm, 6> terms;

  void add(SymbolicDim coefficient, int atom) { terms.push_back({std::move(coefficient), atom}); }
  /// this += factor × other.
  void addScaled(const SymbolicDim &factor, const LinearForm &other);
};

class IterationSpace {
public:
  /// A new atom; none (an empty product) for a static extent of 1.
  AtomProduct addDimension(const SymbolicDim &extent);
  /// New atoms for every dimension.
  TensorIndex addTensor(llvm::ArrayRef<SymbolicDim> shape);

  /// Makes two products the same index, splitting and merging atoms. Fails, with `error`, when the extents do
  /// not divide.
  llvm::LogicalResult unify(const AtomProduct &a, const AtomProduct &b, std::string *error = nullptr);

  /// The product in terms of the atoms that are left after all splits and merges.
  AtomProduct resolve(const AtomProduct &product) const;
  TensorIndex resolve(const TensorIndex &index) const;
  /// The form in terms of the atoms that are left, terms of one atom and one set of symbols added up,
  /// constants last.
  LinearForm resolve(const LinearForm &form) const;

  const SymbolicDim &extent(int atom) const { return atoms_[atom].extent; }
  SymbolicDim extent(const AtomProduct &product) const;

  /// The index that a product stands for: atoms weighted by the extents of the faster ones.
  LinearForm linear(const AtomProduct &product) const;

private:
  struct Atom {
    SymbolicDim extent;
    AtomProduct replacement; ///< Not empty once it was split or merged.
  };
  mutable std::vector<Atom> atoms_; ///< Mutable: `resolve` shortens chains of replacements.
};

/// All dimensions one after the other.
AtomProduct flatten(const TensorIndex &index);
/// Row-major strides of a contiguous tensor.
SymbolicShape contiguousStrides(llvm::ArrayRef<SymbolicDim> shape);

} // namespace heddle

#endif // HEDDLE_COMPILER_LAYOUT_ITERATIONSPACE_H
