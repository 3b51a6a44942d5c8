//===- Passes.h - Passes of the plan phase ----------------------*- C++ -*-===//
//
// The phase runs on plan.program after the target phase: plan-product-layouts and plan-memory (compiled
// pipeline) or plan-eager-memory (eager pipeline), then verify-plan. See Passes.td for what each does.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PLAN_PASSES_H
#define HEDDLE_COMPILER_PLAN_PASSES_H

#include "dialects/Plan/PlanDialect.h"

#include "mlir/Pass/Pass.h"

namespace heddle::plan {

/// createPlanProductLayouts(), createPlanMemory(), createPlanEagerMemory(), createVerifyPlan().
#define GEN_PASS_DECL
/// registerPlanPasses().
#define GEN_PASS_REGISTRATION
#include "compiler/Plan/Passes.h.inc"

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_PASSES_H
