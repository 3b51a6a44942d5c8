//===- Kernels.h - Legalising, checking and printing one kernel -*- C++ -*-===//
//
// The passes are thin; this is what they, heddle-translate and the tests call. Failures are diagnostics on
// the op that caused them.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_KERNELS_H
#define HEDDLE_COMPILER_TARGET_CUDA_KERNELS_H

#include "compiler/Target/CUDA/TargetInfo.h"
#include "dialects/Kernel/KernelDialect.h"

#include <array>
#include <string>

namespace heddle::cuda {

/// The description of `arch`; null after a diagnostic on `op` where there is none.
const TargetInfo *targetOrError(mlir::Operation *op, llvm::StringRef arch);

/// What legalisation did, for statistics.
struct LegalizeCounts {
  int64_t flat = 0, rows = 0, skeletons = 0, recomputed = 0, collapsed = 0;
};

/// Decides vector widths, access widths and the mapping to threads (or a skeleton's tile) and writes them as
/// attributes. Kept rows that fit in no thread's registers are computed again where they are read.
llvm::LogicalResult legalizeKernel(kernel::FuncOp func, const TargetInfo &target,
                                   LegalizeCounts *counts = nullptr);

/// Checks that everything is decided, consistent, within the target's limits and printable.
llvm::LogicalResult verifyKernel(kernel::FuncOp func, const TargetInfo &target);

/// The CUDA C++ of a legalised kernel, with #include lines for the device library: the form for people.
mlir::FailureOr<std::string> printKernel(kernel::FuncOp func);

/// The same text with the device library in place of its #include lines: what NVRTC compiles with no headers
/// at all.
std::string withDeviceLibrary(llvm::StringRef source);

/// Blocks of a grid along x; along y and z there are 65,535, so that everything goes along x.
constexpr int64_t kMaxBlocks = (int64_t(1) << 31) - 1;

/// Threads of a block of a legalised kernel.
int64_t threadsOf(kernel::FuncOp func);

/// Blocks of a launch of a legalised kernel with these counts. The error is put on `launch`: a row extent
/// that is no arithmetic on constants and counts, no rows at all, more blocks than a grid can have.
mlir::FailureOr<std::array<int64_t, 3>> gridOf(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts,
                                               const TargetInfo &target, mlir::Operation *launch);

/// What an attention skeleton computes.
AttentionPass passOf(kernel::SkeletonOp skeleton);

/// Whether its mask is one of keys alone, such as a padding mask: forward asks for it once a key and warp,
/// and not for every score.
bool masksKeysAlone(kernel::SkeletonOp skeleton);

/// What a skeleton asks of a target. Of its attributes only those count that lowering sets, not the ones that
/// legalisation adds: whether rows are aligned is found out from buffers and strides.
AttentionRequest requestOf(kernel::SkeletonOp skeleton);

/// Whether a skeleton's version has the tensor unit copy: then its kernel takes tensor maps of query, key and
/// value as further arguments.
bool takesTensorMaps(kernel::SkeletonOp skeleton);

/// The tensor maps (plan::TensorMapAttr) that a launch of a legalised kernel with these counts passes; null
/// where the kernel takes none. Errors as for gridOf.
mlir::FailureOr<mlir::ArrayAttr> tensorMapsOf(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts,
                                              mlir::Operation *launch);

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_KERNELS_H
