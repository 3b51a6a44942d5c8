//===- Recompute.h - Rows that are not kept ---------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_RECOMPUTE_H
#define HEDDLE_COMPILER_TARGET_CUDA_RECOMPUTE_H

#include "dialects/Kernel/KernelDialect.h"

namespace heddle::cuda {

/// Removes all kept rows of `rows`: each kernel.get becomes a copy of the ops that made the value, which
/// gives the same bits and reads its operands from memory (or a cache) again. Returns how many rows went.
/// Fails, with a diagnostic, where a value comes from a buffer that the kernel also writes.
mlir::FailureOr<int64_t> recomputeKeptRows(kernel::RowsOp rows);

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_RECOMPUTE_H
