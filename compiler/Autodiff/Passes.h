//===- Passes.h - Gradients -------------------------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_AUTODIFF_PASSES_H
#define HEDDLE_COMPILER_AUTODIFF_PASSES_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Autodiff/Passes.h.inc"

/// The autodiff phase and its verifier.
void addAutodiffPhase(mlir::OpPassManager &manager, const AutodiffOptions &options);

#define GEN_PASS_REGISTRATION
#include "compiler/Autodiff/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_AUTODIFF_PASSES_H
