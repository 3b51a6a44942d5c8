//===- RowsFusion.h - Which ops share a row kernel --------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_ROWSFUSION_H
#define HEDDLE_COMPILER_FUSION_ROWSFUSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

struct RowsFusionLimits {
  int64_t maxBuffers; ///< That a group may touch.
  int64_t maxOps;     ///< That it may hold.
  /// Parts in which rows of usual length are summed (partsFor); 0: sums over rows stay whole.
  int64_t sumParts;
};

struct RowsFusionCounts {
  int64_t merged = 0, refused = 0;
  int64_t sums = 0; ///< Sums over rows that were split.
};

/// Forms rows groups of all ops that are in no group yet. The block is in topological order.
RowsFusionCounts fuseRows(mlir::func::FuncOp func, const RowsFusionLimits &limits);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_ROWSFUSION_H
