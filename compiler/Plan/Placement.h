//===- Placement.h - Buffers in one arena -----------------------*- C++ -*-===//
//
// Given how large each buffer is and when it lives, find offsets such that no two that live at once overlap
// and the arena is small. The problem is NP-hard; greedy placement over a few orders, improved while that
// pays, reaches the lower bound on the programs of Transformers and is deterministic.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PLAN_PLACEMENT_H
#define HEDDLE_COMPILER_PLAN_PLACEMENT_H

#include "runtime/plan/MemoryReport.h"

#include <cstdint>
#include <vector>

namespace heddle::plan {

struct Placement {
  std::vector<int64_t> offsets; ///< As the lifetimes given; multiples of the arena's alignment.
  int64_t bytes = 0;            ///< Of the arena, a multiple of the alignment.
  int64_t lowerBound = 0;       ///< The most that lives at once, in whole units: no such arena is smaller.
};

/// Places every lifetime; those of 0 bytes are at 0. Time is quadratic in their number with a small constant:
/// for 500, under a millisecond where the first order reaches the bound, up to ten where none does.
Placement placeInArena(const std::vector<runtime::Lifetime> &lifetimes);

} // namespace heddle::plan

#endif // HEDDLE_COMPILER_PLAN_PLACEMENT_H
