#include "compiler/Graph/Passes.h"
#include "compiler/Layout/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addLayoutPhase(mlir::OpPassManager &manager, int64_t castBytes, MatchReports &reports) {
  manager.addPass(createMergeProducts(castBytes, &reports));
  manager.addPass(createVerifyGraph());
}
