//===- KernelDialect.h - The kernel dialect ---------------------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H
#define HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Kernel/KernelDialect.h.inc"
#include "dialects/Kernel/KernelEnums.h.inc"

namespace heddle::kernel {

/// A buffer of a skeleton, which has them in the order of `SkeletonOp::getOperandList`.
struct SkeletonOperand {
  /// Heads: [batch, heads or key_heads, sequence, width] of the skeleton's element type, with three strides.
  /// Rows: f32 [batch, heads, query_length]. Statistics: f32 [2, batch, heads, query_length]. Scores: f32
  /// [bias_batch, bias_heads, query_length, key_length]. Turns: i32 [batch, heads, query_length, 2], by which
  /// blocks take turns. All but heads are contiguous.
  enum Kind { Heads, Rows, Statistics, Scores, Turns };
  llvm::StringLiteral name;
  Kind kind = Heads;
  bool written = false;
  bool added = false; ///< Read as well as written: holds zeros before.
};

/// The buffers of a skeleton before those of the generated functions; empty where the name is unknown.
/// `statistics`: attention_forward gives them.
llvm::SmallVector<SkeletonOperand, 10> skeletonOperands(llvm::StringRef skeleton, bool statistics = false);

} // namespace heddle::kernel

#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.h.inc"

namespace heddle::kernel {

/// Names of skeletons.
constexpr llvm::StringLiteral kAttentionForward = "attention_forward";
constexpr llvm::StringLiteral kAttentionBackward = "attention_backward";
constexpr llvm::StringLiteral kAttentionKeys = "attention_backward_keys";
constexpr llvm::StringLiteral kAttentionQueries = "attention_backward_queries";
constexpr llvm::StringLiteral kAttentionBias = "attention_backward_bias";

/// Counts of all attention skeletons before the strides: batch, heads, key_heads, query_length, key_length.
constexpr int64_t kAttentionLengths = 5;

/// Attribute of a count (i64): every launch gives a multiple of it.
constexpr llvm::StringLiteral kDivisorAttr = "kernel.divisor";
/// Attribute of a buffer (i64): bytes that its address is a multiple of, where that is less than a plan's
/// 256.
constexpr llvm::StringLiteral kAlignmentAttr = "kernel.alignment";

/// What a kernel does with one of its buffers.
struct BufferUse {
  bool read = false, written = false;
};
/// Of each leading argument, in their order.
llvm::SmallVector<BufferUse> bufferUses(FuncOp func);

/// Index arithmetic on constants and on the counts of a launch. Nothing where it is something else, or
/// overflows.
std::optional<int64_t> evaluate(mlir::Value value, FuncOp func, llvm::ArrayRef<int64_t> counts);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_KERNELDIALECT_H
