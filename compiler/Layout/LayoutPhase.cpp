#include "compiler/Graph/Passes.h"
#include "compiler/Layout/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addLayoutPhase(mlir::OpPassManager &manager, MatchReports &reports) {
  manager.addPass(createMergeProducts(&reports));
  manager.addPass(createVerifyGraph());
}
