//===- SymbolValues.h - What the symbols are in this plan -------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_SYMBOLVALUES_H
#define HEDDLE_COMPILER_LOWERING_SYMBOLVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// The values of all symbols in the types of `op` and of what it holds: extents give products of symbols,
/// which is solved where all factors but one are known. Emits an error and fails when two extents contradict
/// each other, or when a symbol's value follows from none ("batch*seq" alone says neither).
mlir::FailureOr<llvm::StringMap<int64_t>> symbolValues(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_SYMBOLVALUES_H
