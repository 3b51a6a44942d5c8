//===- Models.cpp - From MODEL to a plan: what needs no compiler ----------===//
#include "tools/heddle/Support/Models.h"

#include "runtime/plan/Artifact.h"
#include "tools/heddle/Support/Tuning.h"

#include <chrono>

namespace heddle::driver {

runtime::Status compilePlanKernels(runtime::Plan &plan, runtime::CompileStats &stats, Progress &progress) {
  if (plan.device != "cuda")
    return runtime::Status::ok();
  auto show = [&](int32_t done, int32_t total) {
    progress.show("kernels " + std::to_string(done) + "/" + std::to_string(total));
  };
  runtime::Status status = runtime::compileKernels(plan, runtime::CompileOptions{}, show, &stats);
  progress.clear();
  if (!stats.note.empty())
    std::fprintf(stderr, "note: %s\n", stats.note.c_str());
  return status;
}

runtime::StatusOr<Built> readPlanFile(const ModelFlags &flags, Progress &progress, KernelCode code) {
  auto start = std::chrono::steady_clock::now();
  Built built;
  HEDDLE_ASSIGN_OR_RETURN(built.plan, runtime::readPlanFile(flags.request.model));
  if (code == KernelCode::Machine)
    HEDDLE_RETURN_IF_ERROR(compilePlanKernels(built.plan, built.kernels, progress));
  HEDDLE_RETURN_IF_ERROR(tuneProducts(built.plan, flags, built.tuning, progress));
  built.compileMs =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return built;
}

} // namespace heddle::driver
