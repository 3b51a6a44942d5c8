#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle {
#define GEN_PASS_DEF_LOWERKERNELSCPU
#include "compiler/Target/CPU/Passes.h.inc"
} // namespace heddle

using namespace heddle;

namespace {
struct LowerKernelsCpu : impl::LowerKernelsCpuBase<LowerKernelsCpu> {
  using LowerKernelsCpuBase::LowerKernelsCpuBase;

  void runOnOperation() override {
    std::optional<cpu::CpuTarget> cpuTarget = cpu::lookupCpuTarget(target);
    if (!cpuTarget) {
      getOperation()->emitError() << "unknown target '" << target << "', wanted x86-64-v3 or x86-64-v4";
      return signalPassFailure();
    }
    llvm::SmallVector<kernel::FuncOp> kernels;
    getOperation()->walk([&](kernel::FuncOp func) { kernels.push_back(func); });
    for (kernel::FuncOp func : kernels) {
      mlir::OpBuilder builder(func);
      cpu::KernelUses uses;
      uses.keepRows = keepRows;
      if (failed(cpu::lowerKernel(builder, func, *cpuTarget, uses)))
        return signalPassFailure();
      func.erase();
    }
  }
};
} // namespace
