//===- CollapseRows.h - Fewer row indices -----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_COLLAPSEROWS_H
#define HEDDLE_COMPILER_TARGET_CUDA_COLLAPSEROWS_H

#include "dialects/Kernel/KernelDialect.h"

namespace heddle::cuda {

/// Makes one row index of two neighbouring ones that appear only together, as outer * extent of inner +
/// inner: threads number their rows, and each index that is left costs a division. Returns how many went.
int64_t collapseRows(kernel::FuncOp func);

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_COLLAPSEROWS_H
