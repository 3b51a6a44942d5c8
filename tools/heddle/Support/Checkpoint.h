//===- Checkpoint.h - A training on disk ------------------------*- C++ -*-===//
//
// A checkpoint is a folder with
//   model.safetensors      the parameters under their own names: what --weights reads
//   optimizer.safetensors  every state of the plan: moments, counts, scalars
//   training.json          where training stands, and its settings
// It is written as FOLDER.unfinished and takes FOLDER's place in one step, so that FOLDER is a whole
// checkpoint at any time, whatever ends the process.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_CHECKPOINT_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_CHECKPOINT_H

#include "runtime/base/Json.h"
#include "runtime/executor/Executor.h"

#include <cstdint>
#include <string>

namespace heddle::driver {

/// training.json.
struct TrainingState {
  std::string model;                                  ///< Plan::model; another one to go on with is named.
  int64_t step = 0;                                   ///< Steps done.
  uint64_t windows = 0;                               ///< Windows drawn from the data: Batches::position.
  int64_t tokens = 0;                                 ///< Of the data.
  nlohmann::json settings = nlohmann::json::object(); ///< See SavedFlags.h.
};

/// A folder that checkpoints go to.
class CheckpointFolder {
public:
  /// Nothing is written yet. InvalidInput where the folder holds something else than a checkpoint, or a
  /// checkpoint that `resumed`, the folder that is gone on from (or empty), is not; Unavailable where its
  /// parent is missing or cannot be written.
  static runtime::StatusOr<CheckpointFolder> open(const std::string &path, const std::string &resumed);

  const std::string &path() const { return path_; }
  bool holdsCheckpoint() const;

  /// Saves what the executor holds now. On an error the former checkpoint stands, and nothing else is left.
  runtime::Status save(runtime::Executor &executor, const runtime::Plan &plan, const TrainingState &state);

private:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}
  std::string path_; ///< Absolute, links resolved: the folder itself is replaced, not a link to it.
};

/// How one folder takes another's place: by an exchange of names, or, where a file system has no such thing,
/// by two renames, between which the former checkpoint is FOLDER.previous.
enum class Replacement { Exchange, TwoRenames };

/// Moves folder `from` to `to`, and removes what was there.
runtime::Status replaceFolder(const std::string &from, const std::string &to,
                              Replacement how = Replacement::Exchange);

/// The folder that a checkpoint is read from: `path`, or path.previous where a process ended between the two
/// renames. InvalidInput where neither is there.
runtime::StatusOr<std::string> checkpointAt(const std::string &path);

/// Reads training.json of a folder that checkpointAt gave. InvalidInput names file, field, what was wanted
/// and what was found.
runtime::StatusOr<TrainingState> readTrainingState(const std::string &folder);

/// Gives the executor the states of optimizer.safetensors. InvalidInput lists all that does not fit.
runtime::Status readOptimizer(runtime::Executor &executor, const runtime::Plan &plan,
                              const std::string &folder);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_CHECKPOINT_H
