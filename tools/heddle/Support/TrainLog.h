//===- TrainLog.h - The course of a training as CSV and picture -*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINLOG_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINLOG_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace heddle::driver {

struct TrainRow {
  int64_t step = 0; ///< 1 is the first.
  double loss = 0, learningRate = 0, gradNorm = 0, tokensPerSecond = 0;
};

/// The rows of a training, and the CSV file that they go to as they come: a process that is ended has lost
/// none. Columns: step, loss, lr, grad_norm, tokens_per_s.
class TrainLog {
public:
  /// No file where `path` is empty. Changes nothing yet: what fails before the first row leaves a file as it
  /// was. For step 0 that row begins a new one, and InvalidInput says that there is one with something
  /// in it: the rows of another training are not replaced. For a training that goes on from `step`, the rows
  /// of an existing one up to that are kept. InvalidInput names a line of it that is no such row (a last one
  /// that was cut off while it was written counts for nothing), or says that rows end before `step`; a file
  /// without rows before `step`, of a training that was gone on with into it, has none to miss. Unavailable
  /// where the file cannot be written.
  static runtime::StatusOr<TrainLog> open(const std::string &path, int64_t step);

  /// Unavailable where the file cannot be written.
  runtime::Status append(const TrainRow &row);
  const std::vector<TrainRow> &rows() const { return rows_; }

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  runtime::Status begin(); ///< Writes the header and the rows that are kept.

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<TrainRow> rows_;
};

/// The loss by step as an SVG picture: axes with round ticks, one line. A loss that is not finite breaks the
/// line. Above kMostPoints rows each point is the mean of a run of neighbours. `title` is any text.
std::string lossPicture(const std::vector<TrainRow> &rows, const std::string &title);
constexpr size_t kMostPoints = 1000;

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_TRAINLOG_H
