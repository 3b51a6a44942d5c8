//===- Locations.h - Locations as text --------------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_SUPPORT_LOCATIONS_H
#define HEDDLE_COMPILER_SUPPORT_LOCATIONS_H

#include "mlir/IR/Location.h"

#include <string>

namespace heddle {

/// The layer ("blocks.3.attention") or the line ("model.mlir:12:5") that an op comes from; empty when unknown.
std::string locationText(mlir::Location loc);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_LOCATIONS_H
