//===- Accumulate.h - The sum of what readers give --------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_AUTODIFF_ACCUMULATE_H
#define HEDDLE_COMPILER_AUTODIFF_ACCUMULATE_H

#include "dialects/Graph/GraphBuilder.h"

namespace heddle {

/// The sum of gradients of one value, from left to right. Those that are zero outside of one part of a
/// dimension (adjoints of slices: Q, K and V of a packed product, the halves of rotary positions) are put
/// side by side where their parts do not overlap: no sum, and no zeros where the parts cover the whole.
mlir::Value sumOf(graph::GraphBuilder &g, llvm::ArrayRef<mlir::Value> gradients);

} // namespace heddle

#endif // HEDDLE_COMPILER_AUTODIFF_ACCUMULATE_H
