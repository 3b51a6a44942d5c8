//===- Locations.h - Where in the model an op comes from --------*- C++ -*-===//
//
// An imported op's location is a path of the model description ("blocks.3.attention.scores") or a line of a
// file. Reports, steps and buffers print it through this one function.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_LOCATIONS_H
#define HEDDLE_DIALECTS_GRAPH_LOCATIONS_H

#include "mlir/IR/Location.h"

#include <string>

namespace heddle::graph {

/// "blocks.3.attention.scores", "file.mlir:12:3", or "unknown". Of a fused location, its first known part.
std::string locationText(mlir::Location loc);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_LOCATIONS_H
