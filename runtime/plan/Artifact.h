//===- Artifact.h - Plans as bytes and files --------------------*- C++ -*-===//
//
// A plan artifact is a header of 40 bytes and a FlatBuffer (Plan.fbs). The header is, little-endian:
//   8 bytes  "HEDDLEPL"
//   4 bytes  format version
//   4 bytes  zero
//   8 bytes  bytes of the FlatBuffer that follows
//   16 bytes XXH3-128 of the FlatBuffer, low half first
// so that a truncated or altered file is refused before anything in it is believed.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_ARTIFACT_H
#define HEDDLE_RUNTIME_PLAN_ARTIFACT_H

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Raised whenever an older reader would misread a newer plan; a reader takes its own version alone.
inline constexpr uint32_t kArtifactVersion = 4;

/// Exact: readPlan(writePlan(plan)) is `plan`, and equal plans give equal bytes. Internal where the plan does
/// not verify, InvalidInput where it is too large for the format (2 GiB; weights are never in it).
StatusOr<std::vector<uint8_t>> writePlan(const Plan &plan);
/// To a file that appears only when it is complete.
Status writePlanFile(const Plan &plan, const std::string &path);

/// Refuses, as InvalidInput with one message: other files, other versions, truncated or altered content, and
/// plans that do not verify (verifyPlan).
StatusOr<Plan> readPlan(std::span<const uint8_t> bytes);
/// Whether a file can be read and begins as plans do, whatever its name.
bool isPlanFile(const std::string &path);
/// As readPlan; the message begins with the path.
StatusOr<Plan> readPlanFile(const std::string &path);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_ARTIFACT_H
