//===- OneKernel.h - Ops that eager runs as one kernel ----------*- C++ -*-===//
//
// Eager execution stands for PyTorch's, where an op of the user's code is a kernel. Gradients and the
// optimizer are no user's code: what PyTorch has one kernel for may take several graph ops. Whoever builds
// such ops marks them; eager makes one group of each mark (compiler/Fusion/EagerGroups.cpp). Compiled
// execution forms its own groups and never sees marks: autodiff drops them there.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_ONEKERNEL_H
#define HEDDLE_DIALECTS_GRAPH_ONEKERNEL_H

#include "mlir/IR/Builders.h"

namespace heddle::graph {

/// The mark of an op. A distinct attribute: all ops that have it are one kernel, which must be a rows group.
/// A unit attribute: each kernel that reads the op's result computes it, and it is never in memory. None: the
/// op is a kernel of its own.
constexpr llvm::StringLiteral kKernelAttr = "graph.kernel";

/// A mark that no other op has.
mlir::Attribute newKernel(mlir::MLIRContext *context);
/// The mark of what is computed where it is read.
mlir::Attribute inEachReader(mlir::MLIRContext *context);

/// Marks the ops that are made at the builder's place while it lives, but views, leaves and what is marked.
class KernelScope {
public:
  KernelScope(mlir::OpBuilder &builder, mlir::Attribute mark);
  ~KernelScope();
  KernelScope(const KernelScope &) = delete;
  KernelScope &operator=(const KernelScope &) = delete;

private:
  mlir::OpBuilder &builder_;
  mlir::Attribute mark_;
  mlir::Operation *before_; ///< The last op that was there; null at the block's begin.
};

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_ONEKERNEL_H
