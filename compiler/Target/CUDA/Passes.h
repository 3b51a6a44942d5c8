//===- Passes.h - Passes of the CUDA target ---------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_PASSES_H
#define HEDDLE_COMPILER_TARGET_CUDA_PASSES_H

#include "mlir/Pass/Pass.h"

namespace heddle::cuda {

#define GEN_PASS_DECL
#include "compiler/Target/CUDA/Passes.h.inc"

} // namespace heddle::cuda

namespace heddle {

/// legalize-cuda, verify-cuda-kernel and target-cuda.
void registerCudaTargetPasses();

} // namespace heddle

#endif // HEDDLE_COMPILER_TARGET_CUDA_PASSES_H
