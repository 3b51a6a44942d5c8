//===- GenerateSourceTest.cpp - The embedded device code ------------------===//
#include "runtime/device/cuda/Embedded.h"
#include "runtime/nvrtc/Nvrtc.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

static void expectNoSpills(const char *name, const char *source, size_t kernels) {
  StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
  if (!nvrtc)
    GTEST_SKIP() << nvrtc.status().message();
  for (const char *arch : {"sm_80", "sm_90a"}) {
    StatusOr<CompiledKernel> compiled = (*nvrtc)->compile({name, source, arch, {}}, {});
    ASSERT_TRUE(compiled) << compiled.status().message();
    EXPECT_EQ(compiled->resources.size(), kernels) << compiled->log;
    for (const KernelResources &kernel : compiled->resources) {
      EXPECT_EQ(kernel.spillStoreBytes, 0) << kernel.entry;
      EXPECT_EQ(kernel.stackBytes, 0) << kernel.entry;
    }
  }
}

TEST(GenerateSource, CompilesWithoutSpills) { expectNoSpills("heddle_generate", kGenerateSource, 3); }

TEST(ConvertSource, CompilesWithoutSpills) { expectNoSpills("heddle_convert", kConvertSource, 6); }
