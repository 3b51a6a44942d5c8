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

#include "dialects/Plan/PlanInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.h.inc"

namespace heddle::plan {

/// Every offset in the arena is a multiple of this many bytes, so that any buffer can be read by the widest
/// accesses.
constexpr int64_t kArenaAlignment = 256;

/// Bytes of an element of a buffer: f32, bf16, f16, i32, i64, i1 (one byte) and ui8. Nothing for other types.
std::optional<int64_t> elementBytes(mlir::Type type);

/// Bytes of a tensor of static shape, or nothing where its type cannot be a buffer's or its size does not
/// fit.
std::optional<int64_t> tensorBytes(mlir::RankedTensorType type);

} // namespace heddle::plan

#endif // HEDDLE_DIALECTS_PLAN_PLANDIALECT_H
