//===- Tuning.h - What --tune does ------------------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_TUNING_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_TUNING_H

#include "runtime/product/PlanTuning.h"
#include "tools/heddle/Support/Flags.h"
#include "tools/heddle/Support/Progress.h"

#include <string>

namespace heddle::driver {

/// Pins an algorithm for each product of a compiled CUDA plan, as flags.tune says:
///   on      times, on the GPU of this machine, what the cache does not know
///   cached  takes what the cache knows and times nothing
///   off     leaves the choice to the library; a plan file loses the ones that it has
/// Where nothing was said and there is no such GPU, the plan stays as it is and stats.note has the reason. A
/// plan file keeps what it has unless something was said. Eager plans are never tuned: they stand for a
/// framework that does not.
/// Unavailable where tuning was asked for and the GPU that the plan is for is not here.
runtime::Status tuneProducts(runtime::Plan &plan, const ModelFlags &flags, runtime::TuningStats &stats,
                             Progress &progress);

/// "8 distinct, 8 tuned (2 now)", and what that gained where the times are known.
std::string tuningText(const runtime::TuningStats &stats);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_TUNING_H
