//===- Compiler.h - The compiler as a library -------------------*- C++ -*-===//
//
// What tools call. No MLIR in this header: a driver file that includes it compiles quickly.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_PIPELINES_COMPILER_H
#define HEDDLE_COMPILER_PIPELINES_COMPILER_H

#include "compiler/Import/ModelRequest.h"
#include "compiler/Support/MatchReport.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "runtime/reference/Program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// What a run does: the outputs; the gradients of the loss, too; an optimizer's step with them; or such a
/// step with gradients added up over several runs.
enum class Mode { Forward, Backward, Step, Accumulate };
constexpr Mode kModes[] = {Mode::Forward, Mode::Backward, Mode::Step, Mode::Accumulate};
/// "forward", "backward", "step" or "accumulate".
constexpr const char *nameOf(Mode mode) {
  switch (mode) {
  case Mode::Forward:
    return "forward";
  case Mode::Backward:
    return "backward";
  case Mode::Step:
    return "step";
  case Mode::Accumulate:
    return "accumulate";
  }
  return "";
}
/// The mode of that name; nothing for any other.
inline std::optional<Mode> parseMode(std::string_view name) {
  for (Mode mode : kModes)
    if (name == nameOf(mode))
      return mode;
  return std::nullopt;
}
/// Every name, in the order of the enum.
inline std::vector<std::string> modeNames() {
  std::vector<std::string> names;
  for (Mode mode : kModes)
    names.emplace_back(nameOf(mode));
  return names;
}

enum class PipelineKind { Compiled, Eager };
/// BF16 is autocast: float32 weights, cast where an op wants bf16. BF16True is a model that is bf16 as a
/// whole.
enum class Precision { F32, TF32, BF16, BF16True };
// Inline: a driver without the compiler reads the flag, too.
/// "fp32", "tf32", "bf16" or "bf16-true".
constexpr const char *nameOf(Precision precision) {
  switch (precision) {
  case Precision::F32:
    return "fp32";
  case Precision::TF32:
    return "tf32";
  case Precision::BF16:
    return "bf16";
  case Precision::BF16True:
    return "bf16-true";
  }
  return "";
}
constexpr Precision kPrecisions[] = {Precision::F32, Precision::TF32, Precision::BF16, Precision::BF16True};
/// The precision of that name; nothing for any other.
inline std::optional<Precision> parsePrecision(std::string_view name) {
  for (Precision precision : kPrecisions)
    if (name == nameOf(precision))
      return precision;
  return std::nullopt;
}
/// Every name, in the order of the enum.
inline std::vector<std::string> precisionNames() {
  std::vector<std::string> names;
  for (Precision precision : kPrecisions)
    names.emplace_back(nameOf(precision));
  return names;
}

struct CompileOptions {
  PipelineKind pipeline = PipelineKind::Compiled;
  Precision precision = Precision::F32;
  /// With BF16: weights are kept in bf16 (and steps that depend on weights alone run once), not cast in every
  /// run. Right where nothing updates them.
  bool prepareWeights = false;
  /// Compiled: alike launches become one (pass batch-launches), with the same bits.
  bool batchLaunches = true;
  std::string mode = nameOf(Mode::Forward);
  std::string device = "cpu"; ///< "cpu" or "cuda".
  std::string target;         ///< Of targetsOf(device); empty: the first of them.
  std::string stopAfter;      ///< A phase's name (phaseNames), or empty.
  std::string dumpDirectory;  ///< Where the IR of every phase and the kernels' text go, or empty.
  std::string reproducer;     ///< File for an MLIR reproducer when a pass fails, or empty.
};

/// A group of ops that became a kernel, a product or the kernels of a skeleton.
struct GroupReport {
  std::string kind; ///< rows, attention, product or row_sums.
  std::string name; ///< As the step's label.
  std::string location;
  std::vector<std::string> ops;
  int64_t bytesBefore = 0;          ///< Bytes moved when each op ran alone.
  int64_t bytesAfter = 0;           ///< Bytes moved by the group.
  std::vector<std::string> reasons; ///< Why neighbours are not in it.
};

/// Wall time of one phase, and of kernel compilation.
struct PhaseTime {
  std::string name;
  double ms = 0;
};

struct CompileReport {
  std::vector<GroupReport> groups;
  MatchReports matches;
  std::string sizes;                 ///< The model's: "12 layers, width 768, …"; empty for a graph.
  std::vector<std::string> warnings; ///< Of the import: "config.json: unknown field x".
  std::vector<PhaseTime> times;
};

struct CompileResult {
  runtime::Plan
      plan; ///< Kernels carry text or objects; cubins are filled by runtime/nvrtc at load or by `compile`.
  CompileReport report;
};

/// What can be compiled for a device, the most capable first: "sm_90a", "sm_80"; "x86-64-v4", "x86-64-v3".
/// Which of them a machine runs, its runtime knows.
inline const std::vector<std::string> &targetsOf(const std::string &device) {
  static const std::vector<std::string> cuda{"sm_90a", "sm_80"}, cpu{"x86-64-v4", "x86-64-v3"};
  return device == "cuda" ? cuda : cpu;
}

/// The phases in order, named after the folders of compiler/.
const std::vector<std::string> &phaseNames();

/// Owns the MLIR context; one compilation at a time. Errors carry file, line and reason.
class Compiler {
public:
  Compiler();
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  runtime::StatusOr<CompileResult> compile(const ModelRequest &request, const CompileOptions &options);
  /// The unraised graph of a mode, differentiated op by op, for the float64 reference.
  runtime::StatusOr<runtime::reference::Program> reference(const ModelRequest &request,
                                                           const std::string &mode = nameOf(Mode::Forward));
  /// The imported graph of a mode as text that `compile` reads back.
  runtime::StatusOr<std::string> importedText(const ModelRequest &request,
                                              const std::string &mode = nameOf(Mode::Forward));

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_PIPELINES_COMPILER_H
