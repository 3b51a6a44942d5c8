//===- MatchReport.h - What a structural pattern found ----------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_SUPPORT_MATCHREPORT_H
#define HEDDLE_COMPILER_SUPPORT_MATCHREPORT_H

#include <string>
#include <vector>

namespace heddle {

/// What a pattern found, or what stopped it.
struct MatchReport {
  std::string pattern; ///< attention, rms_norm, layer_norm, merge-products, batch-launches.
  bool matched = false;
  std::string location;
  std::string reason; ///< For a near miss: the op that stopped it and why. For a batch: what became one.
};

/// Where passes put their reports. The caller owns it and keeps it alive while the passes run.
using MatchReports = std::vector<MatchReport>;

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_MATCHREPORT_H
