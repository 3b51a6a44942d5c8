//===- MemoryReport.cpp - What a plan's memory is spent on ----------------===//
#include "runtime/plan/MemoryReport.h"

#include "runtime/plan/Verify.h"

#include <algorithm>
#include <numeric>

namespace heddle::runtime {

namespace {

/// Sums of sizes that a file claims: the largest number instead of an overflow.
int64_t saturatingSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

} // namespace

LivePeak livePeak(const std::vector<Lifetime> &lifetimes) {
  int32_t steps = 0;
  for (const Lifetime &life : lifetimes)
    steps = std::max(steps, life.last + 1);
  // What is gained and lost at each step; a buffer still lives at its last one.
  // In 128 bits, since what a file claims may not fit in 64.
  std::vector<__int128> change(static_cast<size_t>(steps) + 1);
  for (const Lifetime &life : lifetimes) {
    change[static_cast<size_t>(life.first)] += life.bytes;
    change[static_cast<size_t>(life.last) + 1] -= life.bytes;
  }
  LivePeak peak;
  __int128 live = 0;
  for (int32_t step = 0; step < steps; ++step) {
    live += change[static_cast<size_t>(step)];
    if (live > peak.bytes)
      peak = {live > INT64_MAX ? INT64_MAX : static_cast<int64_t>(live), step};
  }
  return peak;
}

MemoryReport memoryReport(const Plan &plan) {
  MemoryReport report;
  std::vector<Lifetime> all, unplaced;
  for (const Buffer &buffer : plan.buffers) {
    bool placed = buffer.offset != Buffer::kUnplaced;
    if (livesThroughout(buffer)) {
      // A placed one is inside arenaBytes, and any other placement has to hold it all the time, too.
      if (!placed)
        report.fixedBytes = saturatingSum(report.fixedBytes, buffer.bytes);
      else if (!plan.steps.empty())
        all.push_back({buffer.bytes, 0, static_cast<int32_t>(plan.steps.size()) - 1});
      continue;
    }
    if (buffer.firstStep < 0)
      continue;
    report.unsharedBytes = saturatingSum(report.unsharedBytes, buffer.bytes);
    all.push_back({buffer.bytes, buffer.firstStep, buffer.lastStep});
    if (!placed)
      unplaced.push_back(all.back());
  }
  LivePeak least = livePeak(all);
  report.arenaBytes = plan.arenaBytes;
  report.unplacedPeak = livePeak(unplaced).bytes;
  report.peakBytes = saturatingSum(saturatingSum(report.fixedBytes, report.arenaBytes), report.unplacedPeak);
  report.lowerBound = saturatingSum(report.fixedBytes, least.bytes);
  report.lowerBoundStep = least.step;
  report.bySize.resize(plan.buffers.size());
  std::iota(report.bySize.begin(), report.bySize.end(), 0);
  std::stable_sort(report.bySize.begin(), report.bySize.end(), [&](int32_t a, int32_t b) {
    return plan.buffers[static_cast<size_t>(a)].bytes > plan.buffers[static_cast<size_t>(b)].bytes;
  });
  return report;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

std::string_view roleName(BufferRole role) {
  constexpr std::string_view kNames[] = {"input",    "output", "parameter", "state",
                                         "constant", "saved",  "scratch"};
  return kNames[static_cast<size_t>(role)];
}

std::string lifeText(const Buffer &buffer) {
  if (livesThroughout(buffer))
    return "always";
  if (buffer.firstStep < 0)
    return "never";
  return std::to_string(buffer.firstStep) + ".." + std::to_string(buffer.lastStep);
}

std::string shapeText(const Buffer &buffer) {
  std::string text;
  for (int64_t size : buffer.shape)
    text += std::to_string(size) + "x";
  return text + std::string(nameOf(buffer.dtype));
}

} // namespace

std::string memoryTable(const Plan &plan, const MemoryReport &report, size_t most) {
  std::string text;
  auto figure = [&](const char *name, int64_t bytes, const std::string &note) {
    std::string value = std::to_string(bytes);
    text +=
        std::string(name) + std::string(value.size() < 16 ? 16 - value.size() : 1, ' ') + value + note + "\n";
  };
  figure("peak          ", report.peakBytes, "");
  figure("  fixed       ", report.fixedBytes, "");
  figure("  arena       ", report.arenaBytes, "");
  figure("  unplaced    ", report.unplacedPeak, "");
  std::string at;
  if (report.lowerBoundStep >= 0) {
    const Step &step = plan.steps[static_cast<size_t>(report.lowerBoundStep)];
    at = "  at step " + std::to_string(report.lowerBoundStep) + (step.label.empty() ? "" : ", " + step.label);
  }
  figure("lower bound   ", report.lowerBound, at);
  figure("without reuse ", saturatingSum(report.fixedBytes, report.unsharedBytes), "");

  // Columns as wide as their widest cell; numbers to the right.
  std::vector<std::vector<std::string>> rows = {
      {"bytes", "role", "type", "steps", "offset", "buffer", "location"}};
  for (size_t i = 0; i < std::min(most, report.bySize.size()); ++i) {
    const Buffer &buffer = plan.buffers[static_cast<size_t>(report.bySize[i])];
    rows.push_back({std::to_string(buffer.bytes), std::string(roleName(buffer.role)), shapeText(buffer),
                    lifeText(buffer),
                    buffer.offset == Buffer::kUnplaced ? "-" : std::to_string(buffer.offset), buffer.name,
                    buffer.location});
  }
  std::vector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  for (const auto &row : rows) {
    std::string line;
    for (size_t column = 0; column < row.size(); ++column) {
      std::string padding(widths[column] - row[column].size(), ' ');
      bool right = column == 0 || column == 4;
      line += (column ? "  " : "") + (right ? padding + row[column] : row[column] + padding);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

} // namespace heddle::runtime
