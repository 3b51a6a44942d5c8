//===- Artifact.h - The plan dialect and the runtime's plan -----*- C++ -*-===//
//
// Both ways are exact. From a program to a runtime::Plan and back gives the same text, apart from the order
// of ops (buffers, kernels, then steps), the program's name (@plan: the artifact has none), source locations,
// and defaults that were written out (an `items` of 0 on CUDA, a `grid` of [1, 1, 1] on the CPU). From a Plan
// to a program and back gives the same fields. The bytes of an artifact are runtime/plan/Artifact.h's affair.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PLAN_ARTIFACT_H
#define HEDDLE_COMPILER_PLAN_ARTIFACT_H

#include "dialects/Plan/PlanDialect.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle::plan {

/// f32, bf16, f16, i32, i64, i1 (Bool) and ui8; nothing for other types.
std::optional<runtime::DType> dtypeOf(mlir::Type type);
mlir::Type typeOf(mlir::MLIRContext *context, runtime::DType dtype);

/// The plan that a verified program holds. Fails, with an error at the op, where a kernel is still a
/// kernel.func or a launch has no grid (CUDA) or items (CPU).
llvm::FailureOr<runtime::Plan> toRuntimePlan(ProgramOp program);

/// A module of one program, which verifies. InvalidInput where runtime::verifyPlan refuses the plan, and
/// where the dialect has no form for it: names that symbols cannot have (empty, or two of one name among
/// buffers and kernels), symbols out of order, and fields that mean nothing (a bias type without a bias).
runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> fromRuntimePlan(mlir::MLIRContext *context,
                                                                     const runtime::Plan &plan);

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_ARTIFACT_H
