//===- Bench.cpp - heddle bench -------------------------------------------===//
//
// Eager and compiled take turns, step by step, on the same weights and the same input, so that a clock that
// drifts or a neighbour on the machine meets both alike.
//
//===----------------------------------------------------------------------===//
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/BenchReport.h"
#include "tools/heddle/Support/Ceiling.h"
#include "tools/heddle/Support/Execution.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/ProfileReport.h"
#include "tools/heddle/Support/Statistics.h"
#include "tools/heddle/Support/Table.h"
#include "tools/heddle/Support/Tuning.h"
#include "tools/heddle/Support/Weights.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

namespace heddle::driver {

using namespace runtime;

namespace {

constexpr int kProfiledRuns = 3; ///< Where they are not the timed ones.

struct BenchFlags {
  ModelFlags model;
  std::vector<std::string> impls = {"eager", "compiled"};
  int64_t warmup = 5, steps = 10;
  uint64_t seed = 0;
  std::string weights, executor, format;
  bool profile = false;
};

/// One implementation under measurement.
struct Cell {
  Built built;
  std::unique_ptr<Executor> executor;
  std::string executorName;
  std::vector<double> times;
  std::vector<std::vector<StepTime>> profiles; ///< Of runs whose steps were timed.
  BusyRun busy;                                ///< The middle one of them.
  ExecutorStats stats;
};

Status prepare(Device &device, Cell &cell, const BenchFlags &flags, ModelWeights &weights,
               Progress &progress) {
  HEDDLE_ASSIGN_OR_RETURN(ExecutorKind kind, executorFor(cell.built.plan, flags.executor));
  cell.executorName = nameOf(kind);
  HEDDLE_ASSIGN_OR_RETURN(ParameterSource source, weights.source(cell.built.plan, progress));
  progress.show(cell.built.plan.pipeline + ": weights");
  StatusOr<std::unique_ptr<Executor>> executor =
      Executor::create(device, cell.built.plan, {kind, flags.seed, /*poison=*/false}, source);
  progress.clear();
  if (!executor)
    return withPlannedPeak(std::move(executor).status(), cell.built.plan);
  cell.executor = *std::move(executor);
  HEDDLE_ASSIGN_OR_RETURN(Tensors inputs, randomInputs(cell.built.plan, flags.seed));
  return setInputs(*cell.executor, cell.built.plan, inputs);
}

/// Whether timed runs are profiled ones. A CPU runs one step after the other on the host's clock, so that
/// the times of a run and of its steps can be those of the same run, however unsteady the machine; a mark
/// costs a look at the clock. On a GPU a profiled run is another one, without a graph.
bool profilesTimedRuns(const Device &device) { return device.kind() == "cpu"; }

/// One synchronised step; its wall time in milliseconds.
StatusOr<double> timedStep(Cell &cell, bool profiled) {
  std::vector<StepTime> times;
  auto start = std::chrono::steady_clock::now();
  if (profiled) {
    StatusOr<std::vector<StepTime>> run = cell.executor->profile();
    HEDDLE_RETURN_IF_ERROR(withPlannedPeak(run.status(), cell.built.plan));
    times = *std::move(run);
  } else {
    HEDDLE_RETURN_IF_ERROR(withPlannedPeak(cell.executor->run(), cell.built.plan));
  }
  HEDDLE_RETURN_IF_ERROR(cell.executor->synchronize());
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (profiled)
    cell.profiles.push_back(std::move(times));
  return ms;
}

/// Measures cells that are all prepared, in turn.
Status measure(const Device &device, const std::vector<Cell *> &cells, const BenchFlags &flags,
               Progress &progress) {
  for (int64_t step = 0; step < flags.warmup + flags.steps; ++step)
    for (Cell *cell : cells) {
      progress.show("step " + std::to_string(step + 1) + "/" + std::to_string(flags.warmup + flags.steps));
      bool timed = step >= flags.warmup;
      HEDDLE_ASSIGN_OR_RETURN(double ms, timedStep(*cell, timed && profilesTimedRuns(device)));
      if (timed)
        cell->times.push_back(ms);
    }
  progress.clear();
  for (Cell *cell : cells) {
    for (int run = 0; run < kProfiledRuns && !profilesTimedRuns(device); ++run) {
      HEDDLE_ASSIGN_OR_RETURN(std::vector<StepTime> times, cell->executor->profile());
      cell->profiles.push_back(std::move(times));
    }
    cell->busy = middleRun(cell->profiles);
    cell->stats = cell->executor->stats();
  }
  return Status::ok();
}

/// Both implementations side by side; one after the other where memory does not hold both.
Status measureAll(Device &device, std::vector<Cell> &cells, const BenchFlags &flags, ModelWeights &weights,
                  Progress &progress) {
  std::vector<Cell *> together;
  Status status;
  for (Cell &cell : cells) {
    status = prepare(device, cell, flags, weights, progress);
    if (!status)
      break;
    together.push_back(&cell);
  }
  if (status)
    status = measure(device, together, flags, progress);
  if (status || status.code() != StatusCode::OutOfMemory || cells.size() == 1)
    return status;

  std::fprintf(
      stderr,
      "note: memory does not hold all implementations at once; they are measured one after the other\n");
  for (Cell &cell : cells) {
    cell.executor.reset();
    cell.times.clear();
    cell.profiles.clear();
  }
  for (Cell &cell : cells) {
    HEDDLE_RETURN_IF_ERROR(prepare(device, cell, flags, weights, progress));
    HEDDLE_RETURN_IF_ERROR(measure(device, {&cell}, flags, progress));
    cell.executor.reset();
  }
  return Status::ok();
}

std::optional<int64_t> symbol(const Plan &plan, const std::string &name) {
  for (const SymbolValue &value : plan.symbols)
    if (value.name == name)
      return value.value;
  return std::nullopt;
}

/// The type that products find their weights in, as --weights-dtype spells it; that of the parameters where
/// every run casts them, first or as the optimizer updates them.
std::string weightsDtype(const Plan &plan) {
  const Buffer *weight = nullptr;
  for (const Buffer &buffer : plan.buffers)
    if (!weight && buffer.role == BufferRole::Parameter)
      weight = &buffer;
  for (const Step &step : plan.steps)
    if (step.kind == StepKind::Product && step.phase != Phase::Init)
      for (const MatrixRef &operand : {step.product.a, step.product.b}) {
        const Buffer &buffer = plan.buffers[operand.ref.buffer];
        if (buffer.role == BufferRole::Parameter || buffer.role == BufferRole::Constant)
          weight = &buffer;
      }
  return !weight ? "" : weight->dtype == DType::F32 ? "fp32" : std::string(nameOf(weight->dtype));
}

BenchRow rowOf(const Cell &cell, double ceiling) {
  const Plan &plan = cell.built.plan;
  Statistics times = statisticsOf(cell.times);
  size_t colon = plan.model.find(':');
  BenchRow row;
  row.model = plan.model.substr(0, colon);
  row.size = colon == std::string::npos ? "" : plan.model.substr(colon + 1);
  row.device = plan.device;
  row.impl = plan.pipeline;
  row.mode = plan.mode;
  row.precision = plan.precision;
  row.weightsDtype = weightsDtype(plan);
  row.batch = symbol(plan, "batch");
  row.context = symbol(plan, "seq");
  row.meanMs = times.mean;
  row.stdMs = times.deviation;
  row.medianMs = times.median;
  row.busyMs = cell.busy.ms;
  row.kernels = cell.busy.kernels;
  row.peakBytes = cell.stats.peakBytes;
  row.compileMs = cell.built.compileMs;
  if (row.batch && row.context && times.median > 0)
    row.tokensPerSecond = static_cast<double>(*row.batch * *row.context) * 1e3 / times.median;
  if (ceiling > 0 && plan.matrixFlops > 0 && times.median > 0)
    row.flopsShare = plan.matrixFlops * 1e3 / times.median / ceiling;
  return row;
}

/// What stands between the commas of a list. The parser's own lists lose what is empty.
std::vector<std::string> splitAtCommas(const std::string &list) {
  std::vector<std::string> parts = {""};
  for (char character : list)
    if (character == ',')
      parts.emplace_back();
    else
      parts.back() += character;
  return parts;
}

/// What is wrong with a value of --impl; empty: nothing.
std::string wrongImpls(const std::string &list) {
  for (std::string &part : splitAtCommas(list))
    if (part.empty())
      return "'" + list + "': wanted implementations, separated by commas, found an empty one";
    else if (std::string other = CLI::IsMember({"eager", "compiled"})(part); !other.empty())
      return other;
  return "";
}

/// What was measured, and how: two lines, and one for tuned products.
std::string headOf(const std::vector<Cell> &cells, const BenchFlags &flags, const Device &device) {
  const Plan &plan = cells.front().built.plan;
  std::string text = plan.model + ", " + plan.mode + ", " + plan.precision;
  if (std::string weights = weightsDtype(plan); !weights.empty())
    text += ", weights " + weights;
  for (const SymbolValue &value : plan.symbols)
    text += ", " + (value.name == "seq" ? "context" : value.name) + " " + std::to_string(value.value);
  text += " on " + device.name() + " (" + plan.target + ")\n" + countText(flags.steps, "step") + " after " +
          std::to_string(flags.warmup) + " to warm up, each waited for";
  for (const Cell &cell : cells)
    text += (&cell == &cells.front() ? "; " : ", ") + cell.built.plan.pipeline + " run by the " +
            cell.executorName + " executor";
  text += "\n";
  for (const Cell &cell : cells)
    if (cell.built.tuning.products > 0)
      text += "products: " + tuningText(cell.built.tuning) + "\n";
  return text;
}

/// What the table's columns are.
std::string footOf(const Device &device, double ceiling) {
  std::string text = "device busy: the times of a run's steps on the device, added up: the middle one of ";
  text += profilesTimedRuns(device) ? "the timed steps"
                                    : countText(kProfiledRuns, "run") + " apart from the timed steps";
  if (std::string note = device.profileNote(); !note.empty())
    text += " (" + note + ")";
  return text + "\nFLOP/s share: of " + fixed(ceiling / 1e12, 2) +
         " TFLOP/s, which one large product reached here, before or after the steps: shares of different "
         "runs\nare not to be compared, and above 100 % the product was held up\n";
}

Status runBench(const BenchFlags &flags) {
  HEDDLE_ASSIGN_OR_RETURN(ModelWeights weights, ModelWeights::open(flags.model, flags.weights));
  Models models;
  Progress progress;
  // Before the cells: their executors hold memory of the device and must go first.
  std::unique_ptr<Device> device;
  std::vector<Cell> cells;
  if (flags.model.planFile) {
    Cell &cell = cells.emplace_back();
    HEDDLE_ASSIGN_OR_RETURN(cell.built, models.build(flags.model, {}, progress));
  } else {
    for (const std::string &impl : flags.impls) {
      PipelineKind kind = impl == "eager" ? PipelineKind::Eager : PipelineKind::Compiled;
      Cell &cell = cells.emplace_back();
      HEDDLE_ASSIGN_OR_RETURN(cell.built,
                              models.build(flags.model, compileOptions(flags.model, kind), progress));
    }
  }
  HEDDLE_ASSIGN_OR_RETURN(device, openDevice(flags.model, cells.front().built.plan));
  // Before the weights, while the memory for large operands is there.
  progress.show("measuring the device's matrix product");
  HEDDLE_ASSIGN_OR_RETURN(double ceiling, measureCeiling(*device, cells.front().built.plan.precision));
  progress.clear();
  HEDDLE_RETURN_IF_ERROR(measureAll(*device, cells, flags, weights, progress));
  for (Cell &cell : cells)
    cell.executor.reset();
  // Once more, without the weights: a machine that others use, too, may have been slower before.
  progress.show("measuring the device's matrix product");
  HEDDLE_ASSIGN_OR_RETURN(double after, measureCeiling(*device, cells.front().built.plan.precision));
  ceiling = std::max(ceiling, after);
  progress.clear();

  std::vector<BenchRow> rows;
  for (const Cell &cell : cells)
    rows.push_back(rowOf(cell, ceiling));
  if (flags.format == "csv") {
    std::printf("%s", benchCsv(rows).c_str());
  } else if (flags.format == "json") {
    std::printf("%s", benchJson(rows).c_str());
  } else {
    std::printf("%s\n%s\n%s", headOf(cells, flags, *device).c_str(), benchTable(rows).c_str(),
                footOf(*device, ceiling).c_str());
    if (flags.profile)
      for (const Cell &cell : cells)
        std::printf("\n%s\n%s", cell.built.plan.pipeline.c_str(),
                    profileTable(cell.built.plan, cell.busy.steps).c_str());
    if (flags.profile)
      std::printf("\n%s", workLegend().c_str());
  }
  return Status::ok();
}

} // namespace

Subcommand addBench(CLI::App &program) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App *parser = program.add_subcommand("bench", "Measure a model, eager against compiled");
  addModelFlags(*parser, flags->model, DeviceFlag::Plain);
  addTuneFlag(*parser, flags->model, "on");
  CLI::Option *impl = parser->add_option("--impl", flags->impls, "Implementations, separated by commas")
                          ->default_str("eager,compiled")
                          ->check(CLI::Validator(wrongImpls, "{eager,compiled}"));
  parser->add_option("--warmup", flags->warmup, "Steps before those that are timed")
      ->capture_default_str()
      ->check(atLeast(0));
  parser->add_option("--steps", flags->steps, "Timed steps")->capture_default_str()->check(atLeast(1));
  addWeightsFlag(*parser, flags->weights);
  addSeedFlag(*parser, flags->seed, "Seed of inputs, and of weights where they are drawn");
  parser
      ->add_option("--executor", flags->executor,
                   "sequential or graph, for the compiled plan [graph on a GPU]")
      ->check(CLI::IsMember({"sequential", "graph"}));
  CLI::Option *profile =
      parser->add_flag("--profile", flags->profile, "Print where the device's time goes, kernel by kernel");
  addFormatFlag(*parser, flags->format, {"table", "csv", "json"});
  addExample(*parser, "heddle bench study:small --context 512 --device cuda --precision bf16 --format csv");
  parser->final_callback([flags, impl, profile] {
    if (profile->count() > 0 && flags->format != "table")
      throw CLI::ValidationError("--profile", "prints a table and wants --format table");
    if (flags->model.planFile && impl->count() > 0)
      throw CLI::ValidationError("--impl", "has no meaning for a plan file, which is one implementation");
    std::vector<std::string> lists = std::exchange(flags->impls, {});
    for (const std::string &list : lists)
      for (std::string &part : splitAtCommas(list))
        flags->impls.push_back(std::move(part));
    if (std::set<std::string>(flags->impls.begin(), flags->impls.end()).size() != flags->impls.size())
      throw CLI::ValidationError("--impl", "names one implementation twice");
  });
  return {parser, [flags] { return runBench(*flags); }};
}

} // namespace heddle::driver
