//===- RowsFusion.h - Which ops share a row kernel --------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_ROWSFUSION_H
#define HEDDLE_COMPILER_FUSION_ROWSFUSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct RowsFusionCounts {
  int64_t merged = 0, refused = 0;
};

/// Forms rows groups of all ops that are in no group yet, of at most `maxOps` ops that touch at most
/// `maxBuffers` buffers. The block is in topological order.
RowsFusionCounts fuseRows(mlir::func::FuncOp func, int64_t maxBuffers, int64_t maxOps);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_ROWSFUSION_H
