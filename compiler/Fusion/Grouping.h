//===- Grouping.h - Making graph.group ops ----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_GROUPING_H
#define HEDDLE_COMPILER_FUSION_GROUPING_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ops that compute: neither views, leaves (parameters, constants), groups nor terminators.
bool isComputeOp(mlir::Operation *op);

/// Whether nothing that `value` depends on is an input or a parameter: it can be computed once.
bool dependsOnNothing(mlir::Value value, llvm::DenseMap<mlir::Value, bool> &memo);

/// Wraps ops, in topological order, into a group placed at the last of them. Views between them are cloned
/// into it; results used outside are yielded. `outputs` overrides what is yielded (views that a group
/// absorbs), in order; then the values must be results of ops in the group.
graph::GroupOp outline(graph::GroupKind kind, llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef label,
                       llvm::ArrayRef<mlir::Value> outputs = {});

/// "rms_norm+cast": the distinct mnemonics in order, the middle left out where there are many.
std::string labelOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Gives every result of the function a compute op of its own: results that are views, inputs, parameters,
/// constants or given twice are copied.
void materializeOutputs(mlir::func::FuncOp func);

/// Copies operands that matmul and attention cannot read through their views, and operands of reshapes that
/// no linear index can read.
void materializeOperands(mlir::func::FuncOp func);

/// The same for one attention alone: groups of attention take the views of its result in before other ops' operands are
/// looked at.
void materializeAttentionOperands(graph::AttentionOp attention);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_GROUPING_H
