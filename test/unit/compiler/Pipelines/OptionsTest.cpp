//===- OptionsTest.cpp - Options that the compiler refuses ----------------===//
#include "compiler/Pipelines/Compiler.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// The driver lets none of these pass; callers of the library may.
std::string errorOf(const CompileOptions &options) {
  ModelRequest request;
  request.model = "study:small";
  request.layers = 1;
  runtime::StatusOr<CompileResult> result = Compiler().compile(request, options);
  EXPECT_EQ(result.status().code(), runtime::StatusCode::InvalidInput);
  return result.status().message();
}

TEST(Options, AreCheckedBeforeAnythingIsRead) {
  CompileOptions options;
  options.device = "tpu";
  EXPECT_EQ(errorOf(options), "unknown device 'tpu', wanted cpu or cuda");
  options.device = "cpu";
  options.mode = "sideways";
  EXPECT_EQ(errorOf(options), "unknown mode 'sideways', wanted one of forward, backward, step, accumulate");
  options.mode = "backward";
  options.prepareWeights = true;
  EXPECT_EQ(errorOf(options), "weights are prepared for mode forward alone: others change them");
  options.mode = "forward";
  options.precision = Precision::F32;
  EXPECT_EQ(errorOf(options), "weights are prepared for precision bf16 alone");
}

} // namespace
} // namespace heddle
