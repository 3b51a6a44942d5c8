//===- GroupSpace.h - The iteration space of a rows group -------*- C++ -*-===//
//
// Whether ops fit into one rows kernel, and how their tensors are indexed there. Ops relate the indices of
// their operands and results; what is reduced becomes the columns, everything else the rows. Fusion asks
// whether a space exists (the reason why not is what `explain` prints); lowering builds the kernel from it.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_FUSION_GROUPSPACE_H
#define HEDDLE_COMPILER_FUSION_GROUPSPACE_H

#include "compiler/Layout/Access.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>

namespace heddle {

/// Whether an op can be part of a rows group at all.
bool isRowsOp(mlir::Operation *op);
struct GroupSpace {
  IterationSpace space;
  /// Index of every value that the group computes, and of views of them.
  llvm::DenseMap<mlir::Value, TensorIndex> indices;
  /// The index at which each op reads each operand.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<TensorIndex, 3>> operandIndices;
  /// Where each op reads an operand from outside; absent for operands that the group computes and for
  /// literals.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::optional<Access>, 3>> accesses;
  /// Atoms that are reduced, slowest first; empty for groups without reductions.
  AtomProduct columns;
  /// The other atoms of the outputs, slowest first.
  AtomProduct rows;

  bool hasReductions = false;
};

/// `ops` are in topological order; `outputs` are the results that are used elsewhere. `reason` says what does
/// not fit. With `part` the only op is a concatenation of which that operand alone is written: parts of other
/// extents run over other rows, so that each needs a kernel of its own.
std::optional<GroupSpace> buildGroupSpace(llvm::ArrayRef<mlir::Operation *> ops,
                                          llvm::ArrayRef<mlir::Value> outputs, std::string &reason,
                                          std::optional<unsigned> part = std::nullopt);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_GROUPSPACE_H
