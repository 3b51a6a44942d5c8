//===- WithoutCompiler.cpp - From MODEL to a plan, plan files only --------===//
#include "tools/heddle/Support/Models.h"

namespace heddle::driver {

struct Models::Impl {};

Models::Models() = default;
Models::~Models() = default;

static runtime::Status noCompiler(const ModelFlags &flags) {
  return runtime::unavailable("this heddle was built without its compiler and runs plan files only; '" +
                              flags.request.model +
                              "' must be compiled elsewhere: heddle compile MODEL -o plan.heddle");
}

runtime::StatusOr<Built> Models::build(const ModelFlags &flags, const CompileOptions &, Progress &progress,
                                       KernelCode code) {
  if (flags.planFile)
    return readPlanFile(flags, progress, code);
  return noCompiler(flags);
}

runtime::StatusOr<runtime::reference::Program> Models::reference(const ModelFlags &flags) {
  return noCompiler(flags);
}

std::vector<std::string> Models::phases() { return {}; }

std::vector<PolicyRow> Models::policy(const std::string &) { return {}; }

} // namespace heddle::driver
