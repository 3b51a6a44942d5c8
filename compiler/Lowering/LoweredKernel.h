//===- LoweredKernel.h - A kernel and what a launch gives it ----*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_LOWEREDKERNEL_H
#define HEDDLE_COMPILER_LOWERING_LOWEREDKERNEL_H

#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"
#include "dialects/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>

namespace heddle {

/// A kernel.func, not yet in a program, with the values that a launch passes. The function's text does not
/// depend on the values of symbols: those are counts.
struct LoweredKernel {
  mlir::OwningOpRef<kernel::FuncOp> func;
  /// What the leading arguments point at: a graph value (group result or base) from an element on. Null: the
  /// turns of attention's gradient, i32 [batch, heads, query_length, 2], which its launches alone know.
  struct Buffer {
    mlir::Value value;
    int64_t offset = 0;
  };
  llvm::SmallVector<Buffer, 6> buffers;
  /// The values of the counts.
  llvm::SmallVector<int64_t, 4> counts;
};

/// Lowers a group of kind rows, named ops in it written out (Decompose.h); `symbols` are the values of the
/// symbols in its types. On failure `reason` says why. With `part` the group is one concatenation, of which
/// that operand alone is written.
std::optional<LoweredKernel> lowerRowsGroup(graph::GroupOp group, const llvm::StringMap<int64_t> &symbols,
                                            std::string &reason, std::optional<unsigned> part = std::nullopt);
/// The kernel that zeroes dquery and turns before the skeleton attention_backward.
constexpr llvm::StringLiteral kAttentionZeros = "attention_zeros";
/// The skeletons, and kAttentionZeros, that compute a group of kind attention on a device, in the order of
/// their launches: one of attention, and of its gradient those whose results are read.
llvm::SmallVector<llvm::StringRef, 3> attentionKernels(graph::GroupOp group, llvm::StringRef device);
/// Lowers a group of kind attention to one of its kernels, a skeleton with score and mask functions.
std::optional<LoweredKernel> lowerAttentionGroup(graph::GroupOp group,
                                                 const llvm::StringMap<int64_t> &symbols, std::string &reason,
                                                 llvm::StringRef kernel);

/// Lowers a group of kind row_sums: embedding_grad, with casts of its gradient and its result.
std::optional<LoweredKernel> lowerRowSumsGroup(graph::GroupOp group, const llvm::StringMap<int64_t> &symbols,
                                               std::string &reason);

/// Names for a kernel's arguments, from the graph: "weight" for a parameter blocks.3.norm1.weight, else the
/// mnemonic of the defining op or the input's name. The same for every layer, so that layers share kernels.
std::string argumentName(mlir::Value base);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_LOWEREDKERNEL_H
