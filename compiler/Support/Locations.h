//===- Locations.h - Locations as text --------------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_SUPPORT_LOCATIONS_H
#define HEDDLE_COMPILER_SUPPORT_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include <string>

namespace heddle {

/// The layer ("blocks.3.attention") or the line ("model.mlir:12:5") that an op comes from; empty when
/// unknown.
std::string locationText(mlir::Location loc);

/// The same for plans, with a file by its name alone: one text gives one plan wherever its file lies.
std::string locationInPlan(mlir::Location loc);

/// The location of one op that takes the place of several: the path that theirs have in common
/// ("blocks.3.attention"), else theirs fused.
mlir::Location commonLocation(llvm::ArrayRef<mlir::Location> locations);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_LOCATIONS_H
