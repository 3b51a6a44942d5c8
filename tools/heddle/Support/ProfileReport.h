//===- ProfileReport.h - Where the device's time goes -----------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_PROFILEREPORT_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_PROFILEREPORT_H

#include "runtime/device/Device.h"

#include <string>
#include <vector>

namespace heddle::driver {

/// What a step runs: the kernel's name, with "25 of" in front where it is launched on so many instances;
/// "512x768x768" with "48 of" in front for a batch; or the bytes of a copy.
std::string workOf(const runtime::Plan &plan, const runtime::Step &step);

/// How many steps a plan has, and of which kinds: "99, 98 a run, 1 before the first: 79 launches of 36
/// kernels, 20 products, 0 copies"; "79 launches (on 400 instances)" where some are batched.
std::string stepsText(const runtime::Plan &plan);

/// Lines that say how to read what workOf gives.
std::string workLegend();

/// One profiled run.
struct BusyRun {
  std::vector<runtime::StepTime> steps;
  double ms = 0;       ///< Sum of the steps' times.
  int64_t kernels = 0; ///< Sum of the steps' kernels.
};

/// The run whose sum is the middle one, the smaller of two; nothing of no runs.
BusyRun middleRun(const std::vector<std::vector<runtime::StepTime>> &runs);

/// A table of one run: steps that run the same work under the same label together, longest first, with calls,
/// milliseconds and share of the sum; the last row is the sum.
std::string profileTable(const runtime::Plan &plan, const std::vector<runtime::StepTime> &times);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_PROFILEREPORT_H
