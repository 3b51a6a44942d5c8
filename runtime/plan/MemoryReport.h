//===- MemoryReport.h - What a plan's memory is spent on --------*- C++ -*-===//
//
// The peak of a plan is known before anything runs. This says what it is made of, and how far it is from the
// least that any placement could reach. All figures are bytes; context, modules and the product library's
// workspace are not in them.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_MEMORYREPORT_H
#define HEDDLE_RUNTIME_PLAN_MEMORYREPORT_H

#include "runtime/plan/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Every offset in the arena is a multiple of this many bytes.
constexpr int64_t kArenaAlignment = 256;

/// `bytes`, at least 0, rounded up to whole units of the arena; down where the unit above does not fit in 64
/// bits.
constexpr int64_t alignedBytes(int64_t bytes) {
  int64_t whole = bytes / kArenaAlignment * kArenaAlignment;
  return whole == bytes || whole > INT64_MAX - kArenaAlignment ? whole : whole + kArenaAlignment;
}

/// Bytes that are held from step `first` to step `last`, inclusive; both at least 0.
struct Lifetime {
  int64_t bytes = 0;
  int32_t first = 0, last = 0;
};

/// The most bytes that are held at once, and the first step at which they are: no placement in an arena is
/// smaller. Step -1 where there is nothing.
struct LivePeak {
  int64_t bytes = 0;
  int32_t step = -1;
};
LivePeak livePeak(const std::vector<Lifetime> &lifetimes);

struct MemoryReport {
  int64_t fixedBytes =
      0; ///< Of unplaced buffers that live throughout: parameters, constants, inputs, outputs, state.
  int64_t arenaBytes = 0; ///< Of the arena.
  int64_t unplacedPeak =
      0; ///< Most bytes of unplaced scratch and saved buffers at once: the eager pipeline's share.
  int64_t peakBytes = 0; ///< The sum of these three.
  int64_t lowerBound =
      0; ///< The peak of the best placement that can be: fixedBytes and the most that lives at once.
  int32_t lowerBoundStep = -1; ///< Where the most lives at once.
  int64_t unsharedBytes = 0;   ///< What scratch and saved buffers would take if none shared memory.
  std::vector<int32_t> bySize; ///< All buffers, largest first, those of one size in the plan's order.
};

/// Needs a plan whose lifetimes are set; buffers that no step touches count only where they live throughout.
MemoryReport memoryReport(const Plan &plan);

/// The figures, then a line for each of the `most` largest buffers: bytes, role, element type, shape, life,
/// place, name and location.
std::string memoryTable(const Plan &plan, const MemoryReport &report, size_t most);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_MEMORYREPORT_H
