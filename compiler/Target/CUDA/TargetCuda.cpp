//===- TargetCuda.cpp - Kernels of a plan become CUDA C++ -----------------===//
#include "compiler/Target/CUDA/Access.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "compiler/Target/CUDA/Passes.h"
#include "compiler/Target/CUDA/ResourceModel.h"
#include "dialects/Plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <numeric>

namespace heddle::cuda {
#define GEN_PASS_DEF_TARGETCUDA
#include "compiler/Target/CUDA/Passes.h.inc"
} // namespace heddle::cuda

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

/// Buffers of a plan start at multiples of this; references into them may not.
static constexpr int64_t kBufferAlignment = 256;

/// Writes what all launches of a kernel keep as promises of its arguments: alignments of buffers that are
/// referred to at an offset; and, for a skeleton or row sums, divisors of the counts, since strides decide
/// how they copy. Row kernels do not look at the counts of launches: their text must be the same for every
/// sequence length.
static void promise(kernel::FuncOp func, llvm::ArrayRef<plan::LaunchOp> launches) {
  mlir::OpBuilder builder(func.getContext());
  int64_t buffers = func.getBuffers().size(), counts = func.getCounts().size();
  bool skeleton = !func.getBody().getOps<kernel::SkeletonOp>().empty() ||
                  !func.getBody().getOps<kernel::RowSumsOp>().empty();
  llvm::SmallVector<int64_t> alignments(buffers, kBufferAlignment), divisors(counts, 0);
  for (plan::LaunchOp launch : launches)
    for (int64_t instance = 0; instance < static_cast<int64_t>(launch.getInstances()); ++instance) {
      for (auto [alignment, ref] : llvm::zip(alignments, launch.getBuffersOf(instance)))
        alignment = std::gcd(alignment, ref.getByteOffset());
      for (auto [divisor, count] : llvm::zip(divisors, launch.getCountsOf(instance)))
        divisor = std::gcd(divisor, count);
    }
  for (auto [index, alignment] : llvm::enumerate(alignments))
    if (alignment != kBufferAlignment)
      func.setArgAttr(index, kernel::kAlignmentAttr, builder.getI64IntegerAttr(alignment));
  if (skeleton && !launches.empty())
    for (auto [index, divisor] : llvm::enumerate(divisors))
      func.setArgAttr(buffers + index, kernel::kDivisorAttr,
                      builder.getI64IntegerAttr(divisor == 0 ? kBufferAlignment : divisor));
}

namespace {
struct TargetCuda : heddle::cuda::impl::TargetCudaBase<TargetCuda> {
  using Base::Base;

  void runOnOperation() override {
    const TargetInfo *target = targetOrError(getOperation(), arch);
    if (!target)
      return signalPassFailure();
    for (auto program : getOperation().getOps<plan::ProgramOp>())
      if (failed(lower(program, *target)))
        return signalPassFailure();
  }

  LogicalResult lower(plan::ProgramOp program, const TargetInfo &target) {
    // Launches by kernel, in order: one walk, since a plan has thousands.
    llvm::StringMap<llvm::SmallVector<plan::LaunchOp>> launches;
    for (auto launch : program.getBody().getOps<plan::LaunchOp>())
      launches[launch.getKernel()].push_back(launch);
    for (auto func : llvm::make_early_inc_range(program.getBody().getOps<kernel::FuncOp>())) {
      if (failed(lower(func, launches[func.getName()], target)))
        return failure();
    }
    return success();
  }

  /// The blocks of each instance, one after the other along x.
  static LogicalResult setShares(kernel::FuncOp func, plan::LaunchOp launch, const TargetInfo &target) {
    llvm::SmallVector<int64_t> shares;
    int64_t blocks = 0;
    for (int64_t instance = 0; instance < static_cast<int64_t>(launch.getInstances()); ++instance) {
      mlir::FailureOr<std::array<int64_t, 3>> grid =
          gridOf(func, launch.getCountsOf(instance), target, launch);
      if (failed(grid))
        return failure();
      shares.push_back((*grid)[0]);
      blocks += shares.back();
    }
    if (blocks > kMaxBlocks)
      return launch.emitError() << "kernel '" << func.getName() << "' needs " << blocks << " blocks for "
                                << launch.getInstances() << " instances; a grid has at most " << kMaxBlocks;
    launch.setGrid(llvm::ArrayRef<int64_t>({blocks, 1, 1}));
    launch.setShares(llvm::ArrayRef<int64_t>(shares));
    return success();
  }

  LogicalResult lower(kernel::FuncOp func, llvm::ArrayRef<plan::LaunchOp> launches,
                      const TargetInfo &target) {
    promise(func, launches);
    if (failed(legalizeKernel(func, target)))
      return failure();
    for (plan::LaunchOp launch : launches) {
      if (func.getBatched()) {
        if (failed(setShares(func, launch, target)))
          return failure();
        continue;
      }
      mlir::FailureOr<std::array<int64_t, 3>> grid = gridOf(func, launch.getCounts(), target, launch);
      mlir::FailureOr<mlir::ArrayAttr> maps = tensorMapsOf(func, launch.getCounts(), launch);
      if (failed(grid) || failed(maps))
        return failure();
      launch.setGrid(llvm::ArrayRef<int64_t>(*grid));
      if (*maps)
        launch.setMapsAttr(*maps);
    }
    mlir::FailureOr<std::string> text = printKernel(func);
    if (failed(text))
      return failure();
    mlir::OpBuilder builder(func);
    plan::KernelOp::create(builder, func.getLoc(), func.getName(), plan::Language::Cuda, target.arch(),
                           withDeviceLibrary(*text), mlir::DenseI8ArrayAttr(), threadsOf(func),
                           resourcesOf(func).dynamicShared);
    func.erase();
    ++kernels;
    return success();
  }
};
} // namespace
