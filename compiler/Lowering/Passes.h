//===- Passes.h - Passes of the lowering phase ------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_PASSES_H
#define HEDDLE_COMPILER_LOWERING_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Lowering/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Lowering/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_PASSES_H
