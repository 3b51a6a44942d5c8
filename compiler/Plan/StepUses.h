//===- StepUses.h - Which bytes a step reads and writes ---------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PLAN_STEPUSES_H
#define HEDDLE_COMPILER_PLAN_STEPUSES_H

#include "dialects/Kernel/KernelDialect.h"
#include "dialects/Plan/PlanDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace heddle::plan {

/// Bytes [begin, end) of a buffer that a step may touch, and whether it may write them.
struct Use {
  mlir::StringAttr buffer;
  int64_t begin = 0, end = 0;
  bool written = false;
};

/// Whether the order of two uses matters: one of them writes what the other touches.
inline bool conflicts(const Use &a, const Use &b) {
  return a.buffer == b.buffer && (a.written || b.written) && a.begin < b.end && b.begin < a.end;
}

/// Finds what the steps of a program touch, as long as their kernels are `kernel.func` ops. A row kernel's
/// bytes follow from its accesses and the launch's counts; where they do not, and for all other steps, they
/// are the whole buffer. Never less than what is touched.
class StepUses {
public:
  explicit StepUses(ProgramOp program);
  llvm::SmallVector<Use> of(StepInterface step);

private:
  /// Elements [begin, end) from the reference on that a kernel touches of one of its buffers.
  struct Range {
    int64_t begin = 0, end = 0;
    bool whole = false, written = false;
  };
  const llvm::SmallVector<Range> &rangesOf(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts);

  llvm::DenseMap<mlir::StringAttr, kernel::FuncOp> kernels_;
  llvm::DenseMap<mlir::StringAttr, BufferOp> buffers_;
  std::map<std::pair<mlir::Operation *, std::vector<int64_t>>, llvm::SmallVector<Range>> ranges_;
};

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_STEPUSES_H
