//===- TrainLog.cpp - The course of a training as CSV ---------------------===//
#include "tools/heddle/Support/TrainLog.h"

#include "runtime/base/File.h"
#include "runtime/base/Json.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

namespace heddle::driver {

using namespace runtime;

namespace {

constexpr std::string_view kHeader = "step,loss,lr,grad_norm,tokens_per_s";

/// The shortest text that reads back as the same float32, which losses, norms and, to the optimizer, rates
/// are; in the manner of %g, so that one column has one form: 0.0002, 0.001, 3e-05.
std::string exact(double value) {
  char text[32];
  auto end =
      std::to_chars(text, text + sizeof(text), static_cast<float>(value), std::chars_format::general).ptr;
  return {text, end};
}

std::string lineOf(const TrainRow &row) {
  char rest[32];
  std::snprintf(rest, sizeof(rest), "%.1f", row.tokensPerSecond);
  return std::to_string(row.step) + "," + exact(row.loss) + "," + exact(row.learningRate) + "," +
         exact(row.gradNorm) + "," + rest + "\n";
}

std::optional<TrainRow> rowOf(std::string_view line) {
  TrainRow row;
  auto field = [&](auto &value) {
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    return error == std::errc();
  };
  auto next = [&](auto &value) {
    bool comma = line.starts_with(',');
    line.remove_prefix(comma ? 1 : 0);
    return comma && field(value);
  };
  bool good = field(row.step) && next(row.loss) && next(row.learningRate) && next(row.gradNorm) &&
              next(row.tokensPerSecond) && line.empty();
  return good ? std::optional(row) : std::nullopt;
}

/// The rows of steps 1 to `step`.
StatusOr<std::vector<TrainRow>> readRows(const std::string &path, int64_t step) {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::vector<TrainRow> rows;
  for (int64_t number = 1; !text.empty(); ++number) {
    size_t end = text.find('\n');
    bool whole = end != std::string_view::npos;
    std::string_view line = text.substr(0, end);
    std::string where = path + ":" + std::to_string(number) + ": ";
    if (number == 1 && line != kHeader && (whole || !kHeader.starts_with(line)))
      return invalidInput(where + "wanted " + std::string(kHeader) + ", found " + shown(line));
    if (!whole)
      break; // Cut off while it was written; its step is done again.
    text.remove_prefix(end + 1);
    if (number == 1)
      continue;
    std::optional<TrainRow> row = rowOf(line);
    if (!row || row->step <= (rows.empty() ? 0 : rows.back().step))
      return invalidInput(where + "wanted a step after the one before and four numbers, found " +
                          shown(line));
    if (row->step > step)
      break;
    rows.push_back(*row);
  }
  if (!rows.empty() && rows.back().step < step)
    return invalidInput(path + ": wanted rows up to step " + std::to_string(step) +
                        ", which training goes on from; they end at step " +
                        std::to_string(rows.back().step));
  return rows;
}

} // namespace

StatusOr<TrainLog> TrainLog::open(const std::string &path, int64_t step) {
  TrainLog log;
  log.path_ = path;
  if (path.empty())
    return log;
  std::error_code error;
  bool there = std::filesystem::is_regular_file(path, error);
  if (step == 0 && there && std::filesystem::file_size(path, error) > 0)
    return invalidInput(
        path + ": there is such a file, and this training begins; name another one, remove it, or go "
               "on with --resume");
  if (step > 0 && there) {
    HEDDLE_ASSIGN_OR_RETURN(log.rows_, readRows(path, step));
  }
  HEDDLE_RETURN_IF_ERROR(AtomicFile::create(path).status()); // Gone again: says whether it can be written.
  return log;
}

Status TrainLog::begin() {
  std::string text = std::string(kHeader) + "\n";
  for (const TrainRow &row : rows_)
    text += lineOf(row);
  HEDDLE_RETURN_IF_ERROR(writeFile(path_, text));
  file_.reset(std::fopen(path_.c_str(), "ae"));
  return file_ ? Status::ok() : unavailable("cannot write " + path_ + ": " + std::strerror(errno));
}

Status TrainLog::append(const TrainRow &row) {
  if (!path_.empty() && !file_)
    HEDDLE_RETURN_IF_ERROR(begin());
  rows_.push_back(row);
  if (file_ && (std::fputs(lineOf(row).c_str(), file_.get()) < 0 || std::fflush(file_.get()) != 0))
    return unavailable("cannot write " + path_ + ": " + std::strerror(errno));
  return Status::ok();
}

} // namespace heddle::driver
