//===- Passes.h - Canonical form and raising --------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_GRAPH_PASSES_H
#define HEDDLE_COMPILER_GRAPH_PASSES_H

#include "compiler/Support/MatchReport.h"
#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

#define GEN_PASS_DECL
#include "compiler/Graph/Passes.h.inc"

/// The raising passes with a place for their reports, which must outlive them.
std::unique_ptr<mlir::Pass> createRaiseActivations(MatchReports *reports);
std::unique_ptr<mlir::Pass> createRaiseNorms(MatchReports *reports);
std::unique_ptr<mlir::Pass> createRaiseAttention(MatchReports *reports);

/// The graph phase: canonical form, raising, canonical form, its verifier.
void addGraphPhase(mlir::OpPassManager &manager, MatchReports &reports);

#define GEN_PASS_REGISTRATION
#include "compiler/Graph/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_GRAPH_PASSES_H
