//===- Checkpoint.cpp - A training on disk --------------------------------===//
#include "tools/heddle/Support/Checkpoint.h"

#include "runtime/base/File.h"
#include "tools/heddle/Support/Weights.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace heddle::driver {

using namespace runtime;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char *kModel = "model.safetensors", *kOptimizer = "optimizer.safetensors",
                     *kTraining = "training.json";
/// Raised when what is in the files changes its meaning.
constexpr int64_t kFormat = 1;

std::string unfinished(const std::string &folder) { return folder + kUnfinishedEnd; }
std::string previous(const std::string &folder) { return folder + kPreviousEnd; }

bool isFolder(const std::string &path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// What a folder holds that is no part of a checkpoint, whole or cut off while it was written; empty:
/// nothing.
std::string strangerIn(const std::string &folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    bool known = false;
    for (const char *own : {kModel, kOptimizer, kTraining})
      known |= name == own || name.starts_with(std::string(own) + ".part-");
    if (!known)
      return name;
  }
  return error ? "what cannot be listed: " + error.message() : "";
}

/// A rename reaches the disk with the folder that holds the name. Some file systems refuse that flush; the
/// rename is done either way.
void flushFolder(const std::string &path) {
  int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  (void)fsync(folder);
  ::close(folder);
}

Status renameFolder(const std::string &from, const std::string &to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return unavailable("cannot rename " + from + " to " + to + ": " + std::strerror(errno));
  flushFolder(fs::path(to).parent_path());
  return Status::ok();
}

Status removeFolder(const std::string &path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? unavailable("cannot remove " + path + ": " + error.message()) : Status::ok();
}

Status writeFiles(const std::string &folder, Executor &executor, const Plan &plan,
                  const TrainingState &state) {
  HEDDLE_RETURN_IF_ERROR(saveParts(executor, plan, BufferRole::Parameter, folder + "/" + kModel));
  HEDDLE_RETURN_IF_ERROR(saveParts(executor, plan, BufferRole::State, folder + "/" + kOptimizer));
  Json json = {{"format", kFormat},        {"model", state.model},   {"step", state.step},
               {"windows", state.windows}, {"tokens", state.tokens}, {"settings", state.settings}};
  return writeFile(folder + "/" + kTraining, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

} // namespace

StatusOr<CheckpointFolder> CheckpointFolder::open(const std::string &given, const std::string &resumed) {
  std::error_code error;
  fs::path absolute = fs::weakly_canonical(fs::absolute(given, error), error);
  if (!error && !absolute.has_filename()) // "new/"
    absolute = absolute.parent_path();
  std::string path = absolute.string();
  if (error || path.empty() || path == "/" || fs::equivalent(path, fs::current_path(error), error))
    return invalidInput(given + ": wanted a folder that can be replaced as a whole, such as ./checkpoint");
  std::string parent = absolute.parent_path().string();
  if (!isFolder(parent))
    return invalidInput(given + ": there is no folder " + parent);
  if (::access(parent.c_str(), W_OK | X_OK) != 0)
    return unavailable(given + ": cannot write in " + parent + ": " + std::strerror(errno));
  HEDDLE_ASSIGN_OR_RETURN(FolderLock lock, FolderLock::take(path));
  for (const std::string &folder : {path, unfinished(path), previous(path)}) {
    if (!fs::exists(folder, error))
      continue;
    if (!isFolder(folder))
      return invalidInput(folder + ": wanted a folder, found a file");
    if (std::string name = strangerIn(folder); !name.empty())
      return invalidInput(folder + ": holds " + shown(name) +
                          ", which is no part of a checkpoint; wanted a new or an empty folder");
  }
  bool same = !resumed.empty() &&
              (fs::equivalent(path, resumed, error) || fs::equivalent(previous(path), resumed, error));
  if (!same)
    for (const std::string &folder : {path, previous(path)})
      if (fs::exists(folder + "/" + kTraining, error))
        return invalidInput(folder +
                            ": holds a checkpoint; go on from it with --resume, or name another folder");
  return CheckpointFolder(path, std::move(lock));
}

bool CheckpointFolder::holdsCheckpoint() const {
  std::error_code error;
  return fs::exists(path_ + "/" + kTraining, error) || fs::exists(previous(path_) + "/" + kTraining, error);
}

Status CheckpointFolder::save(Executor &executor, const Plan &plan, const TrainingState &state) {
  std::string next = unfinished(path_);
  HEDDLE_RETURN_IF_ERROR(removeFolder(next)); // Of a process that was ended.
  std::error_code error;
  Status status;
  {
    std::vector<HalfWritten> halfWritten;
    for (const std::string &name :
         {next, next + "/" + kModel, next + "/" + kOptimizer, next + "/" + kTraining})
      halfWritten.emplace_back(name);
    if (!fs::create_directory(next, error))
      return runtime::cannotMake("make folder " + next, error.value());
    status = writeFiles(next, executor, plan, state);
  }
  // Whole, and no longer to be removed: it is about to be the checkpoint.
  if (status)
    status = replaceFolder(next, path_);
  if (!status)
    (void)removeFolder(next); // The first error is the one to report.
  return status;
}

Status replaceFolder(const std::string &from, const std::string &to, Replacement how) {
  flushFolder(from);
  // Behind a rename that was cut off, `to` is missing and the former checkpoint is beside it.
  if (isFolder(previous(to)) && isFolder(to))
    HEDDLE_RETURN_IF_ERROR(removeFolder(previous(to)));
  if (!isFolder(to)) {
    HEDDLE_RETURN_IF_ERROR(renameFolder(from, to));
    return removeFolder(previous(to));
  }
  if (how == Replacement::Exchange) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
      flushFolder(fs::path(to).parent_path());
      return removeFolder(from);
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      return unavailable("cannot exchange " + from + " and " + to + ": " + std::strerror(errno));
  }
  HEDDLE_RETURN_IF_ERROR(renameFolder(to, previous(to)));
  HEDDLE_RETURN_IF_ERROR(renameFolder(from, to));
  return removeFolder(previous(to));
}

StatusOr<std::string> checkpointAt(const std::string &path) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.back() == '/')
    trimmed.pop_back();
  for (const std::string &folder : {trimmed, previous(trimmed)})
    if (isFolder(folder))
      return folder;
  return invalidInput(path + ": there is no such folder; wanted one that --save wrote");
}

StatusOr<TrainingState> readTrainingState(const std::string &folder) {
  std::string path = folder + "/" + kTraining;
  HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  HEDDLE_ASSIGN_OR_RETURN(
      Json json, parseJsonObject({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path));
  auto wrong = [&](const char *field, const char *wanted) {
    return invalidInput(path + ": " + field + ": wanted " + wanted + ", found " +
                        (json.contains(field) ? shownValue(json[field]) : "nothing"));
  };
  auto count = [&](const char *field) {
    return json.contains(field) && json[field].is_number_unsigned() &&
           json[field].get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()};
  };
  if (!count("format") || json["format"].get<int64_t>() != kFormat)
    return wrong("format", "1");
  for (const char *field : {"step", "windows", "tokens"})
    if (!count(field))
      return wrong(field, "a whole number from 0 on");
  if (!json.contains("model") || !json["model"].is_string())
    return wrong("model", "a name");
  if (!json.contains("settings"))
    return wrong("settings", "an object");
  return TrainingState{json["model"].get<std::string>(), json["step"].get<int64_t>(),
                       json["windows"].get<uint64_t>(), json["tokens"].get<int64_t>(), json["settings"]};
}

Status readOptimizer(Executor &executor, const Plan &plan, const std::string &folder) {
  HEDDLE_ASSIGN_OR_RETURN(WeightFiles files, WeightFiles::open(folder + "/" + kOptimizer));
  std::vector<WantedWeight> wanted = partsOf(plan, BufferRole::State);
  HEDDLE_ASSIGN_OR_RETURN(WeightMatch match, matchWeights(files, wanted));
  for (const WantedWeight &part : wanted) {
    const WeightTensor &tensor = match.byName.at(part.name);
    // Parameters convert; a state that was rounded would not go on with the same bits.
    if (tensor.stored->dtype != part.dtype)
      return invalidInput(files.path() + ": " + shown(part.name) + ": wanted " +
                          describe(part.dtype, part.shape) + ", found " + describe(*tensor.stored));
    std::vector<uint8_t> bytes(static_cast<size_t>(tensor.stored->bytes));
    HEDDLE_RETURN_IF_ERROR(tensor.file->read(*tensor.stored, 0, bytes));
    HEDDLE_RETURN_IF_ERROR(executor.setParameter(part.name, bytes));
  }
  return Status::ok();
}

} // namespace heddle::driver
