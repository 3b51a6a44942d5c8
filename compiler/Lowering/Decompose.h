//===- Decompose.h - Named ops written out for row kernels ------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_DECOMPOSE_H
#define HEDDLE_COMPILER_LOWERING_DECOMPOSE_H

#include "dialects/Graph/GraphDialect.h"

namespace heddle {

/// Writes softmax, the norms and the loss inside a group, and the gradients of softmax and the loss, out in
/// reductions and elementwise ops, computed in float32.
void decomposeNamedOps(graph::GroupOp group);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_DECOMPOSE_H
