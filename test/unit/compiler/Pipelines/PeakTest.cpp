//===- PeakTest.cpp - Compiled plans need no more memory than eager's -----===//
#include "compiler/Pipelines/Compiler.h"
#include "runtime/executor/Layout.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// What an executor will hold at most, as it prepares it from the plan; without a device.
int64_t plannedPeak(Compiler &compiler, const ModelRequest &request, PipelineKind pipeline,
                    Precision precision, Mode mode = Mode::Forward) {
  CompileOptions options;
  options.mode = nameOf(mode);
  options.pipeline = pipeline;
  options.precision = precision;
  options.device = "cuda";
  options.target = "sm_90a";
  runtime::StatusOr<CompileResult> result = compiler.compile(request, options);
  if (!result) {
    ADD_FAILURE() << request.model << ": " << result.status().message();
    return 0;
  }
  runtime::ExecutorKind kind =
      pipeline == PipelineKind::Eager ? runtime::ExecutorKind::Eager : runtime::ExecutorKind::Graph;
  return runtime::layOut(result->plan, kind).peakBytes();
}

class Peak : public testing::TestWithParam<const char *> {};

TEST_P(Peak, CompiledIsNotAboveEager) {
  Compiler compiler;
  for (Precision precision : {Precision::F32, Precision::BF16})
    for (int64_t context : {16, 64, 512, 2048}) {
      ModelRequest request;
      request.model = GetParam();
      request.context = context;
      int64_t eager = plannedPeak(compiler, request, PipelineKind::Eager, precision);
      int64_t compiled = plannedPeak(compiler, request, PipelineKind::Compiled, precision);
      EXPECT_GT(compiled, 0);
      EXPECT_LE(compiled, eager) << request.model << ", context " << context
                                 << (precision == Precision::BF16 ? ", bf16" : ", fp32");
    }
}

// Where tokens are few, what compiled code keeps of the weights from run to run (bf16 copies) weighs most.
TEST_P(Peak, StepsAreNotAboveEagers) {
  Compiler compiler;
  for (int64_t context : {16, 512}) {
    ModelRequest request;
    request.model = GetParam();
    request.batch = 1;
    request.context = context;
    int64_t eager = plannedPeak(compiler, request, PipelineKind::Eager, Precision::BF16, Mode::Step);
    int64_t compiled = plannedPeak(compiler, request, PipelineKind::Compiled, Precision::BF16, Mode::Step);
    EXPECT_GT(compiled, 0);
    EXPECT_LE(compiled, eager) << request.model << ", context " << context;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Peak,
                         testing::Values("study:small", "study:medium", "study:large", "study:xl",
                                         "study:10B"),
                         [](const auto &info) { return std::string(info.param).substr(6); });

} // namespace
} // namespace heddle
