#include "compiler/Graph/Passes.h"
#include "compiler/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"

void heddle::addOutputTypes(mlir::OpPassManager &manager, llvm::StringRef policy) {
  OutputTypesOptions options;
  options.policy = policy.str();
  manager.addPass(createOutputTypes(options));
}

void heddle::addPrecisionPhase(mlir::OpPassManager &manager, llvm::StringRef policy, bool compiled,
                               bool prepareWeights) {
  PrecisionOptions options;
  options.policy = policy.str();
  options.prepareWeights = prepareWeights;
  options.rounding = compiled ? "fused" : "eager";
  manager.addPass(createPrecision(options));
  // Types changed at every op: the verifiers of the ops run after the pass, this one looks at @main's
  // boundary.
  manager.addPass(createVerifyGraph());
}
