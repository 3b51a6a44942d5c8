//===- WeightFiles.cpp - A model's weight files ---------------------------===//
#include "runtime/base/Json.h"
#include "runtime/tooling/Weights.h"

#include <algorithm>
#include <filesystem>

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFile = ".safetensors", kIndex = ".safetensors.index.json";

/// The file or index that stands for a folder's weights.
StatusOr<std::string> chooseInFolder(const std::string &folder) {
  std::vector<std::string> files, indices, others;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(kIndex))
      indices.push_back(name);
    else if (name.ends_with(kFile))
      files.push_back(name);
    else if (name.ends_with(".bin") || name.ends_with(".pt") || name.ends_with(".onnx"))
      others.push_back(name);
  }
  if (error)
    return invalidInput("cannot read folder " + folder + ": " + error.message());
  auto list = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
      text += (i ? ", " : "") + names[i];
    return text + (names.size() > kMostListed ? ", …" : "");
  };
  if (std::find(files.begin(), files.end(), "model.safetensors") != files.end())
    return folder + "/model.safetensors";
  const std::vector<std::string> &candidates = indices.empty() ? files : indices;
  if (candidates.size() == 1)
    return folder + "/" + candidates.front();
  if (candidates.empty())
    return invalidInput(folder + ": no *.safetensors and no *.safetensors.index.json in this folder" +
                        (others.empty() ? "" : ", found " + list(others)));
  return invalidInput(folder + ": wanted one file of weights or one index, found " + list(candidates));
}

std::string folderOf(const std::string &path) {
  fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

} // namespace

bool WeightFiles::inFolder(const std::string &folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.ends_with(kFile) || name.ends_with(kIndex))
      return true;
  }
  return false;
}

StatusOr<WeightFiles> WeightFiles::open(const std::string &path) {
  WeightFiles weights;
  weights.path_ = path;
  std::string chosen = path;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    HEDDLE_ASSIGN_OR_RETURN(chosen, chooseInFolder(path));
  }
  if (chosen.ends_with(".json"))
    HEDDLE_RETURN_IF_ERROR(weights.addIndex(chosen));
  else
    HEDDLE_RETURN_IF_ERROR(weights.addFile(chosen));
  return weights;
}

Status WeightFiles::addFile(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  files_.push_back(std::make_unique<SafetensorsFile>(std::move(file)));
  for (const auto &[name, stored] : files_.back()->tensors())
    tensors_[name] = {files_.back().get(), &stored};
  return Status::ok();
}

Status WeightFiles::addIndex(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  HEDDLE_ASSIGN_OR_RETURN(
      nlohmann::json index,
      parseJsonObject({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path));
  if (!index.contains("weight_map") || !index["weight_map"].is_object())
    return invalidInput(path + ": wanted an index, an object with the object weight_map");
  std::map<std::string, std::vector<std::string>> namesOf; // By file.
  for (const auto &[name, file] : index["weight_map"].items()) {
    // Beside the index and nowhere else: an index that came from elsewhere must not name files of this
    // machine.
    if (!file.is_string() || !file.get_ref<const std::string &>().ends_with(kFile) ||
        file.get_ref<const std::string &>().find('/') != std::string::npos)
      return invalidInput(path + ": tensor " + shown(name) + ": wanted the name of a " + std::string(kFile) +
                          " file beside the index, found " + shownValue(file));
    namesOf[file.get<std::string>()].push_back(name);
  }
  std::string folder = folderOf(path);
  for (const auto &[file, names] : namesOf) {
    std::string filePath = std::string(folder).append("/").append(file);
    StatusOr<SafetensorsFile> opened = SafetensorsFile::open(filePath);
    if (!opened)
      return std::move(opened).status().with(path + ": file " + shown(file) + " of the index, with " +
                                             std::to_string(names.size()) + " tensors such as " +
                                             shown(names.front()));
    files_.push_back(std::make_unique<SafetensorsFile>(*std::move(opened)));
    const SafetensorsFile &held = *files_.back();
    for (const std::string &name : names) {
      auto found = held.tensors().find(name);
      if (found == held.tensors().end())
        return invalidInput(path + ": tensor " + shown(name) + ": wanted in " + shown(file) +
                            ", which does not hold it");
      tensors_[name] = {&held, &found->second};
    }
    if (held.tensors().size() != names.size())
      for (const auto &[name, stored] : held.tensors())
        if (std::find(names.begin(), names.end(), name) == names.end())
          return invalidInput(path + ": file " + shown(file) + " holds tensor " + shown(name) +
                              ", which the index does not place there");
  }
  return Status::ok();
}

} // namespace heddle::runtime
