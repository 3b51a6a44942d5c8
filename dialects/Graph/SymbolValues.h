//===- SymbolValues.h - The extents that symbols stand for ------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_GRAPH_SYMBOLVALUES_H
#define HEDDLE_DIALECTS_GRAPH_SYMBOLVALUES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::graph {

/// The values of all symbols in the types of `op` and of what it holds: a symbol has one in a compilation,
/// since kernels take it as one count. Extents give products of symbols, which is solved where all factors
/// but one are known. Where two extents contradict each other, or a symbol's value follows from none
/// ("batch*seq" alone says neither), emits an error at the op that has the extent, and fails.
mlir::FailureOr<llvm::StringMap<int64_t>> symbolValues(mlir::Operation *op);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_SYMBOLVALUES_H
