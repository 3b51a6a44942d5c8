//===- StepPhases.h - When a step the ops of @main run ----------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_SUPPORT_STEPPHASES_H
#define HEDDLE_COMPILER_SUPPORT_STEPPHASES_H

#include "dialects/Plan/PlanDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Tells when ops and groups of @main run. Nothing in the graph says so, what they depend on does: what a
/// result that is no gradient depends on is forward, what depends on a state besides is the optimizer, and
/// the rest is backward. Where gradients are added up in states (`accumulates`), backward is what those sums
/// depend on, and the rest the optimizer. What depends on nothing that runs change is computed before them.
/// Asked about ops made later, it knows them as backward or optimizer.
class StepPhases {
public:
  explicit StepPhases(mlir::func::FuncOp main);
  plan::Phase phaseOf(mlir::Operation *op);
  /// Whether gradients are added up in states, over runs that leave the optimizer out.
  bool accumulates() const { return accumulates_; }
  /// Whether an op or group is computed once, before the first run: nothing that it depends on is an input or
  /// a parameter (an input, where @main has kPreparedAttr), and no result of it is an output, which every run
  /// has to write. So are kept casts, whatever is written over them later.
  bool runsOnce(mlir::Operation *op);
  /// Whether nothing that `value` depends on is an input or a parameter that may change.
  bool dependsOnNothing(mlir::Value value);

private:
  bool dependsOnState(mlir::Operation *op);

  llvm::DenseSet<mlir::Operation *> forward_, backward_;
  bool accumulates_ = false; ///< Else backward_ is empty.
  llvm::DenseMap<mlir::Value, bool> constant_;
  llvm::DenseMap<mlir::Operation *, bool> onState_;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_STEPPHASES_H
