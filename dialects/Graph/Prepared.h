//===- Prepared.h - Weights that stay as they are ---------------*- C++ -*-===//
#ifndef HEDDLE_GRAPH_PREPARED_H
#define HEDDLE_GRAPH_PREPARED_H

#include "llvm/ADT/StringRef.h"

namespace heddle::graph {

/// Unit attribute of @main: parameters do not change between runs, so that what depends on them alone is
/// computed once, before the first.
constexpr llvm::StringLiteral kPreparedAttr = "graph.prepared";

} // namespace heddle::graph

#endif // HEDDLE_GRAPH_PREPARED_H
