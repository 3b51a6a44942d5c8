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

#include <string>
#include <vector>

namespace heddle::import {

/// Imports `study:*` presets, configurations (a path that ends in .json, or a folder with a config.json) and
/// textual graphs (a path that ends in .mlir). The module holds one func.func @main of graph ops
/// (dialects/Graph/GraphModule.h). InvalidInput where the request, the preset's name or the file is at fault,
/// with file, and field or line and column. What a file holds that was not understood and does not stop the
/// import, and a context beyond what a rotary model was made for, are added to `warnings`; `sizes` gets the
/// model's (sizesText), nothing for a graph, whose text says them. Loads the dialects that it needs into
/// `context`.
runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext *context,
                                                                 const ModelRequest &request,
                                                                 std::vector<std::string> *warnings = nullptr,
                                                                 std::string *sizes = nullptr);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_IMPORTER_H
