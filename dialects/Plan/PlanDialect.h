//===- PlanDialect.h - The plan dialect -------------------------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_PLAN_PLANDIALECT_H
#define HEDDLE_DIALECTS_PLAN_PLANDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

#include "dialects/Plan/PlanDialect.h.inc"
#include "dialects/Plan/PlanEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

#endif // HEDDLE_DIALECTS_PLAN_PLANDIALECT_H
