//===- IndexBounds.h - What indices may be ----------------------*- C++ -*-===//
//
// Kernels read rows of tables and columns of logits by index, and look at no bound. Inputs are checked when
// they are set, against a bound that this finds; what else becomes an index must be known to lie inside.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_INDEXBOUNDS_H
#define HEDDLE_COMPILER_IMPORT_INDEXBOUNDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle::import {

/// Sets graph.bound, and graph.ignored where all its readers agree, of the arguments of `main` that index
/// something. An error where what the file says of them goes beyond that, and where an index that is
/// computed from arguments and constants may be outside, or nothing tells.
llvm::LogicalResult addIndexBounds(mlir::func::FuncOp main);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_INDEXBOUNDS_H
