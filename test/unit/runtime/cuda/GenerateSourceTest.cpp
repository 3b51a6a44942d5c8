//===- GenerateSourceTest.cpp - The embedded device code ------------------===//
#include "runtime/device/cuda/Embedded.h"
#include "runtime/nvrtc/Nvrtc.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

TEST(GenerateSource, CompilesWithoutSpills) {
  StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
  if (!nvrtc)
    GTEST_SKIP() << nvrtc.status().message();
  for (const char *arch : {"sm_80", "sm_90a"}) {
    StatusOr<CompiledKernel> compiled = (*nvrtc)->compile({"heddle_generate", kGenerateSource, arch, {}}, {});
    ASSERT_TRUE(compiled) << compiled.status().message();
    EXPECT_EQ(compiled->resources.size(), 3u) << compiled->log;
    for (const KernelResources &kernel : compiled->resources) {
      EXPECT_EQ(kernel.spillStoreBytes, 0) << kernel.entry;
      EXPECT_EQ(kernel.stackBytes, 0) << kernel.entry;
    }
  }
}
