//===- Pipelines.cpp - What runs in each phase, and why there -------------===//
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Autodiff/Passes.h"
#include "compiler/Checkpoint/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Lowering/Passes.h"
#include "compiler/Plan/Passes.h"
#include "compiler/Precision/Passes.h"
#include "compiler/Target/CPU/Passes.h"
#include "compiler/Target/CUDA/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace heddle;

llvm::StringRef heddle::nameOf(CompilePhase phase) {
  switch (phase) {
  case CompilePhase::Import:
    return "Import";
  case CompilePhase::Graph:
    return "Graph";
  case CompilePhase::Layout:
    return "Layout";
  case CompilePhase::Autodiff:
    return "Autodiff";
  case CompilePhase::Precision:
    return "Precision";
  case CompilePhase::Checkpoint:
    return "Checkpoint";
  case CompilePhase::Fusion:
    return "Fusion";
  case CompilePhase::Lowering:
    return "Lowering";
  case CompilePhase::Target:
    return "Target";
  case CompilePhase::Plan:
    return "Plan";
  }
  llvm_unreachable("covered switch");
}

const std::vector<std::string> &heddle::phaseNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int phase = 0; phase <= static_cast<int>(CompilePhase::Plan); ++phase)
      all.push_back(nameOf(static_cast<CompilePhase>(phase)).str());
    return all;
  }();
  return names;
}

AutodiffOptions heddle::autodiffOptions(Mode mode) {
  AutodiffOptions options;
  options.optimizer = mode == Mode::Step || mode == Mode::Accumulate;
  options.accumulate = mode == Mode::Accumulate;
  return options;
}

void heddle::addPhase(mlir::PassManager &manager, CompilePhase phase, const CompileOptions &options,
                      llvm::StringRef model, MatchReports &matches) {
  bool compiled = options.pipeline == PipelineKind::Compiled;
  switch (phase) {
  case CompilePhase::Import:
    break;
  case CompilePhase::Graph:
    // Eager runs the graph as it was imported.
    if (compiled) {
      // Before anything is simplified: the policy is asked about the ops that were written.
      addOutputTypes(manager, nameOf(options.precision));
      addGraphPhase(manager, matches);
    }
    break;
  case CompilePhase::Layout:
    // Before autodiff: the gradient of a merged weight is one product, too.
    if (compiled) {
      bool casts = options.precision == Precision::BF16 && !options.prepareWeights;
      addLayoutPhase(manager, casts ? 2 : 0, matches);
    }
    break;
  case CompilePhase::Autodiff:
    // After raising: the gradients of norms and attention are the fused ones.
    if (std::optional<Mode> mode = parseMode(options.mode); mode != Mode::Forward) {
      AutodiffOptions autodiff = autodiffOptions(*mode);
      autodiff.eager = !compiled;
      addAutodiffPhase(manager, autodiff);
    }
    break;
  case CompilePhase::Precision:
    // After raising: attention and norms are recognised without casts between their ops.
    addPrecisionPhase(manager, nameOf(options.precision), compiled, options.prepareWeights);
    break;
  case CompilePhase::Checkpoint:
    // After precision: what it costs to keep a value is a matter of its type.
    if (compiled && parseMode(options.mode) != Mode::Forward) {
      manager.addNestedPass<mlir::func::FuncOp>(createChunkLoss());
      manager.addNestedPass<mlir::func::FuncOp>(createKeepLeast());
    }
    break;
  case CompilePhase::Fusion:
    if (compiled) {
      FormGroupsOptions groups;
      groups.ownEpilogues = options.device == "cpu"; // cuBLASLt has its own.
      // As many blocks as fill a GPU, and no more parts than a CPU's threads need.
      groups.sumParts = options.device == "cpu" ? 64 : 512;
      manager.addNestedPass<mlir::func::FuncOp>(createFormGroups(groups));
    } else
      manager.addNestedPass<mlir::func::FuncOp>(createEagerGroups());
    manager.addNestedPass<mlir::func::FuncOp>(createVerifyFusion());
    break;
  case CompilePhase::Lowering: {
    LowerToPlanOptions lowering;
    lowering.model = model.str();
    lowering.device = options.device;
    lowering.target = options.target;
    lowering.pipeline = compiled ? "compiled" : "eager";
    lowering.mode = options.mode;
    lowering.precision = nameOf(options.precision);
    manager.addPass(createLowerToPlan(lowering));
    // Before the target phase, which prints kernels, and after all decisions about what a step is. Eager
    // launches what PyTorch launches.
    if (compiled && options.batchLaunches)
      manager.addNestedPass<plan::ProgramOp>(plan::createBatchLaunches(&matches));
    break;
  }
  case CompilePhase::Target:
    if (options.device == "cuda")
      manager.addPass(cuda::createTargetCuda({options.target}));
    else
      manager.addNestedPass<plan::ProgramOp>(createTargetCpu({options.target}));
    break;
  case CompilePhase::Plan:
    // Last: lifetimes count all steps.
    if (compiled) {
      manager.addNestedPass<plan::ProgramOp>(plan::createPlanProductLayouts());
      manager.addNestedPass<plan::ProgramOp>(plan::createPlanMemory());
    } else
      manager.addNestedPass<plan::ProgramOp>(plan::createPlanEagerMemory());
    manager.addNestedPass<plan::ProgramOp>(plan::createVerifyPlan());
    break;
  }
}
