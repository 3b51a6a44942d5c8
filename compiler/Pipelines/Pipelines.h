//===- Pipelines.h - The phases and what runs in each -----------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_PIPELINES_PIPELINES_H
#define HEDDLE_COMPILER_PIPELINES_PIPELINES_H

#include "compiler/Autodiff/Passes.h"
#include "compiler/Pipelines/Compiler.h"

#include "llvm/ADT/StringRef.h"

namespace mlir {
class PassManager;
}

namespace heddle {

/// The phases of both pipelines in their order; each is a folder of compiler/.
enum class CompilePhase {
  Import,
  Graph,
  Layout,
  Autodiff,
  Precision,
  Checkpoint,
  Fusion,
  Lowering,
  Target,
  Plan
};

llvm::StringRef nameOf(CompilePhase phase);

/// What a mode other than forward asks of autodiff.
AutodiffOptions autodiffOptions(Mode mode);

/// Adds the passes of a phase (none for Import, which makes the module). `matches` outlives the manager.
void addPhase(mlir::PassManager &manager, CompilePhase phase, const CompileOptions &options,
              llvm::StringRef model, MatchReports &matches);

} // namespace heddle

#endif // HEDDLE_COMPILER_PIPELINES_PIPELINES_H
