#include "compiler/Target/CPU/KernelLowering.h"
int64_t heddle::cpu::attentionQueries(const CpuTarget &target) { return target.lanes * target.unroll; }
llvm::LogicalResult heddle::cpu::lowerAttention(LaneEmitter &, kernel::SkeletonOp op, const CpuTarget &, mlir::Value, mlir::Value) { return op.emitOpError("todo"); }
