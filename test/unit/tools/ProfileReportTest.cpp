#include "tools/heddle/Support/ProfileReport.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::driver;

namespace {

runtime::Plan twoProducts() {
  runtime::Plan plan;
  for (int64_t n : {16, 32}) {
    runtime::Step &step = plan.steps.emplace_back();
    step.kind = runtime::StepKind::Product;
    step.product.m = 8;
    step.product.n = n;
    step.product.k = 64;
    step.label = "matmul";
  }
  return plan;
}

} // namespace

TEST(ProfileReport, TheRunOfTheMiddleSumIsTaken) {
  BusyRun run = middleRun({{{0, 4}, {1, 5, 3}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 1, 2}}});
  EXPECT_EQ(run.ms, 3);
  EXPECT_EQ(run.kernels, 3);
  EXPECT_EQ(run.steps.size(), 2u);
  EXPECT_EQ(middleRun({{{0, 4}}, {{0, 1}}}).ms, 1) << "the smaller of two: never above the times' median";
  EXPECT_EQ(middleRun({}).ms, 0);
}

TEST(ProfileReport, TheLastRowIsTheSum) {
  std::string table = profileTable(twoProducts(), {{0, 1.5}, {1, 4.5}});
  EXPECT_EQ(table, "work     label            calls     ms  µs a call    share\n"
                   "8x32x64  matmul               1  4.500     4500.0   75.0 %\n"
                   "8x16x64  matmul               1  1.500     1500.0   25.0 %\n"
                   "all      2 kinds of work      2  6.000     3000.0  100.0 %\n");
}

TEST(ProfileReport, ARunWithoutStepsHasAnEmptySum) {
  EXPECT_EQ(profileTable({}, {}), "work  label            calls     ms  µs a call  share\n"
                                  "all   0 kinds of work      0  0.000        0.0  0.0 %\n");
}
