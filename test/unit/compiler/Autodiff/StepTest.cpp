//===- StepTest.cpp - Steps of AdamW on the CPU ---------------------------===//
//
// Plans of mode step, run step after step: against AdamW computed here in float64, with master weights in
// bf16, with gradients that are not finite, and with scalars that change in between.
//
//===----------------------------------------------------------------------===//
#include "compiler/Pipelines/Compiler.h"
#include "runtime/device/Device.h"
#include "runtime/executor/Executor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <unistd.h>

namespace heddle {
namespace {

/// A vector p [4] and a matrix q [2, 4], all ones at first; the loss is sum(p x) + sum(q y): the gradients
/// are the inputs, whatever the weights are. `low` is what bf16 sees of p.
constexpr const char *kGraph = R"(
func.func @main(%x: tensor<4xf32> {graph.name = "x"}, %y: tensor<2x4xf32> {graph.name = "y"})
    -> (tensor<f32> {graph.name = "loss"}, tensor<4xbf16> {graph.name = "low"}) {
  %p = graph.parameter [#graph.part<"p", [4], constant, 1.0>] : tensor<4xf32>
  %q = graph.parameter [#graph.part<"q", [2, 4], constant, 1.0>] : tensor<2x4xf32>
  %low = graph.cast %p : tensor<4xf32> -> tensor<4xbf16>
  %0 = graph.mul %p, %x : tensor<4xf32>
  %1 = graph.reduce sum %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  %2 = graph.mul %q, %y : tensor<2x4xf32>
  %3 = graph.reduce sum %2 axes [0, 1] : tensor<2x4xf32> -> tensor<1x1xf32>
  %4 = graph.reshape %3 : tensor<1x1xf32> -> tensor<1xf32>
  %5 = graph.add %1, %4 : tensor<1xf32>
  %6 = graph.reshape %5 : tensor<1xf32> -> tensor<f32>
  return %6, %low : tensor<f32>, tensor<4xbf16>
})";

struct Choice {
  PipelineKind pipeline;
  Precision precision;
};

using Floats = std::vector<float>;

class Step : public testing::TestWithParam<Choice> {
protected:
  void SetUp() override {
    build(kGraph, Mode::Step);
    set("adamw.weight_decay", 0);
  }

  void build(const char *graph, Mode mode) {
    executor_.reset(); // Before the plan and the device that it uses, where a test sets up twice.
    device_.reset();
    std::filesystem::path path = std::filesystem::temp_directory_path() / "heddle-step-test.mlir";
    path += std::to_string(::getpid());
    path += ".mlir";
    std::ofstream(path) << graph;
    ModelRequest request;
    request.model = path;
    CompileOptions options;
    options.pipeline = GetParam().pipeline;
    options.precision = GetParam().precision;
    options.mode = nameOf(mode);
    Compiler compiler;
    auto result = compiler.compile(request, options);
    std::filesystem::remove(path);
    ASSERT_TRUE(result.isOk()) << result.status().message();
    plan_ = std::move(result->plan);
    auto device = runtime::createCpuDevice();
    ASSERT_TRUE(device.isOk()) << device.status().message();
    device_ = *std::move(device);
    runtime::ExecutorOptions executor;
    executor.kind = GetParam().pipeline == PipelineKind::Eager ? runtime::ExecutorKind::Eager
                                                               : runtime::ExecutorKind::Sequential;
    auto created = runtime::Executor::create(*device_, plan_, executor);
    ASSERT_TRUE(created.isOk()) << created.status().message();
    executor_ = *std::move(created);
  }

  static std::span<const uint8_t> bytes(const Floats &values) {
    return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(float)};
  }
  void set(const std::string &name, float value) {
    ASSERT_TRUE(executor_->setParameter(name, bytes({value})).isOk()) << name;
  }
  Floats get(const std::string &name) {
    auto data = executor_->parameter(name);
    EXPECT_TRUE(data.isOk()) << name;
    Floats values(data->size() / sizeof(float));
    std::memcpy(values.data(), data->data(), data->size());
    return values;
  }
  void step(const Floats &x, const Floats &y) {
    ASSERT_TRUE(executor_->setInput("x", bytes(x)).isOk());
    ASSERT_TRUE(executor_->setInput("y", bytes(y)).isOk());
    ASSERT_TRUE(executor_->run().isOk());
    ASSERT_TRUE(executor_->synchronize().isOk());
  }
  float norm() { return output("grad_norm"); }
  float output(const std::string &name) {
    auto data = executor_->output(name);
    EXPECT_TRUE(data.isOk()) << name;
    float value = 0;
    std::memcpy(&value, data->data(), sizeof(value));
    return value;
  }

  runtime::Plan plan_;
  std::unique_ptr<runtime::Device> device_;
  std::unique_ptr<runtime::Executor> executor_;
};

/// torch.optim.AdamW in float64, of one element.
struct Reference {
  double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0;
  double p = 1, m = 0, v = 0;
  int t = 0;
  void step(double g) {
    ++t;
    p *= 1 - lr * decay;
    m = beta1 * m + (1 - beta1) * g;
    v = beta2 * v + (1 - beta2) * g * g;
    p -= lr / (1 - std::pow(beta1, t)) * m / (std::sqrt(v) / std::sqrt(1 - std::pow(beta2, t)) + epsilon);
  }
};

TEST_P(Step, TwentyStepsAreAdamWs) {
  std::vector<Reference> p(4), q(8);
  set("adamw.weight_decay", 0.1F);
  for (Reference &element : q)
    element.decay = 0.1F; // Vectors do not decay.
  for (int t = 0; t < 20; ++t) {
    // Another rate from step 10 on: nothing is compiled for it.
    float lr = t < 10 ? 1e-2F : 3e-3F;
    set("adamw.lr", lr);
    Floats x(4), y(8);
    for (size_t i = 0; i < 4; ++i)
      x[i] = std::sin(static_cast<float>(t) + 1.3F * static_cast<float>(i));
    for (size_t i = 0; i < 8; ++i)
      y[i] = 1e-3F * std::cos(0.7F * static_cast<float>(t) + static_cast<float>(i));
    step(x, y);
    double squares = 0;
    for (size_t i = 0; i < 4; ++i) {
      p[i].lr = lr;
      p[i].step(x[i]);
      squares += static_cast<double>(x[i]) * x[i];
    }
    for (size_t i = 0; i < 8; ++i) {
      q[i].lr = lr;
      q[i].step(y[i]);
      squares += static_cast<double>(y[i]) * y[i];
    }
    // Four roundings of float32, relative: twelve squares, a root.
    EXPECT_NEAR(norm(), std::sqrt(squares), 4 * 0x1p-24 * std::sqrt(squares)) << "step " << t;
  }
  Floats foundP = get("p"), foundQ = get("q"), moment = get("exp_avg.q"), second = get("exp_avg_sq.q");
  // Each step rounds the weight once, to half a step of numbers below 2, 2^-24; and its change, of at most
  // 1e-2, to some roundings, which is less.
  double bound = 20 * 2 * 0x1p-24;
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(foundP[i], p[i].p, bound) << i;
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(foundQ[i], q[i].p, bound) << i;
    EXPECT_NEAR(moment[i], q[i].m, 20 * 2 * 0x1p-24 * 1e-3) << i;
    EXPECT_NEAR(second[i], q[i].v, 20 * 2 * 0x1p-24 * q[i].v + 1e-15) << i;
  }
  EXPECT_EQ(get("adamw.step"), Floats{20});
  EXPECT_EQ(get("adamw.skipped"), Floats{0});
}

// pytorch/pytorch#120376: without float32 masters an update below half a step of bf16 changes nothing.
TEST_P(Step, SmallUpdatesAreNotLost) {
  set("adamw.lr", 6e-4F);
  for (int t = 0; t < 100; ++t) {
    step(Floats(4, 1), Floats(8, 0));
    // What forward saw is the master rounded to bf16: a step of 2^-8 below 1, half of it either way.
    auto low = executor_->output("low");
    ASSERT_TRUE(low.isOk());
    uint32_t word = 0;
    std::memcpy(reinterpret_cast<char *>(&word) + 2, low->data(), 2);
    float seen = 0;
    std::memcpy(&seen, &word, sizeof(seen));
    EXPECT_NEAR(seen, 1 - 6e-4 * t, 0x1p-9 + 1e-5) << t;
  }
  // A constant gradient moves by the whole rate in each step; a hundred roundings of 2^-24.
  for (float value : get("p"))
    EXPECT_NEAR(value, 0.94, 100 * 0x1p-23);
}

TEST_P(Step, DecayAloneIsNotLost) {
  set("adamw.lr", 1e-3F);
  set("adamw.weight_decay", 0.01F);
  for (int t = 0; t < 1000; ++t)
    step(Floats(4, 0), Floats(8, 0));
  // A thousand changes of 1e-5, each rounded to half of 2^-24, in one direction at worst.
  for (float value : get("q"))
    EXPECT_NEAR(value, std::pow(1 - 1e-5, 1000), 1000 * 0x1p-25);
  for (float value : get("p"))
    EXPECT_EQ(value, 1);
}

TEST_P(Step, GradientsThatAreNotFiniteChangeNothing) {
  step(Floats(4, 1), Floats(8, 1));
  Floats p = get("p"), q = get("q"), m = get("exp_avg.q"), v = get("exp_avg_sq.p"),
         c = get("adamw.correction1");
  for (float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    Floats x(4, 1);
    x[2] = bad;
    step(x, Floats(8, 1));
    EXPECT_FALSE(std::isfinite(norm()));
  }
  EXPECT_EQ(get("p"), p);
  EXPECT_EQ(get("q"), q);
  EXPECT_EQ(get("exp_avg.q"), m);
  EXPECT_EQ(get("exp_avg_sq.p"), v);
  EXPECT_EQ(get("adamw.correction1"), c);
  EXPECT_EQ(get("adamw.step"), Floats{1});
  EXPECT_EQ(get("adamw.skipped"), Floats{2});
  step(Floats(4, 1), Floats(8, 1));
  EXPECT_NE(get("p"), p);
  EXPECT_EQ(get("adamw.step"), Floats{2});
}

TEST_P(Step, ClipsByTheGlobalNorm) {
  set("adamw.max_norm", 0.5F);
  step(Floats(4, 3), Floats(8, 2)); // Norm sqrt(36 + 32).
  double wanted = std::sqrt(68.0), factor = 0.5 / (wanted + 1e-6);
  EXPECT_NEAR(norm(), wanted, 4 * 0x1p-24 * wanted);
  // The first moment is a tenth of the clipped gradient; some roundings of float32.
  for (float value : get("exp_avg.p"))
    EXPECT_NEAR(value, 0.1 * 3 * factor, 8 * 0x1p-24 * 0.3 * factor);
  for (float value : get("exp_avg.q"))
    EXPECT_NEAR(value, 0.1 * 2 * factor, 8 * 0x1p-24 * 0.2 * factor);
}

/// Two classes; row 0 of the table has loss 4 for class 0, row 1 has loss 1.
constexpr const char *kLosses = R"(
func.func @main(%ids: tensor<4xi32> {graph.name = "ids"}, %targets: tensor<4xi32> {graph.name = "targets"}) -> (tensor<f32> {graph.name = "loss"}) {
  %table = graph.parameter [#graph.part<"table", [2, 2], constant, 0.0>] : tensor<2x2xf32>
  %logits = graph.embedding %table, %ids : tensor<2x2xf32>, tensor<4xi32> -> tensor<4x2xf32>
  %each = graph.cross_entropy %logits, %targets ignored -100 smoothing 0.0 : tensor<4x2xf32>, tensor<4xi32> -> tensor<4xf32>
  %sum = graph.reduce sum %each axes [0] : tensor<4xf32> -> tensor<1xf32>
  %ignored = graph.constant dense<-100> : tensor<4xi32>
  %isvalid = graph.compare ne %targets, %ignored : tensor<4xi32> -> tensor<4xi1>
  %ones = graph.cast %isvalid : tensor<4xi1> -> tensor<4xf32>
  %valid = graph.reduce sum %ones axes [0] : tensor<4xf32> -> tensor<1xf32>
  %mean = graph.div %sum, %valid : tensor<1xf32>
  %loss = graph.reshape %mean : tensor<1xf32> -> tensor<f32>
  return %loss : tensor<f32>
})";

// huggingface/transformers#34191: a mean of the micro-batches' means would be 2.5.
TEST_P(Step, TheLossOverMicroBatches) {
  build(kLosses, Mode::Accumulate);
  const Floats table = {0, std::log(std::exp(4.0F) - 1), 0, std::log(std::exp(1.0F) - 1)};
  struct Batch {
    std::array<int32_t, 4> ids, targets;
    float share;
  };
  auto sums = [&](const std::vector<Batch> &batches, double &loss) {
    EXPECT_TRUE(executor_->setParameter("table", bytes(table)).isOk());
    loss = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
      auto data = [](const std::array<int32_t, 4> &values) {
        return std::span<const uint8_t>(reinterpret_cast<const uint8_t *>(values.data()), sizeof(values));
      };
      set("accumulate.keep", i > 0);
      set("accumulate.weight", batches[i].share);
      EXPECT_TRUE(executor_->setInput("ids", data(batches[i].ids)).isOk());
      EXPECT_TRUE(executor_->setInput("targets", data(batches[i].targets)).isOk());
      EXPECT_TRUE((i + 1 < batches.size() ? executor_->runWithoutOptimizer() : executor_->run()).isOk());
      EXPECT_TRUE(executor_->synchronize().isOk());
      if (batches[i].share > 0)
        loss += batches[i].share * output("loss");
      // Nothing but the sums has moved before the last.
      EXPECT_EQ(get("table") == table, i + 1 < batches.size());
    }
    return get("accumulate.sum.table");
  };
  constexpr int32_t kIgnored = -100;
  double loss = 0, together = 0;
  Floats found = sums({{{0, 0, 1, 1}, {0, kIgnored, kIgnored, kIgnored}, 0.25F},
                       {{0, 1, 0, 1}, {kIgnored, kIgnored, kIgnored, kIgnored}, 0},
                       {{1, 1, 1, 0}, {0, 0, 0, kIgnored}, 0.75F}},
                      loss),
         wanted = sums({{{0, 1, 1, 1}, {0, 0, 0, 0}, 1}}, together);
  EXPECT_NEAR(loss, 1.75, 1.75 * 4 * 0x1p-24); // Some roundings of float32.
  EXPECT_NEAR(together, 1.75, 1.75 * 4 * 0x1p-24);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(found[i], wanted[i], 4 * 0x1p-24) << i;
  EXPECT_EQ(get("adamw.step"), Floats{2});
}

/// Under bf16 the product reads a copy of w that lives from run to run.
constexpr const char *kProduct = R"(
func.func @main(%x: tensor<2x4xf32> {graph.name = "x"}) -> (tensor<f32> {graph.name = "loss"}) {
  %w = graph.parameter [#graph.part<"w", [3, 4], normal, 1.0>] : tensor<3x4xf32>
  %t = graph.transpose %w [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %0 = graph.matmul %x, %t : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %1 = graph.tanh %0 : tensor<2x3xf32>
  %2 = graph.reduce sum %1 axes [0, 1] : tensor<2x3xf32> -> tensor<1x1xf32>
  %3 = graph.reshape %2 : tensor<1x1xf32> -> tensor<f32>
  return %3 : tensor<f32>
})";

// What has run for a while, skipped steps and all, goes on as what was given its weights and states: before
// its first run, and after runs of its own.
TEST_P(Step, ProductsReadTheWeightsThatThereAre) {
  auto run = [&](float scale) {
    Floats x = {1, -2, 0.5F, 0.25F, 3, 0.125F, -1, scale};
    ASSERT_TRUE(executor_->setInput("x", bytes(x)).isOk());
    ASSERT_TRUE(executor_->run().isOk());
    ASSERT_TRUE(executor_->synchronize().isOk());
  };
  auto partsOf = [&] {
    std::vector<std::string> names;
    for (const runtime::Buffer &buffer : plan_.buffers)
      if (buffer.role == runtime::BufferRole::Parameter || buffer.role == runtime::BufferRole::State)
        for (const runtime::ParameterPart &part : buffer.parts)
          names.push_back(part.name);
    return names;
  };
  build(kProduct, Mode::Step);
  set("adamw.lr", 0.1F);
  run(1);
  run(std::numeric_limits<float>::infinity()); // Changes nothing.
  run(2);
  std::map<std::string, Floats> kept;
  for (const std::string &name : partsOf())
    kept[name] = get(name);
  run(3);
  Floats weights = get("w");
  float loss = output("loss");
  for (int runs : {0, 2}) {
    build(kProduct, Mode::Step);
    for (int i = 0; i < runs; ++i)
      run(5);
    for (const auto &[name, values] : kept)
      ASSERT_TRUE(executor_->setParameter(name, bytes(values)).isOk()) << name;
    run(3);
    EXPECT_EQ(output("loss"), loss) << runs;
    EXPECT_EQ(get("w"), weights) << runs;
  }
}

TEST_P(Step, TheSameBitsTwice) {
  auto run = [&] {
    SetUp();
    for (int t = 0; t < 5; ++t)
      step({1, -2, 0.5F, static_cast<float>(t)}, Floats(8, 0.3F));
    return get("p");
  };
  Floats first = run();
  EXPECT_EQ(run(), first);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Step,
                         testing::Values(Choice{PipelineKind::Compiled, Precision::F32},
                                         Choice{PipelineKind::Eager, Precision::F32},
                                         Choice{PipelineKind::Compiled, Precision::BF16},
                                         Choice{PipelineKind::Eager, Precision::BF16}),
                         [](const auto &info) {
                           return std::string(info.param.pipeline == PipelineKind::Eager ? "eager"
                                                                                         : "compiled") +
                                  (info.param.precision == Precision::BF16 ? "_bf16" : "_fp32");
                         });

} // namespace
} // namespace heddle
