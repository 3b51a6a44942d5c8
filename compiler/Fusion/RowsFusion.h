//===- RowsFusion.h - Which ops share a row kernel --------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_ROWSFUSION_H
#define HEDDLE_COMPILER_FUSION_ROWSFUSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct RowsFusionCounts {
  int64_t merged = 0, refused = 0;
};

/// Forms rows groups of all ops that are in no group yet. The block is in topological order.
RowsFusionCounts fuseRows(mlir::func::FuncOp func, int64_t maxBuffers);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_ROWSFUSION_H
