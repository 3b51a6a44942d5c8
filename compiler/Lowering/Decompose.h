//===- Decompose.h - Named ops written out for row kernels ------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_DECOMPOSE_H
#define HEDDLE_COMPILER_LOWERING_DECOMPOSE_H

#include "dialects/Graph/GraphDialect.h"

namespace heddle {

/// Writes softmax, layer_norm and rms_norm inside a group out in reductions and elementwise ops, computed in
/// float32.
void decomposeNamedOps(graph::GroupOp group);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_DECOMPOSE_H
