//===- Explain.cpp - heddle explain ---------------------------------------===//
#include "runtime/plan/MemoryReport.h"
#include "runtime/plan/Verify.h"
#include "runtime/tooling/HostTensor.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/CommandFiles.h"
#include "tools/heddle/Support/KernelDump.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/ProfileReport.h"
#include "tools/heddle/Support/Repeats.h"
#include "tools/heddle/Support/Table.h"

#include <CLI/App.hpp>
#include <array>
#include <cstdio>
#include <functional>
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
  bool all = false;         ///< Rows of layers that repeat others, and of ops that the model lacks.
  bool wholePolicy = false; ///< --precision was named.
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

const char *nameOf(Phase phase) {
  switch (phase) {
  case Phase::Init:
    return "init";
  case Phase::Forward:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Optimizer:
    return "optimizer";
  }
  return "";
}

/// Rows as a table shows them, and what they are compared by where layers repeat each other.
struct Rows {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::string> keys;
  std::vector<Repeat> repeats; ///< None where every row is wanted.

  void add(std::vector<std::string> row, const std::string &more = {}) {
    keys.push_back(joined(row) + more);
    cells.push_back(std::move(row));
  }
  void findRepeats(bool all) {
    if (!all)
      repeats = repeatsOf(keys);
  }
  /// Calls `row` with each row that is shown, and `repeat` where others are left out.
  void each(const std::function<void(size_t)> &row, const std::function<void(const Repeat &)> &repeat) const {
    auto next = repeats.begin();
    for (size_t i = 0; i < cells.size(); ++i) {
      row(i);
      if (next != repeats.end() && i + 1 == next->next()) {
        repeat(*next);
        i = next->end() - 1;
        ++next;
      }
    }
  }
  /// Adds what is shown to the table; `text` is the column that says what is left out, `place` that of the
  /// rows' places in the model.
  void addTo(Table &table, size_t text, size_t place) const {
    each([&](size_t i) { table.add(cells[i]); },
         [&](const Repeat &repeat) {
           size_t last = repeat.end() - 1; // Of those that have a layer.
           while (cells[last][place].find("blocks.") == std::string::npos && last > repeat.next())
             --last;
           std::vector<std::string> row(place + 1);
           row[0] = "...";
           row[text] = "as the " + (repeat.length == 1 ? "row" : std::to_string(repeat.length) + " rows") +
                       " above, " + std::to_string(repeat.times) + " more";
           row[place] = "to " + cells[last][place];
           table.add(std::move(row));
         });
  }
};

void printGroups(const CompileReport &report, bool all) {
  std::printf(
      "\ngroups: ops that run as one kernel or one product\n"
      "before, after: bytes that are read and written where each op runs alone, and by the group\n"
      "rows: a kernel that takes rows of the last dimension one by one; row_sums: one that adds up rows "
      "by index\n"
      "...: rows like those above but for the layer, which --all prints\n");
  Table table(
      {{"kind"}, {"name"}, {"before", Table::Align::Right}, {"after", Table::Align::Right}, {"from"}});
  int64_t before = 0, after = 0;
  Rows rows;
  for (const GroupReport &group : report.groups) {
    rows.add(
        {group.kind, group.name, bytesText(group.bytesBefore), bytesText(group.bytesAfter), group.location},
        joined(group.ops) + joined(group.reasons));
    before += group.bytesBefore;
    after += group.bytesAfter;
  }
  rows.findRepeats(all);
  rows.addTo(table, 1, 4);
  table.add({"all", countText(static_cast<int64_t>(report.groups.size()), "group"), bytesText(before),
             bytesText(after)});
  std::printf("%s\n", table.text().c_str());
  rows.each(
      [&](size_t i) {
        const GroupReport &group = report.groups[i];
        std::printf("%s  %s\n    ops: %s\n", group.kind.c_str(), group.name.c_str(),
                    joined(group.ops).c_str());
        for (const std::string &reason : group.reasons)
          std::printf("    not joined: %s\n", reason.c_str());
      },
      [&](const Repeat &repeat) {
        std::printf("...  as the %s above, %zu more\n",
                    countText(static_cast<int64_t>(repeat.length), "group").c_str(), repeat.times);
      });
}

void printMatches(const CompileReport &report, bool all) {
  std::printf("\npatterns: ops that were written out and became one op, products and launches that became "
              "one\n");
  Table table({{"pattern"}, {"found"}, {"at"}, {"reason"}});
  Rows rows;
  for (const MatchReport &match : report.matches)
    rows.add({match.pattern, match.matched ? "yes" : "near miss", match.location, match.reason});
  rows.findRepeats(all);
  rows.addTo(table, 1, 2);
  std::printf("%s", table.empty() ? "no pattern came near a match\n" : table.text().c_str());
}

/// Which operations compute in which types: of the groups' ops, or of all that there are.
void printPolicy(const std::string &precision, const CompileReport &report, bool all) {
  std::set<std::string> ops;
  for (const GroupReport &group : report.groups)
    ops.insert(group.ops.begin(), group.ops.end());
  std::printf("\nprecision %s: the types in which %s compute, add up and give their results%s\n",
              precision.c_str(), all ? "ops" : "the model's ops", all ? "" : " (all ops: name --precision)");
  std::vector<PolicyRow> rows;
  bool roles = false;
  for (const PolicyRow &row : Models::policy(precision))
    if (all || ops.contains(row.op)) {
      rows.push_back(row);
      roles |= !row.role.empty();
    }
  std::vector<Table::Column> columns = {{"op"}, {"compute"}, {"accumulate"}, {"result"}};
  if (roles)
    columns.insert(columns.begin() + 1, {"used as"});
  Table table(columns);
  for (const PolicyRow &row : rows) {
    std::vector<std::string> cells = {row.op, row.compute, row.accumulate, row.result};
    if (roles)
      cells.insert(cells.begin() + 1, row.role);
    table.add(std::move(cells));
  }
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

/// Rows that add up to the peak, and what the arena, which is one of them, is made of.
void printMemory(const Plan &plan) {
  static constexpr const char *kRoles[] = {"input",    "output", "parameter", "state",
                                           "constant", "saved",  "scratch"};
  struct Sum {
    int64_t buffers = 0, bytes = 0;
    void add(const Buffer &buffer) {
      ++buffers;
      bytes += buffer.bytes;
    }
  };
  std::array<Sum, std::size(kRoles)> fixed, placed;
  Sum arena, brief;
  for (const Buffer &buffer : plan.buffers) {
    if (buffer.offset != Buffer::kUnplaced) {
      placed[static_cast<size_t>(buffer.role)].add(buffer);
      arena.add(buffer);
    } else if (livesThroughout(buffer)) {
      fixed[static_cast<size_t>(buffer.role)].add(buffer);
    } else {
      brief.add(buffer);
    }
  }
  MemoryReport report = memoryReport(plan);
  Table table({{"use"}, {"buffers", Table::Align::Right}, {"bytes", Table::Align::Right}});
  for (size_t role = 0; role < std::size(kRoles); ++role)
    if (fixed[role].buffers > 0)
      table.add({kRoles[role], std::to_string(fixed[role].buffers), bytesText(fixed[role].bytes)});
  if (arena.buffers > 0)
    table.add({"arena", std::to_string(arena.buffers), bytesText(report.arenaBytes)});
  if (brief.buffers > 0)
    table.add({"others at once", std::to_string(brief.buffers), bytesText(report.unplacedPeak)});
  table.add({"peak", std::to_string(plan.buffers.size()), bytesText(report.peakBytes)});
  std::printf("\nmemory\n%s", table.text().c_str());
  if (arena.buffers > 0) {
    std::string parts;
    for (size_t role = 0; role < std::size(kRoles); ++role)
      if (placed[role].buffers > 0)
        parts += (parts.empty() ? "" : ", ") + std::string(kRoles[role]) + " " +
                 std::to_string(placed[role].buffers) + " (" + bytesText(placed[role].bytes) + ")";
    std::printf("arena: one block of memory that buffers share as they come and go: %s\n", parts.c_str());
  }
  if (brief.buffers > 0)
    std::printf("others at once: the most that is held at once of buffers that come and go one by one, %s\n",
                bytesText(brief.bytes).c_str());
  std::printf("the product library's workspace, apart: %s\n", bytesText(plan.workspaceBytes).c_str());
  if (auto [packed, rows] = parametersInPanels(plan); packed > 0)
    std::printf("%s of parameters stored in the order in which products read them: transposed, %lld rows at "
                "a time\n",
                countText(packed, "buffer").c_str(), static_cast<long long>(rows));
}

/// What goes in and out, and how much there is of everything.
void printSummary(const Built &built) {
  const Plan &plan = built.plan;
  std::printf("%s: %s, %s, %s for %s\n", plan.model.c_str(), plan.mode.c_str(), plan.precision.c_str(),
              plan.pipeline.c_str(), plan.target.c_str());
  Table table({{""}, {""}});
  if (!built.report.sizes.empty())
    table.add({"sizes", built.report.sizes});
  int64_t parameters = parameterCount(plan);
  table.add(
      {"parameters",
       digitsText(parameters) +
           (parameters < 100'000 ? "" : " (" + fixed(static_cast<double>(parameters) / 1e6, 1) + " M)")});
  int64_t gradients = 0;
  for (BufferRole role : {BufferRole::Input, BufferRole::Output})
    for (const Buffer &buffer : plan.buffers) {
      if (buffer.role != role)
        continue;
      if (!buffer.parts.empty()) {
        gradients += static_cast<int64_t>(buffer.parts.size());
        continue;
      }
      std::string text = buffer.name + "  " + describe(buffer.dtype, buffer.shape);
      if (buffer.indexLimit > 0)
        text += ", values 0 to " + std::to_string(buffer.indexLimit - 1);
      if (buffer.ignoredIndex)
        text += ", or " + std::to_string(*buffer.ignoredIndex) + " to count for nothing";
      table.add({role == BufferRole::Input ? "input" : "output", text});
    }
  if (gradients > 0)
    table.add({"output", countText(gradients, "gradient") + " of parameters"});
  table.add({"steps", stepsText(plan)});
  table.add({"memory", bytesText(memoryReport(plan).peakBytes) + " at its peak, the library's workspace (" +
                           bytesText(plan.workspaceBytes) + ") apart"});
  std::string text = table.text();
  std::printf("%s", text.substr(text.find('\n') + 1).c_str()); // Without the empty titles.
}

void printSteps(const Plan &plan, bool all) {
  std::printf("\nsteps\nphase: steps of init run once, before the first run, and again where parameters were "
              "set; all others in every run\n%s",
              workLegend().c_str());
  Table table({{"", Table::Align::Right}, {"phase"}, {"kind"}, {"work"}, {"label"}, {"from"}});
  Rows rows;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step &step = plan.steps[i];
    std::vector<std::string> row = {nameOf(step.phase), nameOf(step.kind), workOf(plan, step), step.label,
                                    step.location};
    rows.keys.push_back(joined(row)); // The number is no part of what is compared.
    row.insert(row.begin(), std::to_string(i));
    rows.cells.push_back(std::move(row));
  }
  rows.findRepeats(all);
  rows.addTo(table, 3, 5);
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
      out["steps"].push_back({{"phase", nameOf(step.phase)},
                              {"kind", nameOf(step.kind)},
                              {"work", workOf(built.plan, step)},
                              {"label", step.label},
                              {"location", step.location}});
    for (auto [key, role] : {std::pair{"inputs", BufferRole::Input}, {"outputs", BufferRole::Output}}) {
      out[key] = Json::array();
      for (const Buffer &buffer : built.plan.buffers)
        if (buffer.role == role)
          out[key].push_back({{"name", buffer.name},
                              {"dtype", runtime::nameOf(buffer.dtype)},
                              {"shape", buffer.shape},
                              {"index_limit", buffer.indexLimit}});
    }
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
  if (!stopped)
    printSummary(built);
  if (fromGraph) {
    printGroups(built.report, flags.all);
    printMatches(built.report, flags.all);
    printPolicy(flags.model.precision, built.report, flags.all || flags.wholePolicy);
  } else {
    std::printf("a plan file holds no graph: no groups, patterns or precisions to show\n");
  }
  if (!stopped) {
    printMemory(built.plan);
    printSteps(built.plan, flags.all);
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
  parser->add_flag("--all", flags->all,
                   "Print every row: of layers that are like the one before, and the precision's rules for "
                   "ops that the model lacks, which a named --precision prints, too");
  addFormatFlag(*parser, flags->format, {"table", "json"});
  addExample(*parser, "heddle explain study:small --device cuda:sm_90a --dump-to small");
  parser->final_callback([flags, stop, reproducer, parser] {
    flags->wholePolicy = parser->get_option("--precision")->count() > 0;
    for (const CLI::Option *option : {stop, reproducer})
      if (flags->model.planFile && option->count() > 0)
        throw CLI::ValidationError(option->get_name(), "has no meaning for a plan file: no phase runs");
  });
  return {parser, [flags] { return runExplain(*flags); }};
}

} // namespace heddle::driver
