//===- KernelForm.h - What row kernels of one structure share ---*- C++ -*-===//
//
// Kernels of equal parameters of other sizes differ in constants alone: how many elements, where a part
// starts. Those become values of the launch, and what is left is one kernel for all.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PLAN_KERNELFORM_H
#define HEDDLE_COMPILER_PLAN_KERNELFORM_H

#include "dialects/Kernel/KernelDialect.h"

#include <string>

namespace heddle::plan {

/// A row kernel with its outermost extent as a further count, and without the constants that all accesses of
/// a buffer start at. Of a flat kernel without rows the outermost extent is the number of its columns; other
/// numbers of columns stay, since they decide how a row is shared and summed up.
struct KernelForm {
  mlir::OwningOpRef<kernel::FuncOp> func;
  std::string text; ///< Of `func`, whatever its name.
  /// The further count's value; nothing where the outermost extent is no constant.
  std::optional<int64_t> extent;
  bool columns = false; ///< The extent is one of columns.
  /// Of each buffer: bytes to add to a launch's reference.
  llvm::SmallVector<int64_t> offsets;
};

/// Nothing for kernels other than rows, and for rows in parts.
std::optional<KernelForm> formOf(kernel::FuncOp func);

/// Columns that a thread or a vector takes at once at most, as powers of two: no wider vector is made.
constexpr int64_t kMostColumns = 16;

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_KERNELFORM_H
