//===- KernelLowering.h - Kernels to scf, vector and LLVM ops ---*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_KERNELLOWERING_H
#define HEDDLE_COMPILER_TARGET_CPU_KERNELLOWERING_H

#include "compiler/Target/CPU/CpuTarget.h"
#include "dialects/Kernel/KernelDialect.h"

#include "llvm/ADT/SmallBitVector.h"

namespace heddle::cpu {

class LaneEmitter;

/// How the launches of a program use a kernel: what its code may rely on.
struct KernelUses {
  /// Buffer arguments whose memory another argument of the same launch also names, one of them being written.
  /// The others are `noalias`.
  llvm::SmallBitVector shared;
  /// Whether kept rows have stack buffers; else each later loop computes them again.
  bool keepRows = true;
};

/// Emits, at the builder's place, `void NAME(void *const *buffers, const int64_t *counts, int64_t begin,
/// int64_t end)` for the kernel, and the internal function with one argument a buffer and a count that it
/// calls: noalias holds for arguments only. Ops emitted: arith, math, scf, vector, llvm.
///
/// The kernel's items, of which a call runs [begin, end): its rows, or their parts; without rows, pieces of
/// kColumnsPerItem columns of its one loop, or the whole if it reduces, keeps, or has several loops; tiles of
/// query rows for attention, of key or query rows for its gradient; rows of the result for row sums.
///
/// Fails with a diagnostic on what the CPU cannot run.
llvm::LogicalResult lowerKernel(mlir::OpBuilder &builder, kernel::FuncOp func, const CpuTarget &target,
                                const KernelUses &uses);

/// Bytes of stack that the kernel's kept rows take for these counts. Fails without a diagnostic if an extent
/// depends on more than the counts.
llvm::FailureOr<int64_t> keptBytes(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts);
/// Whether kept rows can be computed again: what they load is not stored to in the same kernel.
bool canRecompute(kernel::FuncOp func);

/// Items of the kernel for these counts (lowerKernel says what an item is).
llvm::FailureOr<int64_t> itemsOf(kernel::FuncOp func, const CpuTarget &target,
                                 llvm::ArrayRef<int64_t> counts);

/// Whether the kernel is one columns loop that can be cut into pieces.
bool splitsColumns(kernel::RowsOp rows);
/// Queries, or keys of attention_backward_keys, of one item.
int64_t attentionColumns(kernel::SkeletonOp op, const CpuTarget &target);

/// The kinds of bodies, emitted into the internal function; `emitter` maps the kernel's buffers, counts
/// and index arithmetic. `begin` and `end` are index values.
llvm::LogicalResult lowerRows(LaneEmitter &emitter, kernel::RowsOp rows, const CpuTarget &target,
                              bool keepRows, mlir::Value begin, mlir::Value end);
llvm::LogicalResult lowerAttention(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target,
                                   mlir::Value begin, mlir::Value end);
llvm::LogicalResult lowerAttentionBackward(LaneEmitter &emitter, kernel::SkeletonOp op,
                                           const CpuTarget &target, mlir::Value begin, mlir::Value end);
llvm::LogicalResult lowerRowSums(LaneEmitter &emitter, kernel::RowSumsOp op, const CpuTarget &target,
                                 mlir::Value begin, mlir::Value end);

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_KERNELLOWERING_H
