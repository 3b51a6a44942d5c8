//===- Importer.h - From a model's name or file to a graph ------*- C++ -*-===//
//
// The only reader of model descriptions: what comes out is a module of the graph dialect, whatever went in.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_IMPORTER_H
#define HEDDLE_COMPILER_IMPORT_IMPORTER_H

#include "compiler/Import/ModelRequest.h"
#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::import {

/// Imports `study:*` presets and textual graphs (a path that ends in .mlir). The module holds one func.func
/// @main of graph ops (dialects/Graph/GraphModule.h). InvalidInput where the request, the preset's name or
/// the file is at fault, with file, line and column for files. Loads the dialects that it needs into
/// `context`.
runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext *context,
                                                                 const ModelRequest &request);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_IMPORTER_H
