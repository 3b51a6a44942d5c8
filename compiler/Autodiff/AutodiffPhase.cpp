#include "compiler/Autodiff/Passes.h"
#include "compiler/Graph/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addAutodiffPhase(mlir::OpPassManager &manager, const AutodiffOptions &options) {
  manager.addPass(createAutodiff(options));
  manager.addPass(createVerifyGraph());
}
