//===- Passes.h - Passes of the CPU target ----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_PASSES_H
#define HEDDLE_COMPILER_TARGET_CPU_PASSES_H

#include "dialects/Plan/PlanDialect.h"

#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Target/CPU/Passes.h.inc"

/// Registers target-cpu and lower-kernels-cpu.
void registerCpuTargetPasses();

} // namespace heddle

#endif // HEDDLE_COMPILER_TARGET_CPU_PASSES_H
