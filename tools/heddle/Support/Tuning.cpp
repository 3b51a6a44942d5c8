//===- Tuning.cpp - What --tune does --------------------------------------===//
#include "tools/heddle/Support/Tuning.h"

#include "runtime/device/cuda/Tune.h"
#include "tools/heddle/Support/Table.h"

#include <algorithm>
#include <cstdio>

namespace heddle::driver {

using namespace runtime;

/// What timings of this plan hold for, or why there can be none here.
static StatusOr<TuningDevice> deviceFor(const Plan &plan) {
  HEDDLE_ASSIGN_OR_RETURN(TuningDevice here, tuningDevice());
  if (here.target != plan.target)
    return unavailable("the plan is for " + plan.target + " and the GPU here is " + here.target);
  return here;
}

Status tuneProducts(Plan &plan, const ModelFlags &flags, TuningStats &stats, Progress &progress) {
  bool asked = !flags.tune.empty();
  std::string how = asked ? flags.tune : flags.planFile ? "" : flags.defaultTune;
  // A CPU plan's algorithms are the compiler's (runtime/plan/CpuAlgorithm.h).
  if (plan.device != "cuda" || plan.pipeline != "compiled")
    return Status::ok();
  if (how == "off" && flags.planFile)
    untunePlan(plan);
  if (how.empty() || how == "off")
    return Status::ok();
  StatusOr<TuningDevice> here = deviceFor(plan);
  if (!here) {
    if (asked)
      return std::move(here).status().with("--tune " + how);
    // Counted all the same, so that what is said about the plan is true.
    TuningOptions none;
    none.useCache = false;
    tunePlan(plan, none, stats);
    stats.note = here.status().message();
    return Status::ok();
  }
  std::unique_ptr<Device> device;
  std::unique_ptr<CudaProductTuner> tuner; // Before the device, which it uses, it goes.
  TuningOptions options;
  options.identity = here->identity;
  if (how == "on")
    options.tuner = [&]() -> StatusOr<ProductTuner *> {
      HEDDLE_ASSIGN_OR_RETURN(device, createCudaDevice());
      HEDDLE_ASSIGN_OR_RETURN(tuner, CudaProductTuner::create(*device));
      return static_cast<ProductTuner *>(tuner.get());
    };
  options.progress = [&](int32_t done, int32_t total) {
    progress.show("products " + std::to_string(done) + "/" + std::to_string(total));
  };
  tunePlan(plan, options, stats);
  progress.clear();
  if (!stats.note.empty())
    std::fprintf(stderr, "note: %s\n", stats.note.c_str());
  return Status::ok();
}

std::string tuningText(const TuningStats &stats) {
  std::string text =
      std::to_string(stats.products) + " distinct, " + std::to_string(stats.hits + stats.timed) + " tuned";
  if (stats.timed > 0)
    text += " (" + std::to_string(stats.timed) + " now)";
  if (stats.hits + stats.timed > 0)
    text += "; their calls in one run: " + fixed(stats.guessMs, 2) + " ms by the library's guesses, " +
            fixed(stats.tunedMs, 2) + " ms as tuned";
  if (stats.left() > 0 && !stats.note.empty())
    text += "; " + stats.note;
  return text;
}

} // namespace heddle::driver
