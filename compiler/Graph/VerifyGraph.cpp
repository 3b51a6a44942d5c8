#include "compiler/Graph/Passes.h"
#include "dialects/Graph/GraphModule.h"

namespace heddle {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "compiler/Graph/Passes.h.inc"
} // namespace heddle

namespace {
struct VerifyGraph : public heddle::impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (failed(heddle::graph::verifyGraphModule(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
