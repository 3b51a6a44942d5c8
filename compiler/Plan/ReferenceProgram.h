//===- ReferenceProgram.h - The oracle's program of a graph -----*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PLAN_REFERENCEPROGRAM_H
#define HEDDLE_COMPILER_PLAN_REFERENCEPROGRAM_H

#include "runtime/base/Status.h"
#include "runtime/reference/Program.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Writes @main of a graph module for the float64 interpreter. An operation is named by its mnemonic; its
/// attributes:
///   ints     axes, axis (of softmax: the last), permutation, offsets, strides; attention: causal, has_mask,
///   has_bias; layer_norm: has_bias floats   epsilon, scale strings  predicate (eq ne lt le gt ge), kind (sum
///   mean max min), approximate (gelu: none, tanh)
/// Groups are written as the ops that they hold. Internal error for a module that verifyGraphModule refuses.
runtime::StatusOr<runtime::reference::Program> buildReferenceProgram(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_COMPILER_PLAN_REFERENCEPROGRAM_H
