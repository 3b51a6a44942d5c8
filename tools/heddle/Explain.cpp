//===- Explain.cpp - heddle explain ---------------------------------------===//
#include "runtime/plan/Verify.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/CommandFiles.h"
#include "tools/heddle/Support/KernelDump.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/ProfileReport.h"
#include "tools/heddle/Support/Table.h"

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace heddle::driver {

using namespace runtime;

namespace {

using Json = nlohmann::ordered_json;

struct ExplainFlags {
  ModelFlags model;
  std::string dumpTo, stopAfter, reproducer, format;
};

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : " ") + part;
  return text;
}

const char *nameOf(StepKind kind) {
  switch (kind) {
  case StepKind::Launch:
    return "launch";
  case StepKind::Product:
    return "product";
  case StepKind::Copy:
    return "copy";
  }
  return "";
}

void printGroups(const CompileReport &report) {
  std::printf("groups\n");
  Table table(
      {{"kind"}, {"name"}, {"before", Table::Align::Right}, {"after", Table::Align::Right}, {"from"}});
  int64_t before = 0, after = 0;
  for (const GroupReport &group : report.groups) {
    table.add(
        {group.kind, group.name, bytesText(group.bytesBefore), bytesText(group.bytesAfter), group.location});
    before += group.bytesBefore;
    after += group.bytesAfter;
  }
  table.add({"all", std::to_string(report.groups.size()) + " groups", bytesText(before), bytesText(after)});
  std::printf("%s\n", table.text().c_str());
  for (const GroupReport &group : report.groups) {
    std::printf("%s  %s\n    ops: %s\n", group.kind.c_str(), group.name.c_str(), joined(group.ops).c_str());
    for (const std::string &reason : group.reasons)
      std::printf("    not joined: %s\n", reason.c_str());
  }
}

void printMatches(const CompileReport &report) {
  std::printf("\nraising\n");
  Table table({{"pattern"}, {"found"}, {"at"}, {"reason"}});
  for (const MatchReport &match : report.matches)
    table.add({match.pattern, match.matched ? "yes" : "near miss", match.location, match.reason});
  std::printf("%s", table.empty() ? "no pattern came near a match\n" : table.text().c_str());
}

void printPolicy(const std::string &precision) {
  std::printf("\nprecision %s\n", precision.c_str());
  Table table({{"op"}, {"role"}, {"compute"}, {"accumulate"}, {"result"}});
  for (const PolicyRow &row : Models::policy(precision))
    table.add({row.op, row.role, row.compute, row.accumulate, row.result});
  std::printf("%s", table.text().c_str());
}

/// Elements of the state dict's tensors: one that several buffers hold counts once.
int64_t parameterCount(const Plan &plan) {
  std::set<std::string> seen;
  int64_t count = 0;
  for (const Buffer &buffer : plan.buffers)
    for (const ParameterPart &part : weightsIn(buffer))
      if (seen.insert(part.name).second)
        count += elementsOf(part.shape);
  return count;
}

/// Parameters in the order that products read, and the rows of a panel; see Buffer::panel.
std::pair<int64_t, int64_t> parametersInPanels(const Plan &plan) {
  int64_t count = 0, rows = 0;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.panel > 0) {
      ++count;
      rows = buffer.panel; // All of a plan have the target's.
    }
  return {count, rows};
}

void printMemory(const Plan &plan) {
  static constexpr const char *kRoles[] = {"input",    "output", "parameter", "state",
                                           "constant", "saved",  "scratch"};
  int64_t bytes[std::size(kRoles)] = {}, count[std::size(kRoles)] = {};
  for (const Buffer &buffer : plan.buffers) {
    bytes[static_cast<size_t>(buffer.role)] += buffer.bytes;
    ++count[static_cast<size_t>(buffer.role)];
  }
  Table table({{"role"}, {"buffers", Table::Align::Right}, {"bytes", Table::Align::Right}});
  for (size_t role = 0; role < std::size(kRoles); ++role)
    if (count[role] > 0)
      table.add({kRoles[role], std::to_string(count[role]), bytesText(bytes[role])});
  std::printf("\nmemory\n%sarena %s (scratch buffers share it), library workspace %s\n", table.text().c_str(),
              bytesText(plan.arenaBytes).c_str(), bytesText(plan.workspaceBytes).c_str());
  if (auto [packed, rows] = parametersInPanels(plan); packed > 0)
    std::printf(
        "%lld of the parameter buffers are stored in panels of %lld rows, transposed, as the products read "
        "them\n",
        static_cast<long long>(packed), static_cast<long long>(rows));
  std::printf("the model has %lld parameters\n", static_cast<long long>(parameterCount(plan)));
}

void printSteps(const Plan &plan) {
  std::printf("\nsteps\n");
  Table table({{"", Table::Align::Right}, {"kind"}, {"work"}, {"label"}, {"from"}});
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &step = plan.steps[i];
    table.add({std::to_string(i), nameOf(step.kind), workOf(plan, step), step.label, step.location});
  }
  std::printf("%s", table.text().c_str());
}

/// `fromGraph`: the report and the policy belong to it; a plan file has neither. `stoppedAfter`: the phase
/// behind which there is no plan to show, or nothing.
std::string explainJson(const Built &built, const std::string &precision, bool fromGraph,
                        const std::string &stoppedAfter) {
  Json out = {{"model", built.plan.model}, {"target", built.plan.target}};
  if (!stoppedAfter.empty())
    out["stopped_after"] = stoppedAfter;
  if (fromGraph) {
    out["groups"] = Json::array();
    out["matches"] = Json::array();
    out["policy"] = Json::array();
    for (const GroupReport &group : built.report.groups)
      out["groups"].push_back({{"kind", group.kind},
                               {"name", group.name},
                               {"location", group.location},
                               {"ops", group.ops},
                               {"bytes_before", group.bytesBefore},
                               {"bytes_after", group.bytesAfter},
                               {"reasons", group.reasons}});
    for (const MatchReport &match : built.report.matches)
      out["matches"].push_back({{"pattern", match.pattern},
                                {"matched", match.matched},
                                {"location", match.location},
                                {"reason", match.reason}});
    for (const PolicyRow &row : Models::policy(precision))
      out["policy"].push_back({{"op", row.op},
                               {"role", row.role},
                               {"compute", row.compute},
                               {"accumulate", row.accumulate},
                               {"result", row.result}});
  }
  if (stoppedAfter.empty()) {
    out["steps"] = Json::array();
    for (const Step &step : built.plan.steps)
      out["steps"].push_back({{"kind", nameOf(step.kind)},
                              {"work", workOf(built.plan, step)},
                              {"label", step.label},
                              {"location", step.location}});
    out["parameters"] = parameterCount(built.plan);
    out["parameters_in_panels"] = parametersInPanels(built.plan).first;
    out["arena_bytes"] = built.plan.arenaBytes;
    out["workspace_bytes"] = built.plan.workspaceBytes;
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status runExplain(const ExplainFlags &flags) {
  heddle::CompileOptions options = compileOptions(flags.model, PipelineKind::Compiled);
  options.dumpDirectory = flags.dumpTo;
  options.stopAfter = flags.stopAfter;
  options.reproducer = flags.reproducer;
  bool fromGraph = !flags.model.planFile;
  Models models;
  Progress progress;
  HEDDLE_ASSIGN_OR_RETURN(Built built, models.build(flags.model, options, progress, KernelCode::Text));
  bool stopped = !flags.stopAfter.empty() && flags.stopAfter != Models::phases().back();
  bool cuda = built.plan.device == "cuda" && !stopped, ptx = false;
  if (!flags.dumpTo.empty() && !cuda && !fromGraph)
    return invalidInput("--dump-to: " + flags.model.request.model +
                        " is a plan for the CPU: it holds machine "
                        "code and no text; wanted a plan for CUDA, a preset or a graph");
  if (!flags.dumpTo.empty() && cuda) {
    HEDDLE_ASSIGN_OR_RETURN(ptx, dumpKernels(built.plan, flags.dumpTo, /*texts=*/!fromGraph, progress));
  }
  if (flags.format == "json") {
    std::printf(
        "%s", explainJson(built, flags.model.precision, fromGraph, stopped ? flags.stopAfter : std::string())
                  .c_str());
    return Status::ok();
  }
  if (fromGraph) {
    printGroups(built.report);
    printMatches(built.report);
    printPolicy(flags.model.precision);
  } else {
    std::printf("%s: %s, %s, %s, for %s; a plan file holds no graph: no groups, raising or policy to show\n",
                built.plan.model.c_str(), built.plan.mode.c_str(), built.plan.precision.c_str(),
                built.plan.pipeline.c_str(), built.plan.target.c_str());
  }
  if (!stopped) {
    printMemory(built.plan);
    printSteps(built.plan);
  }
  if (!flags.dumpTo.empty())
    std::printf("\nin %s:%s%s%s\n", flags.dumpTo.c_str(), fromGraph ? " the IR of every phase" : "",
                fromGraph && cuda ? ";" : "",
                !cuda ? ""
                : ptx ? " each kernel's CUDA C++, PTX and, in bench, a program that times it"
                      : " each kernel's CUDA C++ and, in bench, a program that times it");
  return Status::ok();
}

} // namespace

Subcommand addExplain(CLI::App &program) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App *parser =
      program.add_subcommand("explain", "Show what was fused and why, and the plan's memory and steps");
  addModelFlags(*parser, flags->model, DeviceFlag::WithTarget);
  namesFile(parser->add_option(
                "--dump-to", flags->dumpTo,
                "Folder for the IR of every phase; and of each CUDA kernel the text, PTX and a bench"),
            FileUse::Into);
  CLI::Option *stop = parser->add_option("--stop-after", flags->stopAfter, "Stop after this phase");
  if (std::vector<std::string> phases = Models::phases(); !phases.empty())
    stop->check(CLI::IsMember(phases));
  CLI::Option *reproducer = namesFile(
      parser->add_option("--reproducer", flags->reproducer, "File for a reproducer of a pass that fails"),
      FileUse::Write);
  addFormatFlag(*parser, flags->format, {"table", "json"});
  addExample(*parser, "heddle explain study:small --device cuda:sm_90a --dump-to small");
  parser->final_callback([flags, stop, reproducer] {
    for (const CLI::Option *option : {stop, reproducer})
      if (flags->model.planFile && option->count() > 0)
        throw CLI::ValidationError(option->get_name(), "has no meaning for a plan file: no phase runs");
  });
  return {parser, [flags] { return runExplain(*flags); }};
}

} // namespace heddle::driver
