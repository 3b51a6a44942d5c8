//===- Passes.h - Precision policies ----------------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PRECISION_PASSES_H
#define HEDDLE_COMPILER_PRECISION_PASSES_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Precision/Passes.h.inc"

/// What comes before any change of the graph: the outputs' types under `policy`.
void addOutputTypes(mlir::OpPassManager &manager, llvm::StringRef policy);
/// The precision phase and its verifier: `policy` is fp32, tf32, bf16 or bf16-true; compiled graphs round
/// once between kernels, eager ones as PyTorch does. `prepareWeights` keeps bf16's weights in bf16.
void addPrecisionPhase(mlir::OpPassManager &manager, llvm::StringRef policy, bool compiled,
                       bool prepareWeights = false);

#define GEN_PASS_REGISTRATION
#include "compiler/Precision/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_PRECISION_PASSES_H
