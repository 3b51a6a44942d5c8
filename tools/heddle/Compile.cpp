//===- Compile.cpp - heddle compile ---------------------------------------===//
#include "runtime/plan/Artifact.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/CommandFiles.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/ProfileReport.h"
#include "tools/heddle/Support/Table.h"
#include "tools/heddle/Support/Tuning.h"

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>

namespace heddle::driver {

using namespace runtime;

namespace {

struct CompileFlags {
  ModelFlags model;
  std::string pipeline = "compiled";
  std::string output;
  std::string stopAfter, dumpTo, reproducer;
  bool verbose = false;
};

int64_t parameterBytes(const Plan &plan) {
  int64_t bytes = 0;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Parameter)
      bytes += buffer.bytes;
  return bytes;
}

void printSummary(const Built &built) {
  const Plan &plan = built.plan;
  std::printf("%s: %s, %s, %s, for %s\n", plan.model.c_str(), plan.mode.c_str(), plan.precision.c_str(),
              plan.pipeline.c_str(), plan.target.c_str());
  int64_t products = 0;
  for (const Step &step : plan.steps)
    products += step.kind == StepKind::Product;
  std::printf("groups      %zu\n", built.report.groups.size());
  std::printf("steps       %s\n", stepsText(plan).c_str());
  if (plan.device == "cuda" && plan.pipeline == "compiled" && products > 0)
    std::printf("products    %s\n", built.tuning.products > 0 ? tuningText(built.tuning).c_str()
                                                              : "left to the library's guess (--tune off)");
  std::printf("parameters  %s\n", bytesText(parameterBytes(plan)).c_str());
  if (plan.pipeline == "compiled")
    std::printf("arena       %s (of what comes and goes in a run; library workspace %s apart)\n",
                bytesText(plan.arenaBytes).c_str(), bytesText(plan.workspaceBytes).c_str());
}

void printTimes(const Built &built) {
  Table table({{"phase"}, {"ms", Table::Align::Right}});
  for (const PhaseTime &phase : built.report.times)
    table.add({phase.name, fixed(phase.ms, 1)});
  if (built.plan.device == "cuda")
    for (auto [name, ms] : {std::pair{"kernels", built.kernels.ms}, {"products", built.tuning.ms}})
      table.add({name, fixed(ms, 1)});
  table.add({"all", fixed(built.compileMs, 1)});
  std::printf("\n%s", table.text().c_str());
  if (built.plan.device == "cuda")
    std::printf("kernel cache: %d hits, %d compiled, %.1f ms, in %s\n", built.kernels.hits,
                built.kernels.misses, built.kernels.ms,
                built.kernels.folder.empty() ? "no folder" : built.kernels.folder.c_str());
  if (!built.tuning.folder.empty())
    std::printf("product cache: %d hits, %d timed, %.1f ms, in %s\n", built.tuning.hits, built.tuning.timed,
                built.tuning.ms, built.tuning.folder.c_str());
}

Status runCompile(const CompileFlags &flags) {
  heddle::CompileOptions options =
      compileOptions(flags.model, flags.pipeline == "eager" ? PipelineKind::Eager : PipelineKind::Compiled);
  options.stopAfter = flags.stopAfter;
  options.dumpDirectory = flags.dumpTo;
  options.reproducer = flags.reproducer;
  Models models;
  Progress progress;
  HEDDLE_ASSIGN_OR_RETURN(Built built, models.build(flags.model, options, progress));
  if (!flags.stopAfter.empty()) {
    std::printf("stopped after %s; its IR is in %s\n", flags.stopAfter.c_str(), flags.dumpTo.c_str());
    return Status::ok();
  }
  HEDDLE_RETURN_IF_ERROR(writePlanFile(built.plan, flags.output));
  if (flags.model.target.empty() && targetHere(flags.model.device).empty())
    std::fprintf(stderr,
                 "note: --device %s names no target, and this machine runs none: the plan is for %s\n",
                 flags.model.device.c_str(), built.plan.target.c_str());
  printSummary(built);
  if (flags.verbose)
    printTimes(built);
  std::printf("wrote %s\n", flags.output.c_str());
  return Status::ok();
}

} // namespace

Subcommand addCompile(CLI::App &program) {
  auto flags = std::make_shared<CompileFlags>();
  CLI::App *parser = program.add_subcommand("compile", "Compile a model into a plan file");
  addModelFlags(*parser, flags->model, DeviceFlag::WithTarget, {false, "is a plan already"});
  addTuneFlag(*parser, flags->model, "on");
  CLI::Option *output =
      namesFile(parser->add_option("-o,--output", flags->output, "The plan file to write"), FileUse::Write);
  parser->add_option("--impl", flags->pipeline, "compiled, or eager: one step an operation")
      ->capture_default_str()
      ->check(CLI::IsMember({"compiled", "eager"}));
  CLI::Option *dump = namesFile(parser->add_option("--dump-to", flags->dumpTo,
                                                   "Folder for the IR of every phase and the kernels' text"),
                                FileUse::Into);
  CLI::Option *stop =
      parser->add_option("--stop-after", flags->stopAfter, "Stop after this phase and write no plan");
  if (std::vector<std::string> phases = Models::phases(); !phases.empty())
    stop->check(CLI::IsMember(phases));
  stop->needs(dump)->excludes(output);
  namesFile(
      parser->add_option("--reproducer", flags->reproducer, "File for a reproducer of a pass that fails"),
      FileUse::Write);
  parser->add_flag("-v,--verbose", flags->verbose, "Print the time of each phase and the caches' hits");
  addExample(
      *parser,
      "heddle compile study:small --context 512 --device cuda:sm_90a --precision bf16 -o small.heddle");
  // A plan or an early stop: without either the work would be for nothing.
  parser->final_callback([output, stop] {
    if (output->count() == 0 && stop->count() == 0)
      throw CLI::RequiredError("-o");
  });
  return {parser, [flags] { return runCompile(*flags); }};
}

} // namespace heddle::driver
