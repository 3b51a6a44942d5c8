//===- Passes.cpp - legalize-cuda and verify-cuda-kernel ------------------===//
#include "compiler/Target/CUDA/Passes.h"
#include "compiler/Target/CUDA/Kernels.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

namespace heddle::cuda {
#define GEN_PASS_DEF_LEGALIZECUDA
#define GEN_PASS_DEF_VERIFYCUDAKERNEL
#define GEN_PASS_REGISTRATION
#include "compiler/Target/CUDA/Passes.h.inc"
} // namespace heddle::cuda

using namespace heddle;
using namespace heddle::cuda;

const TargetInfo *heddle::cuda::targetOrError(mlir::Operation *op, llvm::StringRef arch) {
  const TargetInfo *target = TargetInfo::get(arch);
  if (!target)
    op->emitError() << "unknown architecture '" << arch << "', wanted "
                    << llvm::join(TargetInfo::names(), " or ");
  return target;
}

namespace {
struct LegalizeCuda : heddle::cuda::impl::LegalizeCudaBase<LegalizeCuda> {
  using Base::Base;
  void runOnOperation() override {
    const TargetInfo *target = targetOrError(getOperation(), arch);
    if (!target)
      return signalPassFailure();
    LegalizeCounts counts;
    getOperation().walk([&](kernel::FuncOp func) {
      if (failed(legalizeKernel(func, *target, &counts)))
        signalPassFailure();
    });
    flat += counts.flat;
    rows += counts.rows;
    skeletons += counts.skeletons;
    recomputed += counts.recomputed;
    collapsed += counts.collapsed;
  }
};

struct VerifyCudaKernel : heddle::cuda::impl::VerifyCudaKernelBase<VerifyCudaKernel> {
  using Base::Base;
  void runOnOperation() override {
    const TargetInfo *target = targetOrError(getOperation(), arch);
    if (!target)
      return signalPassFailure();
    getOperation().walk([&](kernel::FuncOp func) {
      if (failed(verifyKernel(func, *target)))
        signalPassFailure();
    });
  }
};
} // namespace

void heddle::registerCudaTargetPasses() { cuda::registerCudaTargetPasses(); }
