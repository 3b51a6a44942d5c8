//===- CompileKernelsTest.cpp ---------------------------------------------===//
//
// Runs wherever NVRTC is; it needs no GPU.
//
//===----------------------------------------------------------------------===//
#include "runtime/nvrtc/CompileKernels.h"

#include "runtime/nvrtc/KernelCache.h"
#include "test/unit/runtime/base/TemporaryFolder.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace heddle::runtime;

static const char *const kSource = R"(
#include "heddle/scale.cuh"
extern "C" __global__ void scale_rows(float *out, const float *in, long long count) {
  __shared__ float tile[64];
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  tile[threadIdx.x % 64] = i < count ? in[i] : 0.0f;
  __syncthreads();
  if (i < count)
    out[i] = scaled(tile[(threadIdx.x + 1) % 64]);
}
)";

class CompileKernels : public testing::Test {
protected:
  void SetUp() override {
    StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
    if (!nvrtc)
      GTEST_SKIP() << nvrtc.status().message();
    options.cacheFolder = folder.path;
    options.headers = {
        {"heddle/scale.cuh", "__device__ inline float scaled(float x) { return 3.0f * x; }\n"}};
  }

  Plan planOf(std::vector<std::string> targets) {
    Plan plan;
    for (const std::string &target : targets) {
      Kernel kernel;
      kernel.name = "scale_rows";
      kernel.source = kSource;
      kernel.target = target;
      plan.kernels.push_back(kernel);
    }
    return plan;
  }

  TemporaryFolder folder;
  CompileOptions options;
  CompileStats stats;
};

// An ELF file whose machine is CUDA's: 190.
static bool isCubin(const std::vector<uint8_t> &bytes) {
  return bytes.size() > 64 &&
         std::string(bytes.begin(), bytes.begin() + 4) == "\x7f"
                                                          "ELF" &&
         bytes[18] == 190;
}

TEST_F(CompileKernels, WhatIsWrongWithASourceIsSaid) {
  Plan plan = planOf({"sm_80"});
  plan.kernels[0].source = "extern \"C\" __global__ void scale_rows() { nonsense; }";
  Status status = compileKernels(plan, options);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  for (const char *part : {"kernel scale_rows does not compile for sm_80: ", "nonsense"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(CompileKernelsWithoutSource, IsRefused) {
  Plan plan;
  plan.kernels.emplace_back().name = "scale_rows";
  Status status = compileKernels(plan, CompileOptions{});
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_EQ(status.message(), "kernel scale_rows of the plan has neither a binary nor a source");
}

TEST_F(CompileKernels, BothArchitecturesAndTheirResources) {
  std::vector<CompileRequest> requests{{"scale_rows", kSource, "sm_80", {}},
                                       {"scale_rows", kSource, "sm_90a", {}}};
  auto compiled = compileKernels(std::span<const CompileRequest>(requests), options, nullptr, &stats);
  ASSERT_TRUE(compiled) << compiled.status().message();
  ASSERT_EQ(compiled->size(), 2u);
  EXPECT_NE((*compiled)[0].cubin, (*compiled)[1].cubin);
  for (const CompiledKernel &kernel : *compiled) {
    EXPECT_TRUE(isCubin(kernel.cubin));
    ASSERT_EQ(kernel.resources.size(), 1u) << kernel.log;
    EXPECT_EQ(kernel.resources[0].entry, "scale_rows");
    EXPECT_GT(kernel.resources[0].registers, 0);
    EXPECT_EQ(kernel.resources[0].sharedBytes, 256);
    EXPECT_EQ(kernel.resources[0].spillStoreBytes, 0);
  }
  EXPECT_EQ(stats.hits, 0);
  EXPECT_EQ(stats.misses, 2);
}

TEST_F(CompileKernels, SecondTimeComesFromTheCache) {
  Plan first = planOf({"sm_80"}), second = planOf({"sm_80"});
  Status status = compileKernels(first, options, nullptr, &stats);
  ASSERT_TRUE(status) << status.message();
  EXPECT_TRUE(isCubin(first.kernels[0].binary));
  EXPECT_EQ(stats.misses, 1);
  ASSERT_TRUE(compileKernels(second, options, nullptr, &stats));
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.misses, 0);
  EXPECT_EQ(second.kernels[0].binary, first.kernels[0].binary);
  // A changed header is another kernel.
  options.headers[0].text += "// changed\n";
  Plan third = planOf({"sm_80"});
  ASSERT_TRUE(compileKernels(third, options, nullptr, &stats));
  EXPECT_EQ(stats.misses, 1);
}

TEST_F(CompileKernels, DamagedEntryIsBuiltAgain) {
  Plan first = planOf({"sm_80"}), second = planOf({"sm_80"}), third = planOf({"sm_80"});
  ASSERT_TRUE(compileKernels(first, options));
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder.path))
    if (entry.is_regular_file())
      std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
  ASSERT_TRUE(compileKernels(second, options, nullptr, &stats));
  EXPECT_EQ(stats.misses, 1);
  EXPECT_NE(stats.note.find("compiled again"), std::string::npos) << stats.note;
  EXPECT_EQ(second.kernels[0].binary, first.kernels[0].binary);
  ASSERT_TRUE(compileKernels(third, options, nullptr, &stats));
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.note, "");
}

TEST_F(CompileKernels, UnwritableCacheStillCompiles) {
  std::ofstream(folder.path + "/file") << "in the way";
  options.cacheFolder = folder.path + "/file";
  Plan plan = planOf({"sm_80"});
  ASSERT_TRUE(compileKernels(plan, options, nullptr, &stats));
  EXPECT_TRUE(isCubin(plan.kernels[0].binary));
  EXPECT_NE(stats.note.find(options.cacheFolder), std::string::npos) << stats.note;
}

// Equal kernels are compiled once, progress counts what is compiled, and an existing binary is left alone.
TEST_F(CompileKernels, EachKernelOnceWithProgress) {
  Plan plan = planOf({"sm_80", "sm_80", "sm_90a", "sm_80"});
  plan.kernels[3].binary = {1, 2, 3};
  std::vector<int32_t> seen;
  Status status = compileKernels(
      plan, options,
      [&](int32_t done, int32_t total) {
        EXPECT_EQ(total, 2);
        seen.push_back(done);
      },
      &stats);
  ASSERT_TRUE(status) << status.message();
  EXPECT_EQ(seen, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(stats.misses, 2);
  EXPECT_EQ(plan.kernels[0].binary, plan.kernels[1].binary);
  EXPECT_EQ(plan.kernels[3].binary, (std::vector<uint8_t>{1, 2, 3}));
}

TEST_F(CompileKernels, BadSourceNamesKernelAndLine) {
  Plan plan = planOf({"sm_80", "sm_80"});
  plan.kernels[1].name = "broken";
  plan.kernels[1].source = "extern \"C\" __global__ void broken() {\n  undeclared = 1;\n}\n";
  Status status = compileKernels(plan, options);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_NE(status.message().find("broken.cu(2)"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("undeclared"), std::string::npos) << status.message();
  // Nothing half-done.
  EXPECT_TRUE(plan.kernels[0].binary.empty());
}

TEST_F(CompileKernels, UnknownArchitectureIsAnError) {
  Plan plan = planOf({"sm_12345"});
  Status status = compileKernels(plan, options);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_NE(status.message().find("sm_12345"), std::string::npos) << status.message();
}

TEST_F(CompileKernels, KernelWithoutSourceIsAnError) {
  Plan plan = planOf({"sm_80"});
  plan.kernels[0].source.clear();
  Status status = compileKernels(plan, options);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_NE(status.message().find("scale_rows"), std::string::npos) << status.message();
}

TEST_F(CompileKernels, PtxIsReadable) {
  StatusOr<const Nvrtc *> nvrtc = Nvrtc::get();
  ASSERT_TRUE(nvrtc);
  StatusOr<std::string> ptx = (*nvrtc)->ptx({"scale_rows", kSource, "sm_90a", {}}, options.headers);
  ASSERT_TRUE(ptx) << ptx.status().message();
  EXPECT_NE(ptx->find(".target sm_90a"), std::string::npos);
  EXPECT_NE(ptx->find(".entry scale_rows"), std::string::npos);
}

// Contraction of a*b+c into a fused multiply-add is the only freedom that a kernel has unless it asks for
// more.
TEST_F(CompileKernels, FastMathOnlyOnRequest) {
  std::string source = "extern \"C\" __global__ void k(float *x) { x[0] = expf(x[0]) / x[1]; }";
  std::vector<CompileRequest> requests{{"k", source, "sm_80", {}},
                                       {"k", source, "sm_80", {"--use_fast_math"}}};
  auto compiled = compileKernels(std::span<const CompileRequest>(requests), options);
  ASSERT_TRUE(compiled) << compiled.status().message();
  EXPECT_NE((*compiled)[0].cubin, (*compiled)[1].cubin);
}
