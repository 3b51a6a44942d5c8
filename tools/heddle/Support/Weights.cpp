//===- Weights.cpp - Where a model's parameters come from -----------------===//
#include "tools/heddle/Support/Weights.h"

#include "tools/heddle/Support/Checkpoint.h"

#include "runtime/plan/Accumulators.h"

#include "runtime/base/Convert.h"
#include "runtime/tooling/RandomTensor.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace heddle::driver {

using namespace runtime;

void addWeightsFlag(CLI::App &parser, std::string &path) {
  parser.add_option(
      "--weights", path,
      "Read the parameters from a .safetensors file, a .safetensors.index.json, or a folder with "
      "one of them [those in MODEL where it is a folder, else drawn from the seed]");
}

static bool isFolder(const std::string &path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error);
}

std::string weightsPath(const ModelFlags &model, const std::string &flag) {
  if (!flag.empty())
    return flag;
  const std::string &folder = model.request.model;
  return isFolder(folder) && WeightFiles::inFolder(folder) ? folder : "";
}

StatusOr<ModelWeights> ModelWeights::open(const ModelFlags &model, const std::string &flag) {
  ModelWeights weights;
  weights.request_ = model.request;
  weights.planFile_ = model.planFile;
  std::string path = weightsPath(model, flag);
  if (path.empty()) {
    if (isFolder(model.request.model))
      std::fprintf(stderr, "note: %s holds no weights; they are drawn from the seed\n",
                   model.request.model.c_str());
    return weights;
  }
  HEDDLE_ASSIGN_OR_RETURN(weights.files_, WeightFiles::open(path));
  return weights;
}

/// The layers that a model was left, as its parameters' names number them; none where no name has a number.
static std::optional<int64_t> layersIn(const std::vector<WantedWeight> &wanted) {
  std::optional<int64_t> layers;
  for (const WantedWeight &weight : wanted)
    if (std::optional<int64_t> layer = layerOf(weight.name))
      layers = std::max(layers.value_or(0), *layer + 1);
  return layers;
}

/// What a checkpoint says of its model, where that is another one than `request`; else nothing. `path` is its
/// folder or a file in it.
static std::string otherExtents(const std::string &path, const ModelRequest &request) {
  std::string folder = isFolder(path) ? path : std::filesystem::path(path).parent_path().string();
  StatusOr<TrainingState> state = readTrainingState(folder.empty() ? "." : folder);
  if (!state)
    return "";
  std::string flags;
  for (auto [name, given] : {std::pair{"layers", request.layers}, std::pair{"vocab", request.vocabulary}}) {
    const nlohmann::json saved = state->settings.value(name, nlohmann::json());
    if (saved.is_number_integer() && given != saved.get<int64_t>())
      flags += std::string(" --") + name + " " + saved.dump();
  }
  return flags.empty() ? ""
                       : "\n  " + folder + " is a checkpoint of " + shown(state->model) + " with" + flags;
}

StatusOr<WeightMatch> ModelWeights::match(const std::vector<WantedWeight> &wanted) {
  StatusOr<WeightMatch> match =
      matchWeights(*files_, wanted, {planFile_ ? layersIn(wanted) : request_.layers});
  if (!match && match.status().code() == StatusCode::InvalidInput)
    return invalidInput(match.status().message() + otherExtents(files_->path(), request_));
  if (match && !match->unusedHeads.empty() && !noted_) {
    std::string names;
    for (const std::string &name : match->unusedHeads)
      names += " " + name;
    std::fprintf(stderr, "note: of heads that this model does not compute, and not read:%s\n", names.c_str());
    noted_ = true;
  }
  return match;
}

StatusOr<ParameterSource> ModelWeights::source(const Plan &plan, Progress &progress) {
  if (!fromFiles())
    return ParameterSource();
  std::vector<WantedWeight> wanted = partsOf(plan, BufferRole::Parameter);
  HEDDLE_ASSIGN_OR_RETURN(WeightMatch matched, match(wanted));
  size_t total = wanted.size(), done = 0;
  // A ParameterSource is copied; the match need not be.
  auto shared = std::make_shared<const WeightMatch>(std::move(matched));
  return ParameterSource([shared, total, done, &progress](
                             const ParameterPart &part) mutable -> StatusOr<std::optional<StoredValues>> {
    progress.show("weights " + std::to_string(++done) + "/" + std::to_string(total));
    const WeightTensor &tensor = shared->byName.at(part.name);
    return std::optional(
        StoredValues{*tensor.stored->dtype, [tensor](int64_t byteOffset, std::span<uint8_t> destination) {
                       return tensor.file->read(*tensor.stored, byteOffset, destination);
                     }});
  });
}

StatusOr<reference::ParameterReader> ModelWeights::reader(const reference::Program &program, uint64_t seed) {
  if (!fromFiles())
    return reference::ParameterReader([seed](const ParameterPart &part) -> StatusOr<reference::Tensor> {
      return drawParameter(part, seed);
    });
  std::vector<WantedWeight> wanted;
  for (const auto &[parts, value] : program.parameters)
    for (const ParameterPart &part : parts)
      wanted.push_back({part.name, DType::F32, part.shape});
  HEDDLE_ASSIGN_OR_RETURN(WeightMatch matched, match(wanted));
  auto shared = std::make_shared<const WeightMatch>(std::move(matched));
  return reference::ParameterReader([shared](const ParameterPart &part) -> StatusOr<reference::Tensor> {
    const WeightTensor &tensor = shared->byName.at(part.name);
    std::vector<uint8_t> bytes(static_cast<size_t>(tensor.stored->bytes));
    HEDDLE_RETURN_IF_ERROR(tensor.file->read(*tensor.stored, 0, bytes));
    DType dtype = *tensor.stored->dtype;
    reference::Tensor values(bytes.size() / static_cast<size_t>(sizeOf(dtype)));
    widenToF64(dtype, bytes.data(), values.data(), static_cast<int64_t>(values.size()));
    return values;
  });
}

std::vector<WantedWeight> partsOf(const Plan &plan, BufferRole role) {
  std::map<std::string, WantedWeight> byName;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == role)
      for (const ParameterPart &part : buffer.parts)
        if (role != BufferRole::State || !isAccumulator(part.name))
          byName[part.name] = {part.name, buffer.dtype, part.shape};
  std::vector<WantedWeight> parts;
  for (auto &[name, part] : byName)
    parts.push_back(std::move(part));
  return parts;
}

StatusOr<std::string> parameterNotFinite(Executor &executor, const Plan &plan) {
  std::vector<double> values;
  for (const WantedWeight &part : partsOf(plan, BufferRole::Parameter)) {
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> data, executor.parameter(part.name));
    auto size = static_cast<size_t>(sizeOf(part.dtype));
    // Piece by piece: the whole in float64 would be twice the parameter.
    for (size_t count = data.size() / size, begin = 0; begin < count; begin += values.size()) {
      values.resize(std::min(count - begin, size_t{65536}));
      widenToF64(part.dtype, data.data() + begin * size, values.data(), static_cast<int64_t>(values.size()));
      if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        return part.name;
    }
  }
  return std::string();
}

Status saveParts(Executor &executor, const Plan &plan, BufferRole role, const std::string &path) {
  std::vector<SafetensorsWriter::Tensor> tensors;
  for (const WantedWeight &part : partsOf(plan, role))
    tensors.push_back({part.name, part.dtype, part.shape});
  HEDDLE_ASSIGN_OR_RETURN(SafetensorsWriter writer,
                          SafetensorsWriter::create(path, tensors, {{"format", "pt"}}));
  for (const SafetensorsWriter::Tensor &tensor : tensors) {
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> data, executor.parameter(tensor.name));
    HEDDLE_RETURN_IF_ERROR(writer.append(data));
  }
  return writer.commit();
}

} // namespace heddle::driver
