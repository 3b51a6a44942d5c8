//===- Trainer.cpp - Steps of a plan of mode step -------------------------===//
#include "tools/heddle/Support/Trainer.h"

#include "compiler/Pipelines/Compiler.h"
#include "runtime/base/Dropout.h"
#include "runtime/plan/Accumulators.h"
#include "runtime/tooling/HostTensor.h"
#include "tools/heddle/Support/Indices.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::driver {

using namespace runtime;

namespace {

/// Results of a step (dialects/Graph/GraphModule.h).
constexpr const char *kLoss = "loss", *kGradNorm = "grad_norm";
/// What stands for "no clipping" in adamw.max_norm.
constexpr double kNoClipping = 1e30;

template <typename T>
std::span<const uint8_t> bytesOf(const std::vector<T> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T)};
}

StatusOr<float> single(StatusOr<std::vector<uint8_t>> bytes, const char *name) {
  if (!bytes)
    return std::move(bytes).status();
  float value = 0;
  if (bytes->size() != sizeof(value))
    return invalidInput(std::string(name) + ": wanted one f32, found " + std::to_string(bytes->size()) +
                        " bytes");
  std::memcpy(&value, bytes->data(), sizeof(value));
  return value;
}

} // namespace

StatusOr<TrainingInputs> trainingInputs(const Plan &plan) {
  Mode mode = parseMode(plan.mode).value_or(Mode::Forward);
  if (mode != Mode::Step && mode != Mode::Accumulate)
    return invalidInput(plan.model + ": the plan is of mode " + plan.mode +
                        "; training wants --mode step, or accumulate");
  TrainingInputs inputs;
  inputs.accumulates = mode == Mode::Accumulate;
  std::string found;
  int count = 0;
  for (const Buffer &buffer : plan.buffers) {
    if (buffer.role != BufferRole::Input)
      continue;
    found += (found.empty() ? "" : ", ") + buffer.name + " " + describe(buffer.dtype, buffer.shape);
    if (buffer.name == kDropoutInput && buffer.dtype == DType::I64 &&
        buffer.shape == std::vector<int64_t>{1} && buffer.indexLimit == kDropoutKeys) {
      inputs.dropout = &buffer;
      continue;
    }
    ++count;
    (buffer.name == "targets" ? inputs.targets : inputs.ids) = &buffer;
  }
  bool fit = count == 2 && inputs.ids && inputs.targets && inputs.ids->dtype == DType::I32 &&
             inputs.targets->dtype == DType::I32 && inputs.ids->shape.size() == 2 &&
             inputs.ids->shape == inputs.targets->shape && inputs.ids->indexLimit > 0 &&
             inputs.targets->indexLimit > 0;
  if (!fit)
    return invalidInput(plan.model +
                        ": training feeds token ids and targets, which are the next ids, each i32 [batch, "
                        "context] with a bound, and " +
                        std::string(kDropoutInput) +
                        " where it drops out, but no padding mask, segments or masked tokens; the model's "
                        "inputs: " +
                        found);
  for (const char *name : {kLoss, kGradNorm}) {
    bool is = false;
    for (const Buffer &buffer : plan.buffers)
      is |= buffer.role == BufferRole::Output && buffer.name == name;
    if (!is)
      return invalidInput(plan.model + ": the plan has no output " + name);
  }
  return inputs;
}

Trainer::Trainer(Executor &executor, const TrainingInputs &inputs, int64_t batches)
    : executor_(&executor), inputs_(inputs), batches_(batches) {
  size_t tokens = static_cast<size_t>(inputs.batch() * inputs.context());
  ids_.assign(static_cast<size_t>(batches), std::vector<int32_t>(tokens));
  targets_ = ids_;
  keys_.resize(ids_.size());
}

Status Trainer::setScalar(const char *name, double value) {
  auto single = static_cast<float>(value);
  std::vector<uint8_t> bytes(sizeof(single));
  std::memcpy(bytes.data(), &single, sizeof(single));
  return executor_->setParameter(name, bytes);
}

StatusOr<float> Trainer::skippedSteps() {
  return single(executor_->parameter("adamw.skipped"), "adamw.skipped");
}

StatusOr<Trainer> Trainer::create(Executor &executor, const TrainingInputs &inputs,
                                  const AdamWSettings &settings, int64_t batches) {
  if (batches > 1 && !inputs.accumulates)
    return invalidInput("a step on " + std::to_string(batches) +
                        " batches wants a plan of mode accumulate, found one of mode step");
  Trainer trainer(executor, inputs, batches);
  HEDDLE_RETURN_IF_ERROR(trainer.setScalar("adamw.one_minus_beta1", 1.0 - settings.beta1));
  HEDDLE_RETURN_IF_ERROR(trainer.setScalar("adamw.one_minus_beta2", 1.0 - settings.beta2));
  HEDDLE_RETURN_IF_ERROR(trainer.setScalar("adamw.epsilon", settings.epsilon));
  HEDDLE_RETURN_IF_ERROR(trainer.setScalar("adamw.weight_decay", settings.weightDecay));
  HEDDLE_RETURN_IF_ERROR(
      trainer.setScalar("adamw.max_norm", settings.clip > 0 ? settings.clip : kNoClipping));
  HEDDLE_ASSIGN_OR_RETURN(trainer.skipped_, trainer.skippedSteps());
  return trainer;
}

/// All batches of the next step.
Status Trainer::draw(Batches &batches) {
  for (size_t i = 0; i < ids_.size(); ++i) {
    keys_[i] = dropoutKey(batches.seed(), batches.position());
    HEDDLE_RETURN_IF_ERROR(batches.next(ids_[i], targets_[i]));
    // The data was checked as a whole, but is read from its file as training goes: that may have changed
    // since.
    HEDDLE_RETURN_IF_ERROR(checkIndices(*inputs_.ids, bytesOf(ids_[i])));
    HEDDLE_RETURN_IF_ERROR(checkIndices(*inputs_.targets, bytesOf(targets_[i])));
  }
  return Status::ok();
}

/// How much of the step's targets each batch has, of those that are not ignored.
std::vector<double> Trainer::shares() const {
  std::vector<double> valid;
  double all = 0;
  for (const std::vector<int32_t> &targets : targets_) {
    auto isValid = [&](int32_t target) { return target != inputs_.targets->ignoredIndex; };
    valid.push_back(static_cast<double>(std::count_if(targets.begin(), targets.end(), isValid)));
    all += valid.back();
  }
  for (double &count : valid)
    count = all > 0 ? count / all : 1.0 / static_cast<double>(batches_);
  return valid;
}

StatusOr<TrainingStep> Trainer::step(Batches &batches, double learningRate) {
  HEDDLE_RETURN_IF_ERROR(draw(batches));
  HEDDLE_RETURN_IF_ERROR(setScalar("adamw.lr", learningRate));
  TrainingStep step;
  std::vector<double> share = shares();
  for (size_t i = 0; i < ids_.size(); ++i) {
    HEDDLE_RETURN_IF_ERROR(executor_->setInput(inputs_.ids->name, bytesOf(ids_[i])));
    HEDDLE_RETURN_IF_ERROR(executor_->setInput(inputs_.targets->name, bytesOf(targets_[i])));
    if (inputs_.dropout)
      HEDDLE_RETURN_IF_ERROR(executor_->setInput(inputs_.dropout->name, bytesOf(std::vector{keys_[i]})));
    if (inputs_.accumulates) {
      HEDDLE_RETURN_IF_ERROR(setScalar(kKeepSums, i > 0));
      HEDDLE_RETURN_IF_ERROR(setScalar(kRunWeight, share[i]));
    }
    HEDDLE_RETURN_IF_ERROR(i + 1 < ids_.size() ? executor_->runWithoutOptimizer() : executor_->run());
    HEDDLE_RETURN_IF_ERROR(executor_->synchronize());
    HEDDLE_ASSIGN_OR_RETURN(float loss, single(executor_->output("loss"), "loss"));
    if (share[i] > 0) // A mean over no target is no number.
      step.loss += share[i] * loss;
  }
  HEDDLE_ASSIGN_OR_RETURN(step.gradNorm, single(executor_->output("grad_norm"), "grad_norm"));
  HEDDLE_ASSIGN_OR_RETURN(float skipped, skippedSteps());
  // A NaN that is printed has no sign: which one it got is an accident of the instruction that made it.
  for (double *value : {&step.loss, &step.gradNorm})
    if (std::isnan(*value))
      *value = std::numeric_limits<double>::quiet_NaN();
  step.skipped = skipped > skipped_;
  skipped_ = skipped;
  return step;
}

} // namespace heddle::driver
