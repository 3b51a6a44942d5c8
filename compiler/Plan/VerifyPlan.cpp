//===- VerifyPlan.cpp - What the plan phase leaves ------------------------===//
#include "compiler/Plan/Artifact.h"
#include "compiler/Plan/Passes.h"
#include "runtime/plan/Verify.h"

namespace heddle::plan {

#define GEN_PASS_DEF_VERIFYPLAN
#include "compiler/Plan/Passes.h.inc"

namespace {

struct VerifyPlanPass : impl::VerifyPlanBase<VerifyPlanPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    // Translation refuses what is not compiled; what a plan means is said once, by the runtime.
    auto plan = toRuntimePlan(getOperation());
    if (failed(plan))
      return signalPassFailure();
    if (runtime::Status status = runtime::verifyPlan(*plan); !status.isOk()) {
      getOperation().emitOpError() << status.message();
      signalPassFailure();
    }
  }
};

} // namespace
} // namespace heddle::plan
