//===- Passes.h - Placement of parameters -----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LAYOUT_PASSES_H
#define HEDDLE_COMPILER_LAYOUT_PASSES_H

#include "compiler/Support/MatchReport.h"
#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Layout/Passes.h.inc"

/// `castBytes` as the pass's option; with a place for its reports, which must outlive the pass.
std::unique_ptr<mlir::Pass> createMergeProducts(int64_t castBytes, MatchReports *reports);

/// The layout phase and its verifier. `castBytes`: of the elements that precision will cast float32 weights
/// to for their products, 0 where it casts none.
void addLayoutPhase(mlir::OpPassManager &manager, int64_t castBytes, MatchReports &reports);

#define GEN_PASS_REGISTRATION
#include "compiler/Layout/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_LAYOUT_PASSES_H
