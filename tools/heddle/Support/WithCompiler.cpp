//===- WithCompiler.cpp - From MODEL to a plan, with the compiler ---------===//
#include "tools/heddle/Support/ExitCode.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/Tuning.h"

#include "llvm/Support/ErrorHandling.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <set>

namespace heddle::driver {

namespace {

/// While this lives, memory that cannot be had ends the process with one message: LLVM and MLIR are compiled
/// without exceptions, so that none may be thrown through them. No file is being written under a name that
/// the user gave while they run, but for --dump-to.
class NoMemoryEndsProcess {
public:
  NoMemoryEndsProcess() : before_(std::set_new_handler([] { endProcess(MachineFault, kMemoryEnded); })) {
    llvm::install_bad_alloc_error_handler(
        [](void *, const char *, bool) { endProcess(MachineFault, kMemoryEnded); });
    llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
      // A thread is memory, too: the only refusal of the system that LLVM takes for fatal.
      bool machine = std::strstr(reason, "pthread_create") || std::strstr(reason, "allocat");
      endProcess(machine ? MachineFault : InternalFault, reason);
    });
  }
  ~NoMemoryEndsProcess() {
    llvm::remove_fatal_error_handler();
    llvm::remove_bad_alloc_error_handler();
    std::set_new_handler(before_);
  }
  NoMemoryEndsProcess(const NoMemoryEndsProcess &) = delete;
  NoMemoryEndsProcess &operator=(const NoMemoryEndsProcess &) = delete;

private:
  std::new_handler before_;
};

} // namespace

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
  progress.show("compiling " + flags.request.model);
  runtime::StatusOr<CompileResult> result = [&] {
    NoMemoryEndsProcess guard;
    if (!impl_)
      impl_ = std::make_unique<Impl>();
    return impl_->compiler.compile(flags.request, options);
  }();
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
  NoMemoryEndsProcess guard;
  if (!impl_)
    impl_ = std::make_unique<Impl>();
  return impl_->compiler.reference(flags.request, flags.mode);
}

std::vector<std::string> Models::phases() { return phaseNames(); }

std::vector<PolicyRow> Models::policy(const std::string &precision) { return policyRows(precision); }

} // namespace heddle::driver
