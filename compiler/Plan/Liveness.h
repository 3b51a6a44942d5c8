//===- Liveness.h - When each buffer of a program lives ---------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PLAN_LIVENESS_H
#define HEDDLE_COMPILER_PLAN_LIVENESS_H

#include "dialects/Plan/PlanDialect.h"

namespace heddle::plan {

/// A buffer and the steps that touch it.
struct BufferLife {
  BufferOp buffer;
  int32_t first = -1, last = -1; ///< Step numbers, inclusive; -1 where no step touches it.
  /// Where `first` and `last` point; null where no step touches it.
  StepInterface firstStep, lastStep;
};

/// The life of every buffer, in the order of the buffers. Steps are numbered as they stand.
llvm::SmallVector<BufferLife> computeLiveness(ProgramOp program);

/// Moves the steps of phase init before all others; both keep their order. Init steps read parameters,
/// constants and what other init steps made, so that nothing they need comes later.
void moveInitStepsFirst(ProgramOp program);

/// Whether a life is that of an output which the arena has a place for: from the step that writes it to the
/// end of the run, since the caller reads it then. What an init step writes stays where it is.
bool isPlacedOutput(const BufferLife &life);

/// Whether a buffer lives only between its first and its last step; all other roles live throughout.
bool livesBetweenSteps(Role role);

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_LIVENESS_H
