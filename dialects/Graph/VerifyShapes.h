//===- VerifyShapes.h - Shapes in verifiers' messages -----------*- C++ -*-===//
//
// For the verifiers of this folder.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_VERIFYSHAPES_H
#define HEDDLE_DIALECTS_GRAPH_VERIFYSHAPES_H

#include "dialects/Graph/GraphDialect.h"

#include <string>

namespace heddle::graph {

/// "[4, 512, 768]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// Emits an error that calls the value `name` where it has another shape.
llvm::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name, mlir::Value value,
                                llvm::ArrayRef<int64_t> wanted);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_VERIFYSHAPES_H
