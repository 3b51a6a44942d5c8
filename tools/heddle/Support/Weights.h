//===- Weights.h - Where a model's parameters come from ---------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_WEIGHTS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_WEIGHTS_H

#include "runtime/executor/Executor.h"
#include "runtime/reference/Program.h"
#include "runtime/tooling/Weights.h"
#include "tools/heddle/Support/Flags.h"
#include "tools/heddle/Support/Progress.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::driver {

/// Adds --weights.
void addWeightsFlag(CLI::App &parser, std::string &path);

/// The path that weights are read from: --weights; else MODEL, where it is a folder that holds some; else
/// empty: they are drawn from the seed.
std::string weightsPath(const ModelFlags &model, const std::string &flag);

/// The parameters of a model, from files or from the generator.
class ModelWeights {
public:
  /// Opens the files of weightsPath. Where MODEL is a folder without weights, a note on stderr says that they
  /// are drawn. InvalidInput as WeightFiles::open.
  static runtime::StatusOr<ModelWeights> open(const ModelFlags &model, const std::string &flag);

  bool fromFiles() const { return files_.has_value(); }

  /// For an executor of `plan`; null where parameters are drawn. InvalidInput as matchWeights: one message
  /// for all that does not fit, before anything is read, with the extents of the training that the files are
  /// of where it has others. Parameters of heads that the model does not compute are named on stderr, once.
  /// `progress` is shown while parameters are read and must outlive that.
  runtime::StatusOr<runtime::ParameterSource> source(const runtime::Plan &plan, Progress &progress);

  /// For the float64 reference: the stored values, or what the generator draws from `seed`.
  runtime::StatusOr<runtime::reference::ParameterReader> reader(const runtime::reference::Program &program,
                                                                uint64_t seed);

private:
  runtime::StatusOr<runtime::WeightMatch> match(const std::vector<runtime::WantedWeight> &wanted);

  std::optional<runtime::WeightFiles> files_;
  ModelRequest request_;
  bool planFile_ = false; ///< It does not say --layers: the parameters' names do.
  bool noted_ = false;
};

/// The parts of all buffers of a role in the order of their names, each with its buffer's type; not the
/// accumulators among the states.
std::vector<runtime::WantedWeight> partsOf(const runtime::Plan &plan, runtime::BufferRole role);

/// The name of the first parameter, in that order, with an element that is not finite; empty: there is none.
runtime::StatusOr<std::string> parameterNotFinite(runtime::Executor &executor, const runtime::Plan &plan);

/// Writes the parts of all buffers of a role to a safetensors file in the order of their names, each in its
/// buffer's type, with the metadata {"format": "pt"} that PyTorch's readers ask for; whole or not at all.
runtime::Status saveParts(runtime::Executor &executor, const runtime::Plan &plan, runtime::BufferRole role,
                          const std::string &path);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_WEIGHTS_H
