//===- Locations.h - Where in the model an op comes from --------*- C++ -*-===//
//
// An imported op's location is a path of the model description ("blocks.3.attention.scores") or a line of a
// file. Reports, steps and buffers print it through this one function.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_LOCATIONS_H
#define HEDDLE_DIALECTS_GRAPH_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace heddle::graph {

/// "blocks.3.attention.scores", "file.mlir:12:3", or "unknown". Of a fused location, its first known part.
std::string locationText(mlir::Location loc);

/// The location of one op that takes the place of several: the path that theirs have in common
/// ("blocks.3.attention"), else theirs fused.
mlir::Location commonLocation(llvm::ArrayRef<mlir::Location> locations);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_LOCATIONS_H
