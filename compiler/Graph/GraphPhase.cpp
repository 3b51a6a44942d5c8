#include "compiler/Graph/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addGraphPhase(mlir::OpPassManager &manager, MatchReports &reports) {
  manager.addPass(createGraphCanonicalize());
  manager.addPass(createRaiseActivations(&reports));
  // Norms before attention: it also raises softmax, which attention starts from.
  manager.addPass(createRaiseNorms(&reports));
  manager.addPass(createRaiseAttention(&reports));
  // Folds the transposes of the key, and drops what only the raised ops read.
  manager.addPass(createGraphCanonicalize());
  manager.addPass(createVerifyGraph());
}
