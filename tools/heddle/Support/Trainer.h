//===- Trainer.h - Steps of a plan of mode step -----------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINER_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINER_H

#include "runtime/executor/Executor.h"
#include "runtime/tooling/Batches.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::driver {

/// What training needs to know of a plan. Pointers are into the plan.
struct TrainingInputs {
  const runtime::Buffer *ids = nullptr;     ///< i32 [batch, context].
  const runtime::Buffer *targets = nullptr; ///< i32, the same shape.

  const runtime::Buffer *dropout = nullptr; ///< i64 [1], a run's key; null: nothing is dropped.

  bool accumulates = false; ///< The plan can add gradients up over runs.

  int64_t batch() const { return ids->shape[0]; }
  int64_t context() const { return ids->shape[1]; }
  /// A token of the data becomes an id and a target.
  int64_t vocabulary() const { return std::min(ids->indexLimit, targets->indexLimit); }
};

/// InvalidInput where the plan is not of mode step or accumulate, or has other inputs than `targets`, one of
/// token ids, both with an index limit, and at most `dropout_key`, or lacks the outputs `loss` and
/// `grad_norm`.
runtime::StatusOr<TrainingInputs> trainingInputs(const runtime::Plan &plan);

/// The optimizer's settings; formulas in compiler/Autodiff/AdamW.h.
struct AdamWSettings {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0.01;
  double clip = 0; ///< Largest norm of the gradients; 0: they are not clipped.
};

struct TrainingStep {
  double loss = 0;      ///< The mean over all targets of the step that are not ignored; a NaN without a sign.
  double gradNorm = 0;  ///< Before clipping; a NaN without a sign.
  bool skipped = false; ///< The gradients were not finite: nothing was changed.
};

class Trainer {
public:
  /// `executor` and the plan behind `inputs` must outlive this. Sets the optimizer's scalars, those of a
  /// resumed training included, whose counts must be in the executor by now. A step is on `batches` batches;
  /// more than one wants a plan that accumulates, InvalidInput else.
  static runtime::StatusOr<Trainer> create(runtime::Executor &executor, const TrainingInputs &inputs,
                                           const AdamWSettings &settings, int64_t batches = 1);

  /// One step on the next batches with this learning rate; what it gave is here when it returns.
  /// InvalidInput, before anything runs, where a batch has a token outside of an input's bound.
  runtime::StatusOr<TrainingStep> step(runtime::Batches &batches, double learningRate);

private:
  Trainer(runtime::Executor &executor, const TrainingInputs &inputs, int64_t batches);
  runtime::Status draw(runtime::Batches &batches);
  std::vector<double> shares() const;
  runtime::Status setScalar(const char *name, double value);
  runtime::StatusOr<float> skippedSteps();

  runtime::Executor *executor_;
  TrainingInputs inputs_;
  int64_t batches_;
  std::vector<std::vector<int32_t>> ids_, targets_; ///< Of each batch of a step.
  std::vector<int64_t>
      keys_; ///< Of dropout, by the windows drawn before: also after a resume another for each batch.
  float skipped_ = 0; ///< adamw.skipped after the last step.
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINER_H
