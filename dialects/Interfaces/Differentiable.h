//===- Differentiable.h - Ops that have a gradient --------------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_INTERFACES_DIFFERENTIABLE_H
#define HEDDLE_DIALECTS_INTERFACES_DIFFERENTIABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/BitVector.h"

#include "dialects/Interfaces/Differentiable.h.inc"

#endif // HEDDLE_DIALECTS_INTERFACES_DIFFERENTIABLE_H
