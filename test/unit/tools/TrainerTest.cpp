#include "tools/heddle/Support/Trainer.h"
#include "FakeExecutor.h"
#include "runtime/base/Dropout.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace heddle::driver;
using namespace heddle::runtime;
using heddle::test::bytesOf;
using heddle::test::FakeExecutor;

namespace {

Plan plan() {
  Plan plan;
  plan.model = "m";
  plan.mode = "step";
  for (const char *name : {"words", "targets"}) {
    Buffer &buffer = plan.buffers.emplace_back();
    buffer.name = name;
    buffer.role = BufferRole::Input;
    buffer.dtype = DType::I32;
    buffer.shape = {2, 3};
    buffer.indexLimit = 256;
  }
  for (const char *name : {"loss", "grad_norm"}) {
    Buffer &buffer = plan.buffers.emplace_back();
    buffer.name = name;
    buffer.role = BufferRole::Output;
  }
  return plan;
}

std::string error(const Plan &plan) {
  StatusOr<TrainingInputs> inputs = trainingInputs(plan);
  return inputs ? "" : inputs.status().message();
}

} // namespace

TEST(Trainer, PlansThatCannotBeTrained) {
  EXPECT_EQ(error(plan()), "");
  Plan bad = plan();
  bad.mode = "forward";
  EXPECT_NE(error(bad).find("mode forward; training wants --mode step"), std::string::npos);
  bad = plan();
  bad.buffers[0].dtype = DType::F32;
  EXPECT_NE(error(bad).find("the model's inputs: words f32[2, 3], targets i32[2, 3]"), std::string::npos);
  bad = plan();
  bad.buffers[1].shape = {6};
  EXPECT_NE(error(bad).find("targets i32[6]"), std::string::npos);
  bad = plan();
  bad.buffers.push_back(bad.buffers[0]);
  EXPECT_NE(error(bad).find("training feeds token ids and targets"), std::string::npos);
  for (int unbounded : {0, 1}) {
    bad = plan();
    bad.buffers[unbounded].indexLimit = 0;
    EXPECT_NE(error(bad).find("each i32 [batch, context] with a bound, and dropout_key where"),
              std::string::npos);
  }
  bad = plan();
  bad.buffers[2].name = "logits";
  EXPECT_NE(error(bad).find("no output loss"), std::string::npos);
}

TEST(Trainer, TheVocabularyIsTheSmallerOfTheBounds) {
  auto vocabulary = [](int64_t ids, int64_t targets) {
    Plan bounded = plan();
    bounded.buffers[0].indexLimit = ids;
    bounded.buffers[1].indexLimit = targets;
    return trainingInputs(bounded)->vocabulary();
  };
  EXPECT_EQ(vocabulary(102, 256), 102);
  EXPECT_EQ(vocabulary(256, 102), 102);
}

TEST(Trainer, ATokenOutsideOfEitherBoundDoesNotRun) {
  std::string path = testing::TempDir() + "heddle-trainer-bounds.txt";
  std::ofstream(path) << "abcz"; // z is 122, a target alone; b and c are both.
  StatusOr<TokenFile> tokens = TokenFile::open(path);
  ASSERT_TRUE(tokens.isOk());
  auto error = [&](int64_t ids, int64_t targets) {
    Plan bounded = plan();
    bounded.buffers[0].indexLimit = ids;
    bounded.buffers[1].indexLimit = targets;
    FakeExecutor executor;
    executor.parts["adamw.skipped"] = bytesOf({0});
    executor.outputs = {{"loss", bytesOf({1.5})}, {"grad_norm", bytesOf({0.5})}};
    bool ran = false;
    executor.onRun = [&] { ran = true; };
    StatusOr<TrainingInputs> inputs = trainingInputs(bounded);
    StatusOr<Trainer> trainer = Trainer::create(executor, *inputs, {});
    StatusOr<Batches> batches = Batches::create(*tokens, 2, 3, 0);
    StatusOr<TrainingStep> step = trainer->step(*batches, 0.25);
    EXPECT_EQ(ran, step.isOk());
    return step ? "" : step.status().message();
  };
  EXPECT_EQ(error(100, 123), "");
  EXPECT_EQ(error(99, 123), "input 'words': element 2 is 99, outside [0, 99)");
  EXPECT_EQ(error(100, 122), "input 'targets': element 2 is 122, outside [0, 122)");
  std::remove(path.c_str());
}

TEST(Trainer, SeveralBatchesAStep) {
  std::string path = testing::TempDir() + "heddle-trainer-accumulate.txt";
  std::ofstream(path) << "abcdefgh";
  StatusOr<TokenFile> tokens = TokenFile::open(path);
  ASSERT_TRUE(tokens.isOk());
  Plan accumulating = plan();
  EXPECT_EQ(Trainer::create(*std::make_unique<FakeExecutor>(), *trainingInputs(accumulating), {}, 2)
                .status()
                .message(),
            "a step on 2 batches wants a plan of mode accumulate, found one of mode step");
  accumulating.mode = "accumulate";
  // The targets of window number w that are no 'e': shares of the step's loss and gradients.
  accumulating.buffers[1].ignoredIndex = 'e';
  StatusOr<TrainingInputs> inputs = trainingInputs(accumulating);
  StatusOr<Batches> batches = Batches::create(*tokens, 2, 3, 0), same = Batches::create(*tokens, 2, 3, 0);
  std::vector<double> valid;
  std::vector<int32_t> ids(6), targets(6);
  double all = 0;
  for (int batch = 0; batch < 3; ++batch) {
    ASSERT_TRUE(same->next(ids, targets).isOk());
    valid.push_back(std::count_if(targets.begin(), targets.end(), [](int32_t t) { return t != 'e'; }));
    all += valid.back();
  }
  ASSERT_LT(all, 18); // Else all shares are a third.
  FakeExecutor executor;
  executor.parts["adamw.skipped"] = bytesOf({0});
  StatusOr<Trainer> trainer = Trainer::create(executor, *inputs, {}, 3);
  ASSERT_TRUE(trainer.isOk());
  std::string runs;
  size_t batch = 0;
  double loss = 0;
  auto ran = [&](char how) {
    runs += how;
    EXPECT_EQ(executor.parts["accumulate.keep"], bytesOf({batch == 0 ? 0.0f : 1.0f}));
    EXPECT_EQ(executor.parts["accumulate.weight"], bytesOf({static_cast<float>(valid[batch] / all)}));
    executor.outputs["loss"] = bytesOf({static_cast<float>(batch + 1)});
    executor.outputs["grad_norm"] = bytesOf({how == 's' ? 0.5f : 7.0f});
    loss += valid[batch] / all * static_cast<double>(batch + 1);
    ++batch;
  };
  executor.onRun = [&] { ran('s'); };
  executor.onRunWithoutOptimizer = [&] { ran('g'); };
  StatusOr<TrainingStep> step = trainer->step(*batches, 0.25);
  ASSERT_TRUE(step.isOk()) << step.status().message();
  EXPECT_EQ(runs, "ggs");
  EXPECT_DOUBLE_EQ(step->loss, loss);
  EXPECT_EQ(step->gradNorm, 0.5);
  EXPECT_EQ(batches->position(), 6u);
  std::remove(path.c_str());
}

TEST(Trainer, EachBatchHasAKeyOfDropout) {
  std::string path = testing::TempDir() + "heddle-trainer-dropout.txt";
  std::ofstream(path) << "abcdefgh";
  StatusOr<TokenFile> tokens = TokenFile::open(path);
  ASSERT_TRUE(tokens.isOk());
  Plan dropping = plan();
  dropping.mode = "accumulate";
  Buffer &key = dropping.buffers.emplace_back();
  key.name = kDropoutInput;
  key.role = BufferRole::Input;
  key.dtype = DType::I64;
  key.shape = {1};
  EXPECT_NE(
      error(dropping).find("the model's inputs: words i32[2, 3], targets i32[2, 3], dropout_key i64[1]"),
      std::string::npos); // Without its bound it is not known as what it is.
  key.indexLimit = kDropoutKeys;
  EXPECT_EQ(error(dropping), "");
  FakeExecutor executor;
  executor.parts["adamw.skipped"] = bytesOf({0});
  executor.outputs = {{"loss", bytesOf({1.5})}, {"grad_norm", bytesOf({0.5})}};
  std::vector<int64_t> keys;
  executor.onRun = executor.onRunWithoutOptimizer = [&] {
    keys.emplace_back();
    std::memcpy(&keys.back(), executor.inputs.at(kDropoutInput).data(), sizeof(int64_t));
  };
  StatusOr<TrainingInputs> inputs = trainingInputs(dropping);
  StatusOr<Trainer> trainer = Trainer::create(executor, *inputs, {}, 2);
  StatusOr<Batches> batches = Batches::create(*tokens, 2, 3, 9), later = Batches::create(*tokens, 2, 3, 9, 4);
  ASSERT_TRUE(trainer->step(*batches, 0.25).isOk() && trainer->step(*batches, 0.25).isOk());
  std::vector<int64_t> wanted;
  for (uint64_t window : {0, 2, 4, 6})
    wanted.push_back(dropoutKey(9, window));
  EXPECT_EQ(keys, wanted);
  keys.clear();
  // Gone on with behind four windows, it draws what it would have drawn.
  ASSERT_TRUE(trainer->step(*later, 0.25).isOk());
  EXPECT_EQ(keys, (std::vector{wanted[2], wanted[3]}));
  std::remove(path.c_str());
}

TEST(Trainer, AStepSetsInputsAndScalarsAndSaysWhatWasSkipped) {
  std::string path = testing::TempDir() + "heddle-trainer-test.txt";
  std::ofstream(path) << "abcd"; // One window fits: both rows are the same.
  StatusOr<TokenFile> tokens = TokenFile::open(path);
  ASSERT_TRUE(tokens.isOk());
  StatusOr<Batches> batches = Batches::create(*tokens, 2, 3, 0);
  ASSERT_TRUE(batches.isOk());
  Plan stepPlan = plan();
  StatusOr<TrainingInputs> inputs = trainingInputs(stepPlan);
  ASSERT_TRUE(inputs.isOk());
  FakeExecutor executor;
  executor.parts["adamw.skipped"] = bytesOf({2}); // Of a training that is gone on with.
  AdamWSettings settings;
  settings.beta2 = 0.999;
  StatusOr<Trainer> trainer = Trainer::create(executor, *inputs, settings);
  ASSERT_TRUE(trainer.isOk());
  EXPECT_EQ(executor.parts["adamw.one_minus_beta1"], bytesOf({static_cast<float>(1.0 - 0.9)}));
  EXPECT_EQ(executor.parts["adamw.one_minus_beta2"], bytesOf({static_cast<float>(1.0 - 0.999)}));
  EXPECT_EQ(executor.parts["adamw.max_norm"], bytesOf({1e30f}));

  executor.outputs = {{"loss", bytesOf({1.5})}, {"grad_norm", bytesOf({0.5})}};
  StatusOr<TrainingStep> step = trainer->step(*batches, 0.25);
  ASSERT_TRUE(step.isOk()) << step.status().message();
  EXPECT_EQ(step->loss, 1.5);
  EXPECT_EQ(step->gradNorm, 0.5);
  EXPECT_FALSE(step->skipped);
  EXPECT_EQ(executor.parts["adamw.lr"], bytesOf({0.25}));
  const int32_t ids[] = {'a', 'b', 'c', 'a', 'b', 'c'}, targets[] = {'b', 'c', 'd', 'b', 'c', 'd'};
  EXPECT_EQ(std::memcmp(executor.inputs.at("words").data(), ids, sizeof(ids)), 0);
  EXPECT_EQ(std::memcmp(executor.inputs.at("targets").data(), targets, sizeof(targets)), 0);

  executor.outputs["grad_norm"] = bytesOf({INFINITY});
  executor.onRun = [&] { executor.parts["adamw.skipped"] = bytesOf({3}); };
  EXPECT_TRUE(trainer->step(*batches, 0.25)->skipped);
  EXPECT_FALSE(trainer->step(*batches, 0.25)->skipped);
  std::remove(path.c_str());
}
