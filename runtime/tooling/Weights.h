//===- Weights.h - A model's weight files -----------------------*- C++ -*-===//
//
// A model's parameters come from one safetensors file, or from several with an index that says which tensor
// is where (model.safetensors.index.json, whose "weight_map" maps each tensor's name to a file beside it).
// They are matched to the parameters of a model by name and shape, all of them before any is read.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_TOOLING_WEIGHTS_H
#define HEDDLE_RUNTIME_TOOLING_WEIGHTS_H

#include "runtime/tooling/Safetensors.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// A tensor and the file that holds it, which must outlive this.
struct WeightTensor {
  const SafetensorsFile *file = nullptr;
  const StoredTensor *stored = nullptr;
};

/// Opened weight files: headers are read and checked, data is not.
class WeightFiles {
public:
  /// `path` is a safetensors file; an index (*.json); or a folder, which holds model.safetensors, or else one
  /// *.safetensors.index.json, or else one *.safetensors. InvalidInput names the file and the tensor: a
  /// folder without weights or with several candidates, an index that is no such object, a file of it that is
  /// missing or outside of the index's folder, a tensor that its file does not hold, one that the index does
  /// not name.
  static StatusOr<WeightFiles> open(const std::string &path);

  /// Whether a folder holds something that `open` would take for its weights.
  static bool inFolder(const std::string &folder);

  const std::string &path() const { return path_; }
  const std::map<std::string, WeightTensor> &tensors() const { return tensors_; }

private:
  Status addIndex(const std::string &path);
  Status addFile(const std::string &path);

  std::string path_;
  std::vector<std::unique_ptr<SafetensorsFile>> files_; ///< They keep their addresses.
  std::map<std::string, WeightTensor> tensors_;
};

/// A parameter that a model wants: its name in the state dict, the type of the buffer that it goes to, its
/// shape.
struct WantedWeight {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

/// The number of the layer that a parameter belongs to: the first part of its name, between dots, that is a
/// number of at most nine digits. None where there is no such part.
std::optional<int64_t> layerOf(std::string_view name);

struct MatchOptions {
  /// The model was cut to its first so many layers: tensors of later ones are not wanted.
  std::optional<int64_t> layers = std::nullopt;
};

/// Which stored tensor gives which parameter.
struct WeightMatch {
  std::map<std::string, WeightTensor> byName; ///< One for each wanted name.
  /// Tensors of the files that belong to a head which the model does not compute, to be shown to the user.
  std::vector<std::string> unusedHeads;
};

/// Finds a tensor for each wanted parameter. The rules:
///  - names: a leading "bert.", "model." or "transformer." counts for nothing on either side (files of a bare
///    model lack it, files of a model with a head have it), and a norm's "LayerNorm.gamma" and
///    "LayerNorm.beta" are its weight and bias; but an exact name goes first;
///  - shapes are equal;
///  - types: f32, bf16 and f16 convert into one another, any other type is equal;
///  - a tensor that nothing wants is refused, but for those that a model of these families may store without
///    having them as parameters: masks and position tables (known by name), tensors of a tied head where they
///    have the same bytes as a wanted one, and parameters of heads of which nothing is wanted (in
///    WeightMatch::unusedHeads).
/// InvalidInput lists everything that does not fit in one message, each list cut at kMostListed.
StatusOr<WeightMatch> matchWeights(const WeightFiles &files, const std::vector<WantedWeight> &wanted,
                                   const MatchOptions &options = {});

constexpr size_t kMostListed = 10;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_WEIGHTS_H
