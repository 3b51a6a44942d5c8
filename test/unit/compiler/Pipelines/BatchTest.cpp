//===- BatchTest.cpp - Batched launches change no bit and no peak ---------===//
#include "compiler/Pipelines/Compiler.h"
#include "runtime/base/Random.h"
#include "runtime/device/Device.h"
#include "runtime/executor/Executor.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace heddle {
namespace {

struct Case {
  const char *model;
  Mode mode;
  Precision precision;
};

runtime::Plan planOf(const Case &of, const std::string &device, const std::string &target, bool batch,
                     int64_t layers, int64_t context) {
  Compiler compiler;
  ModelRequest request;
  request.model = of.model;
  request.layers = layers;
  request.batch = 2;
  request.context = context;
  request.vocabulary = 257;
  request.loss = true;
  CompileOptions options;
  options.mode = nameOf(of.mode);
  options.precision = of.precision;
  options.device = device;
  options.target = target;
  options.batchLaunches = batch;
  runtime::StatusOr<CompileResult> result = compiler.compile(request, options);
  if (!result) {
    ADD_FAILURE() << of.model << ": " << result.status().message();
    return {};
  }
  return std::move(result->plan);
}

int64_t launches(const runtime::Plan &plan) {
  int64_t count = 0;
  for (const runtime::Step &step : plan.steps)
    count += step.kind == runtime::StepKind::Launch;
  return count;
}

int64_t instances(const runtime::Plan &plan) {
  int64_t count = 0;
  for (const runtime::Step &step : plan.steps)
    if (step.kind == runtime::StepKind::Launch)
      count += runtime::instancesOf(step.launch);
  return count;
}

/// The bytes of every output, parameter and state after three runs.
std::map<std::string, std::vector<uint8_t>> results(const runtime::Plan &plan) {
  std::unique_ptr<runtime::Device> device = *runtime::createCpuDevice(3);
  runtime::ExecutorOptions options;
  options.seed = 5;
  options.poison = true;
  auto executor = runtime::Executor::create(*device, plan, options);
  if (!executor) {
    ADD_FAILURE() << executor.status().message();
    return {};
  }
  for (int run = 0; run < 3; ++run) {
    for (const runtime::Buffer &buffer : plan.buffers)
      if (buffer.role == runtime::BufferRole::Input) {
        std::vector<uint8_t> data(static_cast<size_t>(buffer.bytes));
        int64_t size = runtime::sizeOf(buffer.dtype);
        for (int64_t i = 0; i < buffer.bytes / size; ++i) {
          int64_t token = (i * i * 31 + i * 7 + run) % buffer.indexLimit; // All inputs are token ids.
          std::memcpy(data.data() + i * size, &token, static_cast<size_t>(size));
        }
        EXPECT_TRUE((*executor)->setInput(buffer.name, data).isOk());
      }
    EXPECT_TRUE((*executor)->run().isOk());
  }
  std::map<std::string, std::vector<uint8_t>> found;
  for (const runtime::Buffer &buffer : plan.buffers) {
    if (buffer.role == runtime::BufferRole::Output)
      found["output " + buffer.name] = *(*executor)->output(buffer.name);
    if (buffer.role == runtime::BufferRole::Parameter || buffer.role == runtime::BufferRole::State)
      for (const runtime::ParameterPart &part : buffer.parts)
        found[part.name] = *(*executor)->parameter(part.name);
  }
  return found;
}

class Batch : public testing::TestWithParam<Case> {};

TEST_P(Batch, SameBits) {
  runtime::Plan apart = planOf(GetParam(), "cpu", "", false, 2, 24),
                batched = planOf(GetParam(), "cpu", "", true, 2, 24);
  EXPECT_EQ(instances(apart), launches(apart));
  EXPECT_EQ(instances(batched), launches(apart));
  EXPECT_LT(launches(batched), launches(apart));
  std::map<std::string, std::vector<uint8_t>> wanted = results(apart), found = results(batched);
  ASSERT_EQ(found.size(), wanted.size());
  for (const auto &[name, bytes] : wanted)
    EXPECT_TRUE(found[name] == bytes) << name;
}

/// The plans are of sizes that people train, and of small ones, where the gradients are all of the peak.
TEST_P(Batch, NoLargerArena) {
  for (auto [device, target] : {std::pair("cuda", "sm_90a"), std::pair("cpu", "x86-64-v3")})
    for (int64_t layers : {1, 2, 5})
      for (int64_t context : {16, 512}) {
        runtime::Plan apart = planOf(GetParam(), device, target, false, layers, context),
                      batched = planOf(GetParam(), device, target, true, layers, context);
        EXPECT_LE(batched.arenaBytes, apart.arenaBytes) << device << ", " << layers << " layers, " << context;
        EXPECT_LE(launches(batched), launches(apart));
      }
}

INSTANTIATE_TEST_SUITE_P(Training, Batch,
                         testing::Values(Case{"study:small", Mode::Step, Precision::F32},
                                         Case{"study:small", Mode::Step, Precision::BF16},
                                         Case{"study:small", Mode::Step, Precision::BF16True},
                                         Case{"study:small", Mode::Backward, Precision::F32},
                                         Case{"study:small", Mode::Accumulate, Precision::F32},
                                         Case{"study:small", Mode::Accumulate, Precision::BF16}),
                         [](const auto &info) {
                           std::string name =
                               std::string(nameOf(info.param.mode)) + "_" + nameOf(info.param.precision);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
} // namespace heddle
