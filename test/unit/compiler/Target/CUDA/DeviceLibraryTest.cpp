//===- DeviceLibraryTest.cpp - The embedded files -------------------------===//
#include "compiler/Target/CUDA/DeviceLibrary.h"
#include "compiler/Target/CUDA/Kernels.h"
#include "runtime/nvrtc/Nvrtc.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

using namespace heddle;

static int64_t count(llvm::StringRef text, llvm::StringRef part) {
  return static_cast<int64_t>(text.count(part));
}

TEST(DeviceLibrary, ReplacesEachFileOnce) {
  std::string text = cuda::withDeviceLibrary(
      "#include \"row.cuh\"\n#include \"prelude.cuh\"\n#include \"row.cuh\"\nint x;\n");
  EXPECT_EQ(count(text, "#define HEDDLE_DEVICE_PRELUDE_CUH"), 1);
  EXPECT_EQ(count(text, "#define HEDDLE_DEVICE_REDUCE_CUH"), 1); // row.cuh includes it
  EXPECT_EQ(count(text, "#include \""), 0);
  EXPECT_TRUE(llvm::StringRef(text).ends_with("int x;\n"));
}

TEST(DeviceLibrary, KeepsOtherIncludes) {
  EXPECT_EQ(cuda::withDeviceLibrary("#include \"other.h\"\n"), "#include \"other.h\"\n");
}

/// Each file alone, so that none depends on what another happened to include before.
TEST(DeviceLibrary, EachFileCompilesAlone) {
  runtime::StatusOr<const runtime::Nvrtc *> nvrtc = runtime::Nvrtc::get();
  if (!nvrtc)
    GTEST_SKIP() << nvrtc.status().message();
  ASSERT_GT(cuda::kDeviceFileCount, 0u);
  for (size_t index = 0; index < cuda::kDeviceFileCount; ++index) {
    std::string name(cuda::kDeviceFiles[index].name);
    for (const char *arch : {"sm_80", "sm_90a"}) {
      auto compiled = (*nvrtc)->compile(
          {name,
           cuda::withDeviceLibrary("#include \"" + name + "\"\nextern \"C\" __global__ void k() {}\n"),
           arch,
           {}},
          {});
      EXPECT_TRUE(compiled) << name << " for " << arch << ": " << compiled.status().message();
    }
  }
}
