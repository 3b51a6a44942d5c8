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

/// A table of one run: steps that run the same work under the same label together, longest first, with calls,
/// milliseconds and share of the sum.
std::string profileTable(const runtime::Plan &plan, const std::vector<runtime::StepTime> &times);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_PROFILEREPORT_H
