//===- Training.h - The loop of heddle train --------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINING_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINING_H

#include "runtime/tooling/LearningRate.h"
#include "tools/heddle/Support/Checkpoint.h"
#include "tools/heddle/Support/Progress.h"
#include "tools/heddle/Support/TrainLog.h"
#include "tools/heddle/Support/Trainer.h"

#include <optional>
#include <string>

namespace heddle::driver {

/// What the loop works on; all of it outlives the loop.
struct Training {
  runtime::Executor &executor;
  const runtime::Plan &plan;
  Trainer &trainer;
  runtime::Batches &batches;
  TrainLog &log;
  int64_t batchesPerStep;
  runtime::LearningRate rate; ///< Its `steps` are where the loop ends.
  TrainingState state;        ///< Where it begins; advances with each step.
  std::optional<CheckpointFolder> folder = std::nullopt;
  int64_t saveEvery = 0; ///< In steps; 0: at the end alone.
  std::string picture{}; ///< File of the loss, written whenever something is saved; empty: none.
  std::string pictureTitle{};
  double ceiling = 0; ///< FLOP/s of one large product; 0 where it is not known.
};

/// What came of it.
struct TrainingEnd {
  int signal = 0;                             ///< That ended it early, or 0.
  int64_t steps = 0;                          ///< Done here; where there were none, nothing was saved.
  bool saved = false;                         ///< The state of the end is in the folder, where there is one.
  runtime::Status fault;                      ///< Why what was trained is of no use: see `train`.
  double tokensPerSecond = 0, flopsShare = 0; ///< By the median time of a step; 0 where it is not known.
};

/// Runs steps up to the last, or until a signal comes (Interrupt.h): the step under way is finished first.
/// Saves when it is done, and every `saveEvery` steps. Steps whose gradients were not finite are named on
/// stderr as they come.
///
/// Weights that are not finite stay so: the loop ends, does not save them, and `fault`, InvalidInput, names
/// one. They are looked at before they are saved, and where a loss is not finite. With finite weights another
/// batch may have a finite loss: the loop goes on. Until there is one, a checkpoint that the folder holds is
/// not replaced, and at the last step `fault` says so.
runtime::StatusOr<TrainingEnd> train(Training &training, Progress &progress);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINING_H
