//===- AssemblerLogTest.cpp -----------------------------------------------===//
#include "runtime/nvrtc/Nvrtc.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

// Two entries; the second calls a function that was not inlined and has a stack line of its own, which must
// not be taken for the kernel's.
TEST(AssemblerLog, ReadsEveryEntry) {
  std::vector<KernelResources> kernels =
      parseAssemblerLog("ptxas info    : 0 bytes gmem\n"
                        "ptxas info    : Compiling entry function 'one' for 'sm_90a'\n"
                        "ptxas info    : Function properties for one\n"
                        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                        "ptxas info    : Used 14 registers, used 1 barriers, 256 bytes smem\n"
                        "ptxas info    : Compiling entry function 'two' for 'sm_90a'\n"
                        "ptxas info    : Function properties for two\n"
                        "    48 bytes stack frame, 24 bytes spill stores, 36 bytes spill loads\n"
                        "ptxas info    : Function properties for helper\n"
                        "    8 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads\n"
                        "ptxas info    : Used 255 registers, used 0 barriers, 352 bytes cmem[0]\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].entry, "one");
  EXPECT_EQ(kernels[0].registers, 14);
  EXPECT_EQ(kernels[0].sharedBytes, 256);
  EXPECT_EQ(kernels[0].stackBytes, 0);
  EXPECT_EQ(kernels[1].entry, "two");
  EXPECT_EQ(kernels[1].registers, 255);
  EXPECT_EQ(kernels[1].sharedBytes, 0);
  EXPECT_EQ(kernels[1].stackBytes, 48);
  EXPECT_EQ(kernels[1].spillStoreBytes, 24);
  EXPECT_EQ(kernels[1].spillLoadBytes, 36);
}

TEST(AssemblerLog, LeavesUnknownWhatIsNotThere) {
  EXPECT_TRUE(parseAssemblerLog("").empty());
  EXPECT_TRUE(parseAssemblerLog("k.cu(1): warning: Used 3 registers").empty());
  std::vector<KernelResources> kernels = parseAssemblerLog("ptxas info : Compiling entry function 'cut");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].registers, -1);
  EXPECT_EQ(kernels[0].stackBytes, -1);
}
