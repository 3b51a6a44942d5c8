//===- ModelRequest.h - Which model, at which extents -----------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_MODELREQUEST_H
#define HEDDLE_COMPILER_IMPORT_MODELREQUEST_H

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// Which model, and the values of its symbolic dimensions. A graph file states its own extents: a request
/// that gives others with it is refused, never ignored.
struct ModelRequest {
  std::string model;                             ///< study:small … study:10B, or a path to a graph (.mlir).
  std::optional<int64_t> batch = std::nullopt;   ///< Presets: kDefaultBatch when absent.
  std::optional<int64_t> context = std::nullopt; ///< Presets: kDefaultContext when absent.
  std::optional<int64_t> layers = std::nullopt;  ///< Presets: cut to the first so many blocks.
  std::optional<int64_t> vocabulary = std::nullopt; ///< Presets.

  static constexpr int64_t kDefaultBatch = 4;
  static constexpr int64_t kDefaultContext = 512;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELREQUEST_H
