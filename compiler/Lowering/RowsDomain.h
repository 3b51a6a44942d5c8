//===- RowsDomain.h - Loops of a row kernel ---------------------*- C++ -*-===//
//
// From the atoms of a group to the loops of its kernel: neighbouring atoms that every access walks evenly
// become one loop, so that most kernels end with one loop over rows and one over columns.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_LOWERING_ROWSDOMAIN_H
#define HEDDLE_COMPILER_LOWERING_ROWSDOMAIN_H

#include "compiler/Fusion/GroupSpace.h"
#include "dialects/Graph/GraphDialect.h"

namespace heddle {

/// coefficient × loop; loop -1 for a constant.
struct LoopTerm {
  SymbolicDim coefficient;
  int loop = -1;
};
using LoopForm = llvm::SmallVector<LoopTerm, 4>;

/// A read of a value from outside, by one operand of one op.
struct Read {
  mlir::Value base;
  LoopForm offset;
  /// embedding: the row, a value of the indices operand, is multiplied by this; absent otherwise.
  std::optional<SymbolicDim> gatherStride;
};

/// A write of an output, or of one part of a concatenation.
struct Write {
  mlir::Value
      value; ///< What is stored: a value of the group, or an outside value (a part that is only copied).
  mlir::Operation *op = nullptr; ///< The op whose operand `operand` it is, for parts; null for whole outputs.
  unsigned operand = 0;
  unsigned output = 0; ///< Which of the group's results.
  LoopForm offset;
};

struct RowsDomain {
  GroupSpace group;
  llvm::SmallVector<SymbolicDim, 4> rowLoops;
  /// One loop; when the reduced atoms do not lie evenly, several, which the kernel takes apart from one
  /// column index.
  llvm::SmallVector<SymbolicDim, 2> columnLoops;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::optional<Read>, 3>> reads;
  llvm::SmallVector<Write, 2> writes;
  /// partial_sums: which of the group's results it is.
  llvm::SmallVector<std::pair<graph::PartialSumsOp, unsigned>, 2> sums;
  /// iota: the index along its axis.
  llvm::DenseMap<mlir::Operation *, LoopForm> positions;

  /// Whether an index runs along the columns.
  bool isColumn(const TensorIndex &index) const;
  int columnLoop(unsigned index) const { return static_cast<int>(rowLoops.size() + index); }
};

/// `ops` in topological order, `outputs` the yielded values; `part` as for buildGroupSpace.
std::optional<RowsDomain> buildRowsDomain(llvm::ArrayRef<mlir::Operation *> ops,
                                          llvm::ArrayRef<mlir::Value> outputs, std::string &reason,
                                          std::optional<unsigned> part = std::nullopt);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ROWSDOMAIN_H
