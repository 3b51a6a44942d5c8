#include "compiler/Autodiff/Passes.h"
#include "compiler/Graph/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addAutodiffPhase(mlir::OpPassManager &manager, bool optimizer) {
  manager.addPass(createAutodiff({optimizer}));
  manager.addPass(createVerifyGraph());
}
