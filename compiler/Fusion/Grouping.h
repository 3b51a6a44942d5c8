//===- Grouping.h - Making graph.group ops ----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_GROUPING_H
#define HEDDLE_COMPILER_FUSION_GROUPING_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ops that compute: neither views, leaves (parameters, constants), groups nor terminators.
bool isComputeOp(mlir::Operation *op);

/// Whether `op`, which may be null, is a cast that precision put in and fused code may drop.
bool isImplicitCast(mlir::Operation *op);

/// Wraps ops, in topological order, into a group placed at the last of them. Views between them are cloned
/// into it; results used outside are yielded. `outputs` overrides what is yielded (views that a group
/// absorbs), in order; then the values must be results of ops in the group.
graph::GroupOp outline(graph::GroupKind kind, llvm::ArrayRef<mlir::Operation *> ops, llvm::StringRef label,
                       llvm::ArrayRef<mlir::Value> outputs = {});

/// "rms_norm+cast": the distinct mnemonics in order, the middle left out where there are many.
std::string labelOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Gives every result of the function a compute op of its own: results that are views, inputs, parameters,
/// constants or given twice are copied, and those that are computed once and read by others as well.
void materializeOutputs(mlir::func::FuncOp func);

/// Where a value is kept: the leaf that it is assigned to, else a place of its own.
mlir::Value storageOf(mlir::Value value);

/// Lets the op that computes an assigned value write it over the old one; where others read that later, or it
/// is read otherwise than element by element, a copy at the end does. A value that is itself an assigned
/// leaf, or a view of one, is copied first, before anything is written over it.
void materializeAssigns(mlir::func::FuncOp func);

/// Whether the op or group that computes an assigned value can write it over the old one: all others read
/// that before, and it reads it at most where it writes it.
bool writesInPlace(graph::AssignOp assign);

/// Groups read when their last op runs: where that is too late for an assign, or its group reads the leaf at
/// other places than it writes it, a group of its own copies the value at the end.
void separateAssigns(mlir::func::FuncOp func);

/// Whether one kernel may hold `ops`, in order, where it writes what `leafOf` gives an op (null: nothing)
/// over the old value: all that depends on the old value does so element by element at the same place.
/// Another element could be written before it is read.
bool replacesInStep(llvm::ArrayRef<mlir::Operation *> ops,
                    llvm::function_ref<mlir::Value(mlir::Operation *)> leafOf);

/// Copies what `op` cannot read through views: under a reshape that no linear index goes through, and where a
/// product or attention needs other strides than the views give.
void materializeOperands(mlir::Operation *op);

/// Makes the ops that compute a mask or bias of `attention` which is the same for all queries, from integers
/// or booleans alone (a padding mask), ops on the operand's own shape just before it, and returns them in
/// order: as members of its group they are computed where they are read, and nothing of them is in memory.
llvm::SmallVector<mlir::Operation *> sinkKeyMasks(AttentionLike attention);

/// Whether a result of attention or its gradient is [batch, heads, sequence, width], written with strides;
/// others are contiguous.
bool isHeadsResult(mlir::Value result);

/// Gives attention and its gradient heads whose widths are multiples of 8, which the skeletons of all targets
/// take: others are filled up with zeros, which change neither scores nor sums, and the results' extra
/// columns are cut off.
void padHeads(mlir::func::FuncOp func);

/// Computes of the parts of concatenations what the function computes of the whole: casts, through views, and
/// elementwise ops where the parts have one extent.
void computePartsFirst(mlir::func::FuncOp func);

/// Gives each dropout the iota of its own that its index is, to be computed in its group: a tensor of indices
/// in memory would be read for nothing.
void giveOwnIndices(mlir::func::FuncOp func);

/// The iota that is the index of a dropout and of nothing else; null where it is none.
graph::IotaOp ownIndex(graph::DropoutOp dropout);

/// Erases ops of the function that nothing uses: they need no group.
void eraseUnusedOps(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_GROUPING_H
