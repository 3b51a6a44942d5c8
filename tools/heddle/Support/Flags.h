//===- Flags.h - Flags that subcommands share -------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_FLAGS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_FLAGS_H

#include "compiler/Pipelines/Compiler.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Validator;
} // namespace CLI

namespace heddle::driver {

/// A subcommand as the main program sees it: its parser, and what runs when it was named.
struct Subcommand {
  CLI::App *parser = nullptr;
  std::function<runtime::Status()> run;
};

/// MODEL, the values of its symbolic dimensions, and how it is compiled.
struct ModelFlags {
  ModelRequest request;
  std::string precision = "fp32";
  std::string weights; ///< --weights-dtype as given: fp32, bf16; empty where it was not.
  std::string mode = nameOf(Mode::Forward);
  std::string device = "cpu"; ///< "cpu" or "cuda", without the architecture.
  std::string target;         ///< The part of --device behind the colon, or empty.
  bool planFile = false;      ///< MODEL is a plan: named *.heddle, or begins as one.
  std::string tune;           ///< --tune as given: on, cached, off; empty where it was not.
  std::string defaultTune;    ///< What the subcommand does then; empty where it has no --tune.
};

/// Whether an architecture may follow the device: --device cuda:sm_90a.
enum class DeviceFlag { Plain, WithTarget };

/// Whether MODEL may be a plan file. Where it may not, `why` ends the error: "study.heddle: <why>".
struct PlanFiles {
  bool accepted = true;
  const char *why = "";
};

/// Whether there are --mode and --weights-dtype; where not, ModelFlags says what the subcommand does.
enum class ModeFlag { Any, Fixed };

/// Adds MODEL, --batch, --context, --layers, --vocab, --precision, --dropout, --mode and --device. Flags that
/// have no meaning for a plan file are refused when MODEL is one.
void addModelFlags(CLI::App &parser, ModelFlags &flags, DeviceFlag deviceFlag, PlanFiles planFiles = {},
                   ModeFlag modeFlag = ModeFlag::Any);

/// Adds --tune; `byDefault` is on, cached or off. See Tuning.h for what they mean.
void addTuneFlag(CLI::App &parser, ModelFlags &flags, const std::string &byDefault);

/// The most capable target of a device that this machine runs, "" where it runs none.
std::string targetHere(const std::string &device);
/// The compiler's options for these flags. Without a target in them it is this machine's, or, where it has no
/// such device, the compiler's default.
CompileOptions compileOptions(const ModelFlags &flags, PipelineKind pipeline);

/// Adds --format, restricted to `formats`; the first is the default.
void addFormatFlag(CLI::App &parser, std::string &format, const std::vector<std::string> &formats);

/// Accepts whole numbers from `least` on.
CLI::Validator atLeast(int64_t least);

/// Adds --seed.
void addSeedFlag(CLI::App &parser, uint64_t &seed, const std::string &help);

/// The footer of a subcommand's help.
void addExample(CLI::App &parser, const std::string &commandLine);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_FLAGS_H
