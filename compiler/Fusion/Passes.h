//===- Passes.h - Passes of the fusion phase --------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_FUSION_PASSES_H
#define HEDDLE_COMPILER_FUSION_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Fusion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Fusion/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_PASSES_H
