//===- GraphFile.h - Reading a textual graph --------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_GRAPHFILE_H
#define HEDDLE_COMPILER_IMPORT_GRAPHFILE_H

#include "runtime/base/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::import {

/// Parses and verifies a graph module (dialects/Graph/GraphModule.h). Missing names become arg0…, result0…;
/// an integer argument that indexes an embedding or is a loss's targets, itself or through reshapes and
/// transposes, gets graph.bound, the least of the tables' rows and the logits' columns, and graph.ignored
/// where all that it indexes are losses that ignore one value. Parameters of one name become one op. Every
/// fault of the file is one InvalidInput "file:line:column: reason".
runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> readGraphFile(mlir::MLIRContext *context,
                                                                   const std::string &path);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_GRAPHFILE_H
