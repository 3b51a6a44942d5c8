//===- ExecutorTest.cpp - Runs a plan on a device -------------------------===//
#include "runtime/executor/Executor.h"

#include "FakeDevice.h"
#include "runtime/base/Convert.h"
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/File.h"
#include "runtime/base/Random.h"
#include "runtime/plan/Artifact.h"
#include "runtime/plan/CpuAlgorithm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

/// y = (2x + 1) · w + bias, copied to z; `two` is made by an Init step from nothing: 2 = 0 * two + 2.
Plan cpuPlan() {
  Plan plan;
  plan.device = "cpu";
  plan.pipeline = "compiled";
  auto object = readFile(HEDDLE_TEST_OBJECTS "/kernels.o");
  EXPECT_TRUE(object.isOk());
  for (const char *name : {"scale_rows", "count_up"}) {
    Kernel kernel;
    kernel.name = name;
    kernel.language = KernelLanguage::Cpu;
    kernel.target = "x86-64";
    kernel.binary = *object;
    plan.kernels.push_back(kernel);
  }
  auto buffer = [&](const char *name, BufferRole role, std::vector<int64_t> shape, int64_t offset, int first,
                    int last) {
    Buffer b;
    b.name = name;
    b.role = role;
    b.shape = shape;
    b.bytes = 4;
    for (int64_t size : shape)
      b.bytes *= size;
    b.offset = offset;
    b.firstStep = first;
    b.lastStep = last;
    plan.buffers.push_back(b);
  };
  buffer("x", BufferRole::Input, {5, 3}, Buffer::kUnplaced, 1, 1);     // 0
  buffer("two", BufferRole::Constant, {1}, Buffer::kUnplaced, 0, 1);   // 1
  buffer("h", BufferRole::Scratch, {5, 3}, 0, 1, 2);                   // 2
  buffer("w", BufferRole::Parameter, {3, 4}, Buffer::kUnplaced, 2, 2); // 3
  buffer("bias", BufferRole::Constant, {4}, Buffer::kUnplaced, 2, 2);  // 4
  buffer("y", BufferRole::Scratch, {5, 4}, 256, 2, 3);                 // 5
  buffer("z", BufferRole::Output, {5, 4}, 768, 3, 5);                  // 6
  buffer("runs", BufferRole::State, {1}, Buffer::kUnplaced, 4, 5);     // 7
  buffer("count", BufferRole::Output, {1}, 1024, 5, 5);                // 8
  buffer("zero", BufferRole::Constant, {1}, Buffer::kUnplaced, 0, 0);  // 9
  plan.arenaBytes = 1024 + 256;
  plan.buffers[3].parts = {{"w.left", {6}, 0, InitKind::Normal, 0.5},
                           {"w.right", {2, 3}, 6, InitKind::Constant, 0.25}};
  float bias[4] = {1, 2, 3, 4}, zero = 0;
  plan.buffers[4].data.assign(reinterpret_cast<uint8_t *>(bias), reinterpret_cast<uint8_t *>(bias + 4));
  plan.buffers[9].data.assign(reinterpret_cast<uint8_t *>(&zero), reinterpret_cast<uint8_t *>(&zero + 1));

  auto launch = [&](int kernel, std::vector<BufferRef> buffers, std::vector<int64_t> counts, int64_t items,
                    Phase phase) {
    Step step;
    step.kind = StepKind::Launch;
    step.phase = phase;
    step.launch.kernel = kernel;
    step.launch.buffers = buffers;
    step.launch.counts = counts;
    step.launch.items = items;
    step.label = "launch " + std::to_string(plan.steps.size());
    plan.steps.push_back(step);
  };
  launch(0, {{9, 0}, {9, 0}, {1, 0}}, {1, 2}, 1, Phase::Init);
  launch(0, {{0, 0}, {1, 0}, {2, 0}}, {3, 1}, 5, Phase::Forward);
  Step product;
  product.kind = StepKind::Product;
  Product &p = product.product;
  p.m = 5, p.n = 4, p.k = 3;
  p.a = {{2, 0}, DType::F32, 3, 0, false};
  p.b = {{3, 0}, DType::F32, 4, 0, false};
  p.d = {{5, 0}, DType::F32, 4, 0, false};
  p.epilogue = Epilogue::Bias;
  p.bias = {4, 0};
  plan.steps.push_back(product);
  auto copy = [&](BufferRef from, BufferRef to, int64_t bytes) {
    Step step;
    step.kind = StepKind::Copy;
    step.copy = {from, to, bytes};
    step.label = "copy";
    plan.steps.push_back(step);
  };
  copy({5, 0}, {6, 0}, 80);
  launch(1, {{7, 0}}, {}, 1, Phase::Optimizer);
  copy({7, 0}, {8, 0}, 4);
  return plan;
}

std::vector<float> floats(const StatusOr<std::vector<uint8_t>> &bytes) {
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  std::vector<float> values;
  if (bytes.isOk()) {
    values.resize(bytes->size() / 4);
    std::memcpy(values.data(), bytes->data(), bytes->size());
  }
  return values;
}

std::span<const uint8_t> asBytes(const std::vector<float> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * 4};
}

std::vector<float> wOf(uint64_t seed) {
  std::vector<float> w(12, 0.25f);
  for (uint64_t i = 0; i < 6; ++i)
    w[i] = normalElement(seed, streamOf("w.left"), i, normalFactor(0.5));
  return w;
}

std::vector<float> expectedZ(const std::vector<float> &x, const std::vector<float> &w) {
  std::vector<float> z(20);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = j + 1;
      for (int k = 0; k < 3; ++k)
        sum += (2.0 * x[i * 3 + k] + 1) * w[k * 4 + j];
      z[i * 4 + j] = static_cast<float>(sum);
    }
  return z;
}

void expectClose(const std::vector<float> &found, const std::vector<float> &expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) // Four terms of size up to 30 in float32: 8 units of 2^-24 * 32.
    EXPECT_NEAR(found[i], expected[i], 8 * 32 * 0x1p-24) << i;
}

class OnCpu : public testing::TestWithParam<ExecutorKind> {
protected:
  void SetUp() override {
    device = *createCpuDevice(2);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i) - 7;
  }
  StatusOr<std::unique_ptr<Executor>> create(const Plan &plan, bool poison = true,
                                             ParameterSource source = nullptr) {
    ExecutorOptions options;
    options.kind = GetParam();
    options.seed = 9;
    options.poison = poison;
    return Executor::create(*device, plan, options, source);
  }
  std::unique_ptr<Device> device;
  std::vector<float> x = std::vector<float>(15);
};

TEST_P(OnCpu, RefusesAPlanForAnotherDevice) {
  Plan plan;
  plan.device = "cuda";
  EXPECT_EQ(create(plan).status().message(), "the plan is for device cuda, found device cpu");
}

TEST_P(OnCpu, RunsAPlan) {
  Plan plan = cpuPlan();
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  for (int run = 1; run <= 3; ++run) {
    x[0] = static_cast<float>(run);
    ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
    Status status = (*executor)->run();
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_TRUE((*executor)->synchronize().isOk());
    expectClose(floats((*executor)->output("z")), expectedZ(x, wOf(9)));
    // The state lives across runs.
    EXPECT_EQ(floats((*executor)->output("count")), std::vector<float>{static_cast<float>(run)});
  }
  EXPECT_EQ((*executor)->stats().kernelsPerRun, 5);
}

TEST_P(OnCpu, RunsWithoutItsOptimizer) {
  Plan plan = cpuPlan();
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
  for (float runs : {0.0f, 0.0f, 1.0f, 1.0f}) { // What the optimizer counts.
    bool whole = runs == 1 && floats((*executor)->output("count"))[0] == 0;
    Status status = whole ? (*executor)->run() : (*executor)->runWithoutOptimizer();
    ASSERT_TRUE(status.isOk()) << status.message();
    ASSERT_TRUE((*executor)->synchronize().isOk());
    expectClose(floats((*executor)->output("z")), expectedZ(x, wOf(9)));
    EXPECT_EQ(floats((*executor)->output("count")), std::vector<float>{runs});
  }
}

TEST_P(OnCpu, RunsASavedPlan) {
  Plan plan = cpuPlan();
  auto bytes = writePlan(plan);
  ASSERT_TRUE(bytes.isOk()) << bytes.status().message();
  auto read = readPlan(*bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  auto executor = create(*read);
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
  ASSERT_TRUE((*executor)->run().isOk());
  expectClose(floats((*executor)->output("z")), expectedZ(x, wOf(9)));
}

TEST_P(OnCpu, ParametersFromASource) {
  Plan plan = cpuPlan();
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  auto executor = create(plan, true, [&](const ParameterPart &part) -> StatusOr<std::optional<StoredValues>> {
    if (part.name != "w.right")
      return std::optional<StoredValues>();
    return std::optional(StoredValues{DType::F32, [&](int64_t offset, std::span<uint8_t> destination) {
                                        EXPECT_EQ(destination.size(), 24u);
                                        std::memcpy(destination.data(), values.data(), 24);
                                        return offset == 0 ? Status::ok() : internalError("a second piece");
                                      }});
  });
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  std::vector<float> w = wOf(9);
  for (int i = 0; i < 6; ++i)
    w[6 + i] = static_cast<float>(i + 1);
  EXPECT_EQ(floats((*executor)->parameter("w.left")), std::vector<float>(w.begin(), w.begin() + 6));
  EXPECT_EQ(floats((*executor)->parameter("w.right")), std::vector<float>(w.begin() + 6, w.end()));
  ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
  ASSERT_TRUE((*executor)->run().isOk());
  expectClose(floats((*executor)->output("z")), expectedZ(x, w));

  auto failing = create(plan, false, [](const ParameterPart &) -> StatusOr<std::optional<StoredValues>> {
    return invalidInput("the file lacks it");
  });
  EXPECT_EQ(failing.status().message(), "parameter w.left: the file lacks it");
}

// What an Init step computes of a parameter is computed again where the parameter was set.
TEST_P(OnCpu, InitFollowsParameters) {
  Plan plan = cpuPlan();
  plan.steps[0].launch.buffers = {{3, 24}, {4, 0}, {1, 0}}; // two = w.right[0] * 1 + 2
  plan.buffers[3].firstStep = plan.buffers[4].firstStep = 0;
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  std::vector<float> w = wOf(9);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE((*executor)->setParameter("w.right", asBytes(std::vector<float>(6, 0))).isOk());
    std::fill(w.begin() + 6, w.end(), 0.0f);
    ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
    ASSERT_TRUE((*executor)->run().isOk());
    expectClose(floats((*executor)->output("z")), expectedZ(x, w));
  }
  ASSERT_TRUE((*executor)->setParameter("w.right", asBytes(std::vector<float>(6, -2))).isOk());
  std::fill(w.begin() + 6, w.end(), -2.0f);
  ASSERT_TRUE((*executor)->runWithoutOptimizer().isOk());
  std::vector<float> zeros = expectedZ(std::vector<float>(15, 0), w); // two = 0
  expectClose(floats((*executor)->output("z")), zeros);
}

/// A source that gives `values`, bf16 bits, for every part.
ParameterSource bf16Source(const std::vector<uint16_t> &values, int *pieces = nullptr) {
  return [&values, pieces](const ParameterPart &part) -> StatusOr<std::optional<StoredValues>> {
    return std::optional(
        StoredValues{DType::BF16, [&values, pieces](int64_t offset, std::span<uint8_t> destination) {
                       std::memcpy(destination.data(), reinterpret_cast<const char *>(values.data()) + offset,
                                   destination.size());
                       if (pieces)
                         ++*pieces;
                       return Status::ok();
                     }});
  };
}

// w as the product's rows of k, in panels: the same result, and what is read back is what was given.
TEST(Executor, ParametersInPanels) {
  if (cpuLevel() < CpuLevel::V3)
    GTEST_SKIP() << "panels are for AVX2 and newer";
  auto device = createCpuDevice(2);
  ASSERT_TRUE(device.isOk());
  constexpr int64_t rows = 40, columns = 3; // Two whole panels and half of one; parts end within panels.
  std::vector<float> first, x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int64_t panel : {int64_t{0}, kPanelV3}) {
    Plan plan = cpuPlan();
    std::string algorithm = tiledAlgorithm(panel);
    Buffer &w = plan.buffers[3], &bias = plan.buffers[4];
    w.shape = {rows, columns};
    w.bytes = rows * columns * 4;
    w.panel = panel;
    plan.target = "x86-64-v3";
    w.parts = {{"w.left", {21, columns}, 0, InitKind::Normal, 0.5},
               {"w.right", {19, columns}, 21 * columns, InitKind::Normal, 0.25}};
    bias.shape = {rows};
    bias.bytes = rows * 4;
    bias.data.assign(static_cast<size_t>(bias.bytes), 0);
    for (int index : {5, 6}) {
      plan.buffers[static_cast<size_t>(index)].shape = {5, rows};
      plan.buffers[static_cast<size_t>(index)].bytes = 5 * rows * 4;
    }
    plan.buffers[6].offset = 1280;
    plan.buffers[8].offset = 2304;
    plan.arenaBytes = 2304 + 256;
    for (Step &step : plan.steps) {
      if (step.kind == StepKind::Copy && step.copy.bytes == 80)
        step.copy.bytes = 5 * rows * 4;
      if (step.kind != StepKind::Product)
        continue;
      step.product.n = rows;
      step.product.b.ld = columns;
      step.product.b.transposed = true;
      step.product.d.ld = rows;
      step.product.algorithm.assign(algorithm.begin(), algorithm.end());
    }
    auto executor = Executor::create(**device, plan, {ExecutorKind::Sequential, 9});
    ASSERT_TRUE(executor.isOk()) << executor.status().message();
    for (const ParameterPart &part : w.parts) {
      std::vector<float> values = floats((*executor)->parameter(part.name));
      ASSERT_EQ(values.size(), static_cast<size_t>(part.shape[0] * columns));
      for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(values[i], normalElement(9, streamOf(part.name), i, normalFactor(part.scale)));
    }
    ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
    ASSERT_TRUE((*executor)->run().isOk());
    // What is written in place of a part reads back, where parts are rows.
    std::vector<float> other(static_cast<size_t>(21 * columns), 0.5f);
    Status set = (*executor)->setParameter("w.left", asBytes(other));
    EXPECT_EQ(set.message(), panel == 0
                                 ? ""
                                 : "parameter w.left is stored in panels, in which a forward plan keeps what "
                                   "nothing changes");
    if (panel == 0) {
      EXPECT_EQ(floats((*executor)->parameter("w.left")), other);
    }
    std::vector<float> z = floats((*executor)->output("z"));
    if (panel == 0)
      first = z;
    EXPECT_EQ(z, first);
  }
  EXPECT_EQ(first.size(), static_cast<size_t>(5 * rows));
}

// A device whose plans have no panels says so.
TEST(Executor, PanelsAreTheCpus) {
  FakeDevice device(/*capacity=*/0);
  EXPECT_EQ(device.packPanels(nullptr, DType::F32, 1, 1, 16).message(),
            "device " + device.kind() + " stores no parameters in panels");
}

TEST_P(OnCpu, StoredTypesAreConverted) {
  Plan plan = cpuPlan();
  std::vector<uint16_t> values = {0x3f80, 0xc000, 0x3e80, 0x0001, 0x8000, 0x7f80};
  auto executor = create(plan, true, bf16Source(values));
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  std::vector<float> wanted = {1.0f, -2.0f, 0.25f, 0x1p-133f, -0.0f, INFINITY};
  EXPECT_EQ(floats((*executor)->parameter("w.left")), wanted);
  EXPECT_EQ(floats((*executor)->parameter("w.right")), wanted);

  auto refused = create(plan, true, [](const ParameterPart &) -> StatusOr<std::optional<StoredValues>> {
    return std::optional(StoredValues{DType::I64, [](int64_t, std::span<uint8_t>) { return Status::ok(); }});
  });
  EXPECT_EQ(refused.status().message(), "parameter w.left: conversion wants f32, bf16 or f16, found i64");
}

/// More elements than a piece holds, and one over, so that the last piece is short.
TEST(Executor, LargeParametersComeInPieces) {
  auto device = *createCpuDevice(2);
  Plan plan;
  plan.device = "cpu";
  Buffer buffer;
  buffer.name = "big";
  buffer.role = BufferRole::Parameter;
  int64_t count = (int64_t{16} << 20) / 2 + 1;
  buffer.shape = {count};
  buffer.bytes = count * 4;
  buffer.parts = {{"big", {count}, 0, InitKind::Normal, 1.0}};
  plan.buffers = {buffer};
  std::vector<uint16_t> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(0x3f80 + i % 64);
  int pieces = 0;
  auto executor = Executor::create(*device, plan, {}, bf16Source(values, &pieces));
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  EXPECT_EQ(pieces, 2);
  std::vector<float> found = floats((*executor)->parameter("big"));
  ASSERT_EQ(found.size(), values.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i], bf16ToF32(values[i])) << i;
}

TEST_P(OnCpu, ProfilesEveryStep) {
  Plan plan = cpuPlan();
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk());
  auto times = (*executor)->profile();
  ASSERT_TRUE(times.isOk()) << times.status().message();
  ASSERT_EQ(times->size(), 5u); // The Init step is not of the run.
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ((*times)[i].step, i + 1);
}

TEST_P(OnCpu, NamesAndSizesAreChecked) {
  Plan plan = cpuPlan();
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk());
  EXPECT_EQ((*executor)->setInput("ids", asBytes(x)).message(),
            "the plan has no input named \"ids\"; it has x");
  EXPECT_EQ((*executor)->setInput("x", asBytes({1})).message(),
            "input x: wanted 60 bytes (f32 [5, 3]), found 4");
  EXPECT_EQ((*executor)->output("logits").status().message(),
            "the plan has no output named \"logits\"; it has count, z");
  EXPECT_EQ((*executor)->output("z").status().message(), "output z has no value: the plan has not run yet");
  EXPECT_EQ((*executor)->parameter("v").status().message(),
            "the plan has no parameter named \"v\"; it has w.left, w.right");
}

TEST_P(OnCpu, PoisonShowsUnwrittenMemory) {
  Plan plan = cpuPlan();
  plan.steps[1].launch.items = 4; // The last row of h is never written.
  auto executor = create(plan);
  ASSERT_TRUE(executor.isOk());
  ASSERT_TRUE((*executor)->setInput("x", asBytes(x)).isOk());
  ASSERT_TRUE((*executor)->run().isOk());
  auto z = floats((*executor)->output("z"));
  EXPECT_FALSE(std::isnan(z[0]));
  EXPECT_TRUE(std::isnan(z[16]));
}

TEST_P(OnCpu, RefusesOtherDevicesAndTargets) {
  Plan plan = cpuPlan();
  plan.target = "x86-64-v9";
  EXPECT_EQ(create(plan).status().code(), StatusCode::Unavailable);
  EXPECT_EQ(create(plan).status().message(),
            "the plan was made for x86-64-v9; this device (" + device->name() + ") is " + device->target());
  plan = cpuPlan();
  plan.steps[3].copy.bytes = 81;
  EXPECT_EQ(create(plan).status().message(),
            "plan: step 3 (copy): source: bytes 0 to 0+81 are outside buffer 5 (y) of 80");
}

TEST_P(OnCpu, TooLittleMemory) {
  Plan plan = cpuPlan();
  Buffer huge;
  huge.name = "huge";
  huge.bytes = int64_t{1} << 50;
  huge.role = BufferRole::State;
  plan.buffers.push_back(huge);
  auto executor = create(plan);
  EXPECT_EQ(executor.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(executor.status().message().find("the plan needs 11258999"), 0u) << executor.status().message();
  EXPECT_NE(executor.status().message().find("; free on device cpu: "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OnCpu, testing::Values(ExecutorKind::Eager, ExecutorKind::Sequential),
                         [](const auto &info) {
                           return info.param == ExecutorKind::Eager ? "Eager" : "Sequential";
                         });

TEST(Executor, CpuCannotRecord) {
  auto device = *createCpuDevice(1);
  Plan plan = cpuPlan();
  ExecutorOptions options;
  options.kind = ExecutorKind::Graph;
  auto executor = Executor::create(*device, plan, options);
  EXPECT_EQ(executor.status().code(), StatusCode::Unavailable);
  EXPECT_EQ(executor.status().message(), "device cpu cannot record steps; use the sequential executor");
}

/// The same plan for the device that only keeps accounts.
Plan fakePlan() {
  Plan plan = cpuPlan();
  plan.device = "cuda";
  for (Kernel &kernel : plan.kernels) {
    kernel.language = KernelLanguage::Cuda;
    kernel.target = "sm_80";
    kernel.threads = 128;
  }
  plan.workspaceBytes = 4096;
  return plan;
}

TEST(Executor, PeaksAreWhatIsKnownBefore) {
  Plan plan = fakePlan();
  const int64_t fixed = 6 * 256; // Six: x, two, w, bias, runs, zero, each rounded to 256.
  {
    FakeDevice device(1 << 30);
    ExecutorOptions options;
    auto executor = Executor::create(device, plan, options);
    ASSERT_TRUE(executor.isOk()) << executor.status().message();
    ASSERT_TRUE((*executor)->run().isOk());
    EXPECT_EQ((*executor)->stats().peakBytes, fixed + plan.arenaBytes);
    EXPECT_EQ((*executor)->stats().workspaceBytes, 4096);
    EXPECT_EQ(device.used, fixed + plan.arenaBytes + 4096); // What was allocated.
  }
  FakeDevice device(1 << 30);
  ExecutorOptions options;
  options.kind = ExecutorKind::Eager;
  auto executor = Executor::create(device, plan, options);
  ASSERT_TRUE(executor.isOk());
  for (int run = 0; run < 3; ++run)
    ASSERT_TRUE((*executor)->run().isOk());
  // At most two of h, y, z live together, and later z with count; each is below 512 bytes.
  EXPECT_EQ((*executor)->stats().peakBytes, fixed + 2 * 512);
}

TEST(Executor, GraphRecordsOnceAndReplays) {
  FakeDevice device(1 << 30);
  Plan plan = fakePlan();
  ExecutorOptions options;
  options.kind = ExecutorKind::Graph;
  auto executor = Executor::create(device, plan, options);
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  EXPECT_EQ(device.log, "launch record-launch record-product record-copy record-launch record-copy ");
  device.log.clear();
  ASSERT_TRUE((*executor)->run().isOk());
  ASSERT_TRUE((*executor)->run().isOk());
  EXPECT_EQ(device.log, "replay replay ");
  device.log.clear();
  ASSERT_TRUE((*executor)->profile().isOk());
  EXPECT_EQ(device.log, "#1 launch #2 product #3 copy #4 launch #5 copy ");
  // Without the optimizer it is another recording, made when it is first wanted.
  device.log.clear();
  ASSERT_TRUE((*executor)->runWithoutOptimizer().isOk());
  ASSERT_TRUE((*executor)->runWithoutOptimizer().isOk());
  EXPECT_EQ(device.log, "record-launch record-product record-copy record-copy replay replay ");
}

// Before anything is recorded, with the addresses that the launch will get; where buffers come and go, each
// launch brings its own.
TEST(Executor, LaunchesAreBoundBeforehandWhereBuffersStay) {
  for (ExecutorKind kind : {ExecutorKind::Graph, ExecutorKind::Sequential, ExecutorKind::Eager}) {
    FakeDevice device(1 << 30);
    Plan plan = fakePlan();
    ExecutorOptions options;
    options.kind = kind;
    auto executor = Executor::create(device, plan, options);
    ASSERT_TRUE(executor.isOk()) << executor.status().message();
    size_t launches = 0;
    for (const Step &step : plan.steps)
      if (step.kind == StepKind::Launch) {
        ++launches;
        if (kind != ExecutorKind::Eager) {
          EXPECT_EQ(device.bound.at(&step.launch).size(), step.launch.buffers.size());
          EXPECT_NE(device.bound.at(&step.launch)[0], nullptr);
        }
      }
    EXPECT_GT(launches, 0u);
    EXPECT_EQ(device.bound.size(), kind == ExecutorKind::Eager ? 0 : launches);
  }
}

TEST(Executor, AFailingStepIsNamedAndLeavesNothingAllocated) {
  FakeDevice device(1 << 30);
  Plan plan = fakePlan();
  ExecutorOptions options;
  options.kind = ExecutorKind::Eager;
  auto executor = Executor::create(device, plan, options);
  ASSERT_TRUE(executor.isOk());
  device.failAt = "copy";
  EXPECT_EQ((*executor)->run().message(), "step 3 (copy): the fake was told to fail");
  device.failAt = "";
  ASSERT_TRUE((*executor)->run().isOk());
  EXPECT_EQ((*executor)->stats().peakBytes, 6 * 256 + 2 * 512);
}

TEST(Executor, AFailingRecordingEnds) {
  FakeDevice device(1 << 30);
  Plan plan = fakePlan();
  ExecutorOptions options;
  options.kind = ExecutorKind::Graph;
  device.failAt = "product";
  auto executor = Executor::create(device, plan, options);
  EXPECT_EQ(executor.status().message(), "step 2 (): the fake was told to fail");
  EXPECT_FALSE(device.recording);
  EXPECT_EQ(device.used, 0);
}

TEST(Executor, OutOfMemoryGivesThePlansPeak) {
  FakeDevice device(3000);
  Plan plan = fakePlan();
  ExecutorOptions options;
  auto executor = Executor::create(device, plan, options);
  EXPECT_EQ(executor.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(
      executor.status().message(),
      "the plan needs 6912 bytes: 1536 of parameters, inputs and constants, 1280 of arena, 4096 of library "
      "workspace; free on device cuda: 3000 of 3000");
  // A device that promises more than it gives.
  device.claimedFree = 1 << 20;
  EXPECT_EQ(
      Executor::create(device, plan, options).status().message(),
      "the plan needs 6912 bytes: 1536 of parameters, inputs and constants, 1280 of arena, 4096 of library "
      "workspace: wanted 4096 bytes, free 184");
  EXPECT_EQ(device.used, 0);
}

/// Two rows, four elements apart; what lies between is no value.
TEST(Executor, OutputsOfAPitchAreGivenOutTogether) {
  Plan plan;
  plan.device = "cpu";
  plan.target = "x86-64";
  plan.pipeline = "compiled";
  plan.mode = "forward";
  plan.precision = "fp32";
  for (BufferRole role : {BufferRole::Input, BufferRole::Output}) {
    Buffer buffer;
    buffer.name = role == BufferRole::Input ? "x" : "y";
    buffer.role = role;
    buffer.shape = {2, 3};
    buffer.bytes = role == BufferRole::Input ? 24 : 32;
    buffer.pitch = role == BufferRole::Input ? 0 : 4;
    buffer.firstStep = 0, buffer.lastStep = 1;
    plan.buffers.push_back(buffer);
  }
  for (int64_t row = 0; row < 2; ++row) {
    Step step;
    step.kind = StepKind::Copy;
    step.copy = {{0, row * 12}, {1, row * 16}, 12};
    step.label = "copy";
    plan.steps.push_back(step);
  }
  std::unique_ptr<Device> device = *createCpuDevice(1);
  auto executor = Executor::create(*device, plan, {ExecutorKind::Sequential, 0, /*poison=*/true});
  ASSERT_TRUE(executor.isOk()) << executor.status().message();
  const float x[6] = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE((*executor)->setInput("x", {reinterpret_cast<const uint8_t *>(x), sizeof(x)}).isOk());
  ASSERT_TRUE((*executor)->run().isOk());
  EXPECT_EQ(floats((*executor)->output("y")), std::vector<float>(x, x + 6));
}

} // namespace
