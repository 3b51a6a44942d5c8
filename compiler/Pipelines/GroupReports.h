//===- GroupReports.h - Groups as explain shows them ------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PIPELINES_GROUPREPORTS_H
#define HEDDLE_COMPILER_PIPELINES_GROUPREPORTS_H

#include "compiler/Pipelines/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// One report for each graph.group of a module, in order: what it holds, and the bytes that its ops would
/// move one by one beside those that the group moves.
std::vector<GroupReport> groupReports(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_COMPILER_PIPELINES_GROUPREPORTS_H
