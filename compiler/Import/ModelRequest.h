//===- ModelRequest.h - Which model, at which extents -----------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_MODELREQUEST_H
#define HEDDLE_COMPILER_IMPORT_MODELREQUEST_H

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// Which model, and the values of its symbolic dimensions, for presets and configurations. A graph file
/// states its own extents: a request that gives others with it is refused, never ignored.
struct ModelRequest {
  /// study:small … study:10B, a folder with a config.json, a path to one (.json) or to a graph (.mlir).
  std::string model;
  std::optional<int64_t> batch = std::nullopt;      ///< kDefaultBatch when absent.
  std::optional<int64_t> context = std::nullopt;    ///< kDefaultContext when absent.
  std::optional<int64_t> layers = std::nullopt;     ///< Cut to the first so many blocks.
  std::optional<int64_t> vocabulary = std::nullopt; ///< Instead of the model's own.

  /// For presets and configurations: the graph ends in `loss`, the mean cross-entropy of the logits and the
  /// input `targets`, instead of in the logits or an encoder's outputs. A graph file says itself what its
  /// loss is.
  bool loss = false;

  /// For presets and configurations: drops elements of the embedding and of what attention and the MLP add to
  /// it with this probability, 0 to 1, by the key of the input `dropout_key` (runtime/base/Dropout.h). A
  /// graph file says itself where it drops what.
  double dropout = 0;

  static constexpr int64_t kDefaultBatch = 4;
  static constexpr int64_t kDefaultContext = 512;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELREQUEST_H
