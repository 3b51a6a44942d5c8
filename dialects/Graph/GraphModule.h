//===- GraphModule.h - What a module of the graph dialect is ----*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_GRAPH_GRAPHMODULE_H
#define HEDDLE_DIALECTS_GRAPH_GRAPHMODULE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::graph {

/// The result of @main that is differentiated.
constexpr llvm::StringLiteral kLossName = "loss";
/// The result that an optimizer adds: the norm of all gradients.
constexpr llvm::StringLiteral kGradNormName = "grad_norm";

/// What a phase leaves behind, for its verifier.
struct GraphModuleRules {
  bool groups = false;       ///< graph.group and its yield may occur.
  bool namesRequired = true; ///< Every argument and result has a graph.name.
};

/// Exactly one function, @main, with one block that holds graph ops and ends in func.return; arguments and
/// results are graph tensors with distinct names; parts of one name have one shape and one element type,
/// no result has the name of a part that an assign changes, and kept casts change as their parameters do.
/// Emits an error at the first op that is not so.
llvm::LogicalResult verifyGraphModule(mlir::ModuleOp module, const GraphModuleRules &rules = {});

/// @main of a module that verifyGraphModule accepts.
mlir::func::FuncOp mainFunction(mlir::ModuleOp module);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_GRAPHMODULE_H
