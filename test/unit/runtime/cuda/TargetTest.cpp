//===- TargetTest.cpp -----------------------------------------------------===//
#include "runtime/device/cuda/Target.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

TEST(CudaTarget, Parses) {
  auto target = parseCudaTarget("sm_90a");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->major, 9);
  EXPECT_EQ(target->minor, 0);
  EXPECT_EQ(target->suffix, 'a');
  target = parseCudaTarget("sm_120");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->major, 12);
  EXPECT_EQ(target->suffix, 0);
  for (const char *bad :
       {"", "sm_", "sm_9", "sm_90b", "sm_90aa", "sm_-90", "compute_90", "x86-64-v4", "sm_999999999999"})
    EXPECT_FALSE(parseCudaTarget(bad)) << bad;
}

TEST(CudaTarget, CubinsStayWithinTheirMajorVersion) {
  EXPECT_TRUE(cubinRunsOn(*parseCudaTarget("sm_80"), 8, 0));
  EXPECT_TRUE(cubinRunsOn(*parseCudaTarget("sm_80"), 8, 9));
  EXPECT_FALSE(cubinRunsOn(*parseCudaTarget("sm_86"), 8, 0));
  EXPECT_FALSE(cubinRunsOn(*parseCudaTarget("sm_80"), 9, 0));
  EXPECT_TRUE(cubinRunsOn(*parseCudaTarget("sm_90a"), 9, 0));
  EXPECT_FALSE(cubinRunsOn(*parseCudaTarget("sm_100a"), 10, 3));
  EXPECT_TRUE(cubinRunsOn(*parseCudaTarget("sm_100f"), 10, 3));
}

TEST(CudaTarget, PortableSourceRunsOnNewerDevices) {
  EXPECT_TRUE(sourceRunsOn(*parseCudaTarget("sm_80"), 9, 0));
  EXPECT_TRUE(sourceRunsOn(*parseCudaTarget("sm_80"), 12, 0));
  EXPECT_FALSE(sourceRunsOn(*parseCudaTarget("sm_90"), 8, 9));
  EXPECT_TRUE(sourceRunsOn(*parseCudaTarget("sm_90a"), 9, 0));
  EXPECT_FALSE(sourceRunsOn(*parseCudaTarget("sm_90a"), 10, 0));
}

TEST(CudaTarget, BestUsesTheArchitectureSpecificFeatures) {
  EXPECT_EQ(bestCudaTarget(8, 0), "sm_80");
  EXPECT_EQ(bestCudaTarget(9, 0), "sm_90a");
  EXPECT_EQ(bestCudaTarget(12, 0), "sm_120a");
}
