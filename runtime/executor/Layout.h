//===- Layout.h - What an executor prepares from a plan ---------*- C++ -*-===//
//
// Everything that a run would have to look up is looked up once: the operands of each step in one flat list,
// what to allocate before it and free after it, and how much memory of each kind the plan takes.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_EXECUTOR_LAYOUT_H
#define HEDDLE_RUNTIME_EXECUTOR_LAYOUT_H

#include "runtime/executor/Executor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::runtime {

/// Who gives a buffer its memory.
enum class Home : uint8_t {
  Fixed,   ///< The executor's one block of long-lived memory.
  Arena,   ///< The plan's arena.
  Dynamic, ///< The caching allocator, from first to last use.
};

/// A run [first, first + count) of one of Layout's lists.
struct Range {
  uint32_t first = 0, count = 0;
};

struct PreparedStep {
  const Step *step = nullptr;
  int32_t index = 0;
  Range operands; ///< Launch: its buffers. Product: a, b, c, bias, d. Copy: source, destination.
  Range allocate; ///< Dynamic buffers that live from here.
  Range release;  ///< Dynamic buffers that die here.
};

struct Layout {
  std::vector<Home> homes;           ///< Of each buffer.
  std::vector<int64_t> fixedOffsets; ///< Of each Fixed buffer in the block.
  int64_t fixedBytes = 0;
  int64_t arenaBytes = 0;  ///< 0 where the arena is not used.
  int64_t dynamicPeak = 0; ///< What the caching allocator will hand out at most, rounding included.
  std::vector<BufferRef> operands;
  std::vector<int32_t> buffers; ///< Indices, for PreparedStep::allocate and release.
  std::vector<int32_t> outputs; ///< Dynamic outputs: they outlive the run, until the next begins.
  std::vector<PreparedStep> init, run;

  int64_t peakBytes() const { return fixedBytes + arenaBytes + dynamicPeak; }
  /// "1234 bytes: 1000 of parameters, inputs and constants, 234 of arena".
  std::string describeMemory(int64_t workspaceBytes) const;
};

/// The plan has been verified.
Layout layOut(const Plan &plan, ExecutorKind kind);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_EXECUTOR_LAYOUT_H
