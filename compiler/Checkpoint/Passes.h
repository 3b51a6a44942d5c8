//===- Passes.h - What is kept between phases -------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_CHECKPOINT_PASSES_H
#define HEDDLE_COMPILER_CHECKPOINT_PASSES_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Checkpoint/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Checkpoint/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_CHECKPOINT_PASSES_H
