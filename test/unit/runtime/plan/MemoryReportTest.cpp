//===- MemoryReportTest.cpp - What a plan's memory is spent on ------------===//
#include "runtime/plan/MemoryReport.h"

#include "SamplePlan.h"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

TEST(MemoryReport, AlignedBytesRoundUp) {
  EXPECT_EQ(alignedBytes(0), 0);
  EXPECT_EQ(alignedBytes(1), 256);
  EXPECT_EQ(alignedBytes(256), 256);
  EXPECT_EQ(alignedBytes(257), 512);
  EXPECT_EQ(alignedBytes(INT64_MAX), INT64_MAX - 255); // What a file may claim; the unit above does not fit.
}

TEST(MemoryReport, PeakIsTheMostAtOnceAndItsFirstStep) {
  EXPECT_EQ(livePeak({}).step, -1);
  // Steps: 1; 1 + 300; 300 + 1; 1.
  LivePeak peak = livePeak({{1, 0, 1}, {300, 1, 2}, {1, 2, 3}});
  EXPECT_EQ(peak.bytes, 301);
  EXPECT_EQ(peak.step, 1);
  // Sums that do not fit are the largest number.
  EXPECT_EQ(livePeak({{INT64_MAX, 0, 0}, {INT64_MAX, 0, 1}}).bytes, INT64_MAX);
}

TEST(MemoryReport, CompiledPlan) {
  Plan plan = samplePlan();
  MemoryReport report = memoryReport(plan);
  EXPECT_EQ(report.fixedBytes, 24 + 48 + 16 + 8); // x, w, bias, ids; z is placed.
  EXPECT_EQ(report.arenaBytes, 544);
  EXPECT_EQ(report.unplacedPeak, 0);
  EXPECT_EQ(report.peakBytes, 96 + 544);
  EXPECT_EQ(report.lowerBound, 96 + 32 + 32); // y and z, which lives from step 2 to the end, at step 2.
  EXPECT_EQ(report.lowerBoundStep, 2);
  EXPECT_EQ(report.unsharedBytes, 24 + 32 + 32);
  EXPECT_EQ(report.bySize, (std::vector<int32_t>{2, 3, 4, 0, 1, 5, 6}));
}

TEST(MemoryReport, EagerPlanCountsWhatLivesAtOnce) {
  Plan plan = samplePlan();
  plan.arenaBytes = 0;
  for (Buffer &buffer : plan.buffers)
    buffer.offset = Buffer::kUnplaced;
  plan.buffers[3].firstStep = 2; // y no longer meets h.
  MemoryReport report = memoryReport(plan);
  EXPECT_EQ(report.fixedBytes, 24 + 48 + 32 + 16 + 8);
  EXPECT_EQ(report.unplacedPeak, 32);
  EXPECT_EQ(report.peakBytes, 128 + 32);
  EXPECT_EQ(report.lowerBound, 128 + 32);
  EXPECT_EQ(report.unsharedBytes, 24 + 32);
}

TEST(MemoryReport, BuffersThatNoStepTouchesCountOnlyWhereTheyAreFixed) {
  Plan plan;
  plan.device = "cpu";
  Buffer buffer;
  buffer.bytes = 4;
  plan.buffers = {buffer, buffer};
  plan.buffers[0].role = BufferRole::Input;
  MemoryReport report = memoryReport(plan);
  EXPECT_EQ(report.peakBytes, 4);
  EXPECT_EQ(report.lowerBound, 4);
  EXPECT_EQ(report.lowerBoundStep, -1);
}

TEST(MemoryReport, TableHasTheFiguresAndTheLargestBuffers) {
  Plan plan = samplePlan();
  std::string text = memoryTable(plan, memoryReport(plan), 3);
  EXPECT_EQ(text, "peak                       640\n"
                  "  fixed                     96\n"
                  "  arena                    544\n"
                  "  unplaced                   0\n"
                  "lower bound                160  at step 2, copy\n"
                  "without reuse              184\n"
                  "bytes  role       type     steps   offset  buffer  location\n"
                  "   48  parameter  3x4xf32  always       -  w       w.cpp:1\n"
                  "   32  scratch    2x4xf32  1..2       256  y       y.cpp:1\n"
                  "   32  output     2x4xf32  2..2       512  z       z.cpp:1\n");
}

} // namespace
} // namespace heddle::runtime
