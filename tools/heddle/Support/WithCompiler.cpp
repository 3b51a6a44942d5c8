//===- WithCompiler.cpp - From MODEL to a plan, with the compiler ---------===//
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/Tuning.h"

#include <chrono>
#include <cstdio>
#include <set>

namespace heddle::driver {

struct Models::Impl {
  Compiler compiler;
  std::set<std::string> warned; ///< What was printed: several plans of a model have the same warnings.
};

Models::Models() = default;
Models::~Models() = default;

runtime::StatusOr<Built> Models::build(const ModelFlags &flags, const CompileOptions &options,
                                       Progress &progress, KernelCode code) {
  if (flags.planFile)
    return readPlanFile(flags, progress, code);
  auto start = std::chrono::steady_clock::now();
  if (!impl_)
    impl_ = std::make_unique<Impl>();
  progress.show("compiling " + flags.request.model);
  runtime::StatusOr<CompileResult> result = impl_->compiler.compile(flags.request, options);
  progress.clear();
  if (!result)
    return std::move(result).status();
  for (const std::string &warning : result->report.warnings)
    if (impl_->warned.insert(warning).second)
      std::fprintf(stderr, "warning: %s\n", warning.c_str());
  Built built{std::move(result->plan), std::move(result->report), {}, {}, 0};
  if (code == KernelCode::Machine)
    HEDDLE_RETURN_IF_ERROR(compilePlanKernels(built.plan, built.kernels, progress));
  HEDDLE_RETURN_IF_ERROR(tuneProducts(built.plan, flags, built.tuning, progress));
  built.compileMs =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return built;
}

runtime::StatusOr<runtime::reference::Program> Models::reference(const ModelFlags &flags) {
  if (!impl_)
    impl_ = std::make_unique<Impl>();
  return impl_->compiler.reference(flags.request, flags.mode);
}

std::vector<std::string> Models::phases() { return phaseNames(); }

std::vector<PolicyRow> Models::policy(const std::string &precision) { return policyRows(precision); }

} // namespace heddle::driver
