//===- Flags.cpp - Flags that subcommands share ---------------------------===//
#include "tools/heddle/Support/Flags.h"

#include "runtime/base/CpuFeatures.h"
#include "runtime/device/cuda/Probe.h"
#include "runtime/device/cuda/Target.h"
#include "runtime/plan/Artifact.h"
#include "tools/heddle/Support/CommandFiles.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <charconv>
#include <span>

namespace heddle::driver {
namespace {

/// Flags that describe a model which does not state all of itself, as graphs and plan files do.
constexpr const char *kExtentFlags[] = {"--batch", "--context", "--layers", "--vocab", "--dropout"};
/// Flags that describe a compilation: a plan file has it behind it.
constexpr const char *kCompilationFlags[] = {"--mode", "--precision", "--device", "--weights-dtype"};

/// Throws for the first of these flags that was given.
void refuse(const CLI::App &parser, std::span<const char *const> names, const std::string &why) {
  for (const char *name : names)
    if (const CLI::Option *option = parser.get_option_no_throw(name); option && option->count() > 0)
      throw CLI::ValidationError(name, why);
}

/// By its name, so that one which is missing or damaged is told as a plan; or by what it holds.
bool namesPlan(const std::string &model) { return model.ends_with(".heddle") || runtime::isPlanFile(model); }

template <typename T>
bool wholeNumber(const std::string &text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Splits --device into device and target.
void parseDevice(const std::string &text, DeviceFlag deviceFlag, ModelFlags &flags) {
  size_t colon = text.find(':');
  flags.device = text.substr(0, colon);
  if (flags.device != "cpu" && flags.device != "cuda")
    throw CLI::ValidationError("--device", "'" + text + "' is no device; wanted cpu or cuda");
  flags.target = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (colon == std::string::npos)
    return;
  if (deviceFlag == DeviceFlag::Plain)
    throw CLI::ValidationError(
        "--device", "'" + text + "': this subcommand runs on the devices here; wanted cpu or cuda");
  if (flags.target.empty())
    throw CLI::ValidationError("--device",
                               "'" + text + "': a target must follow the colon, such as cuda:sm_90a");
}

} // namespace

void addModelFlags(CLI::App &parser, ModelFlags &flags, DeviceFlag deviceFlag, PlanFiles planFiles,
                   ModeFlag modeFlag) {
  namesFile(parser.add_option(
                "MODEL", flags.request.model,
                "study:small, study:medium, study:large, study:xl or study:10B; a folder with a config.json, "
                "or its path (*.json); a graph (*.mlir)" +
                    std::string(planFiles.accepted ? "; a plan (a file that compile wrote)" : "")),
            FileUse::Read)
      ->required();
  parser.add_option("--batch", flags.request.batch, "Sequences at once; not for a graph")
      ->default_str(std::to_string(ModelRequest::kDefaultBatch))
      ->check(atLeast(1));
  parser.add_option("--context", flags.request.context, "Tokens in a sequence; not for a graph")
      ->default_str(std::to_string(ModelRequest::kDefaultContext))
      ->check(atLeast(1));
  parser.add_option("--layers", flags.request.layers, "Keep only the first so many blocks; not for a graph")
      ->check(atLeast(1));
  parser
      .add_option("--vocab", flags.request.vocabulary,
                  "Size of the vocabulary instead of the model's; not for a graph")
      ->check(atLeast(1));
  parser
      .add_option("--precision", flags.precision,
                  "fp32, tf32 products, bf16 (as torch.autocast), or bf16-true (as model.to(torch.bfloat16))")
      ->capture_default_str()
      ->check(CLI::IsMember(precisionNames()));
  parser
      .add_option("--dropout", flags.request.dropout,
                  "Drop elements of the embedding and of what attention and MLP add to it with this "
                  "probability, 0 to "
                  "1; not for a graph")
      ->capture_default_str()
      ->check([](const std::string &text) -> std::string {
        double value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        bool whole = error == std::errc() && end == text.data() + text.size();
        return whole && value >= 0 && value <= 1 ? "" : "'" + text + "'; wanted a probability from 0 to 1";
      });
  if (modeFlag == ModeFlag::Any) {
    parser.add_option("--mode", flags.mode, "What a run does")
        ->capture_default_str()
        ->check(CLI::IsMember(modeNames()));
    parser
        .add_option(
            "--weights-dtype", flags.weights,
            "What --precision bf16 keeps the weights of products in, for --mode forward: fp32 casts them in "
            "every run, bf16 once before the first, with the same results; other modes keep "
            "fp32, and a compiled step's update writes bf16 copies beside it [fp32]")
        ->check(CLI::IsMember({"fp32", "bf16"}));
  }
  parser
      .add_option_function<std::string>(
          "--device", [&flags, deviceFlag](const std::string &text) { parseDevice(text, deviceFlag, flags); },
          deviceFlag == DeviceFlag::WithTarget
              ? "cpu or cuda, with a target behind a colon where it is not this machine: cuda:sm_90a"
              : "cpu or cuda")
      ->default_str("cpu");
  parser.parse_complete_callback([&parser, &flags, planFiles] {
    flags.planFile = namesPlan(flags.request.model);
    if (!flags.planFile) {
      std::string only = flags.precision == "bf16" ? "" : flags.precision == "bf16-true" ? "bf16" : "fp32";
      if (!flags.weights.empty() && !only.empty() && flags.weights != only)
        throw CLI::ValidationError("--weights-dtype", flags.weights + " does not go with --precision " +
                                                          flags.precision + ", whose weights are " + only);
      if (flags.weights == "bf16" && flags.precision == "bf16" && flags.mode != nameOf(Mode::Forward))
        throw CLI::ValidationError("--weights-dtype", "bf16: wanted --mode forward, found --mode " +
                                                          flags.mode + ", which needs its weights in fp32");
      if (flags.request.model.ends_with(".mlir"))
        refuse(parser, kExtentFlags, "has no meaning for a graph file, which states its own");
      return;
    }
    if (!planFiles.accepted)
      throw CLI::ValidationError("MODEL",
                                 flags.request.model + ": " + planFiles.why + "; wanted a preset or a graph");
    for (std::span<const char *const> names :
         {std::span<const char *const>(kExtentFlags), {kCompilationFlags}})
      refuse(parser, names, "has no meaning for a plan file, which was compiled for its own value");
  });
}

void addTuneFlag(CLI::App &parser, ModelFlags &flags, const std::string &byDefault) {
  flags.defaultTune = byDefault;
  parser
      .add_option(
          "--tune", flags.tune,
          "Algorithms of a compiled CUDA plan's products: on times those that the cache does not know, "
          "where the plan's GPU is here; cached takes what it knows; off leaves them to the library [" +
              byDefault + "; a plan file keeps its own]")
      ->check(CLI::IsMember({"on", "cached", "off"}));
}

/// Whether this machine runs code of a target; false where it has no such device.
static bool runsHere(const std::string &device, const std::string &target) {
  if (device == "cpu")
    return runtime::cpuRuns(target);
  static const runtime::StatusOr<std::pair<int, int>> capability = runtime::computeCapability();
  std::optional<runtime::CudaTarget> parsed = runtime::parseCudaTarget(target);
  return capability && parsed && runtime::sourceRunsOn(*parsed, capability->first, capability->second);
}

std::string targetHere(const std::string &device) {
  for (const std::string &target : targetsOf(device))
    if (runsHere(device, target))
      return target;
  return "";
}

CompileOptions compileOptions(const ModelFlags &flags, PipelineKind pipeline) {
  CompileOptions options;
  options.pipeline = pipeline;
  options.precision = parsePrecision(flags.precision).value(); // The flag's check lets no other name pass.
  options.prepareWeights = options.precision == Precision::BF16 && flags.weights == "bf16";
  options.mode = flags.mode;
  options.device = flags.device;
  options.target = flags.target.empty() ? targetHere(flags.device) : flags.target;
  return options;
}

void addFormatFlag(CLI::App &parser, std::string &format, const std::vector<std::string> &formats) {
  format = formats.front();
  parser.add_option("--format", format, "How results are printed")
      ->capture_default_str()
      ->check(CLI::IsMember(formats));
}

CLI::Validator atLeast(int64_t least) {
  auto check = [least](const std::string &text) -> std::string {
    int64_t value = 0;
    // The parser's own conversion takes what does not fit as the largest number.
    if (wholeNumber(text, value) && value >= least)
      return "";
    return "'" + text + "'; wanted a whole number from " + std::to_string(least) + " on";
  };
  return CLI::Validator(check, ">=" + std::to_string(least));
}

void addSeedFlag(CLI::App &parser, uint64_t &seed, const std::string &help) {
  parser.add_option("--seed", seed, help)
      ->capture_default_str()
      ->check([](const std::string &text) -> std::string {
        uint64_t value = 0;
        return wholeNumber(text, value) ? "" : "'" + text + "'; wanted a whole number from 0 to 2^64-1";
      });
}

void addExample(CLI::App &parser, const std::string &commandLine) {
  parser.footer("Example:\n  " + commandLine);
}

} // namespace heddle::driver
