//===- PlanTranslations.cpp - Plan dialect and plan artifact --------------===//
#include "compiler/Pipelines/Registration.h"
#include "compiler/Plan/Artifact.h"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/MemoryReport.h"
#include "tools/heddle-translate/Translations.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace heddle;

/// The one program of a module.
static mlir::LogicalResult planToArtifact(mlir::ModuleOp module, llvm::raw_ostream &output) {
  auto programs = llvm::to_vector(module.getOps<plan::ProgramOp>());
  if (programs.size() != 1)
    return mlir::emitError(module.getLoc()) << "has " << programs.size() << " plan.program ops, wanted 1";
  auto plan = plan::toRuntimePlan(programs.front());
  if (failed(plan))
    return mlir::failure();
  auto bytes = runtime::writePlan(*plan);
  if (!bytes)
    return programs.front().emitError(bytes.status().message());
  output.write(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  return mlir::success();
}

static runtime::StatusOr<runtime::Plan> readArtifact(llvm::SourceMgr &sources) {
  llvm::StringRef text = sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
  return runtime::readPlan({reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

static mlir::OwningOpRef<mlir::Operation *> artifactToPlan(llvm::SourceMgr &sources,
                                                           mlir::MLIRContext *context) {
  auto translate = [&]() -> runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> {
    HEDDLE_ASSIGN_OR_RETURN(runtime::Plan plan, readArtifact(sources));
    return plan::fromRuntimePlan(context, plan);
  };
  auto module = translate();
  llvm::StringRef name = sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  if (!module) {
    mlir::emitError(mlir::FileLineColLoc::get(context, name, 0, 0)) << module.status().message();
    return nullptr;
  }
  return mlir::OwningOpRef<mlir::Operation *>(module->release().getOperation());
}

void heddle::registerPlanTranslations() {
  static mlir::TranslateFromMLIRRegistration toArtifact(
      "plan-to-artifact", "the bytes of a plan file from a plan.program", planToArtifact,
      [](mlir::DialectRegistry &registry) { registerDialects(registry); });
  static mlir::TranslateToMLIRRegistration fromArtifact(
      "artifact-to-plan", "a plan.program from a plan file", artifactToPlan,
      [](mlir::DialectRegistry &registry) { registerDialects(registry); });
  static mlir::TranslateRegistration memory(
      "artifact-to-memory-report", "what a plan file's memory is spent on",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &output,
         mlir::MLIRContext *context) {
        auto plan = readArtifact(*sources);
        if (!plan)
          return mlir::LogicalResult(mlir::emitError(mlir::UnknownLoc::get(context))
                                     << plan.status().message());
        output << runtime::memoryTable(*plan, runtime::memoryReport(*plan), plan->buffers.size());
        return mlir::success();
      });
}
