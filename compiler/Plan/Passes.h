//===- Passes.h - Passes of the plan phase ----------------------*- C++ -*-===//
//
// batch-launches runs at the end of the lowering phase. The phase itself runs on plan.program after the
// target phase: plan-product-layouts and plan-memory (compiled pipeline) or plan-eager-memory (eager
// pipeline), then verify-plan. See Passes.td for what each does.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PLAN_PASSES_H
#define HEDDLE_COMPILER_PLAN_PASSES_H

#include "compiler/Support/MatchReport.h"
#include "dialects/Plan/PlanDialect.h"

#include "mlir/Pass/Pass.h"

namespace heddle::plan {

/// createPlanProductLayouts(), createPlanMemory(), createPlanEagerMemory(), createVerifyPlan().
#define GEN_PASS_DECL
/// registerPlanPasses().
#define GEN_PASS_REGISTRATION
#include "compiler/Plan/Passes.h.inc"

/// With a place for its reports, which must outlive the pass: batches, and near misses for memory's sake.
std::unique_ptr<mlir::Pass> createBatchLaunches(MatchReports *reports);

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_PASSES_H
