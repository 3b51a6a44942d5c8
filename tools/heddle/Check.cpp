//===- Check.cpp - heddle check -------------------------------------------===//
//
// Compiled and eager execution against the float64 reference, for every output. The weights of the reference
// are drawn on the host by the generator itself, or read and widened there, so that a device that draws,
// converts or keeps them wrongly is found too.
//
//===----------------------------------------------------------------------===//
#include "runtime/tooling/Compare.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/Execution.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/Table.h"
#include "tools/heddle/Support/Weights.h"

#include "runtime/base/Convert.h"
#include "runtime/plan/Accumulators.h"
#include "runtime/plan/Verify.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace heddle::driver {

using namespace runtime;

namespace {

struct CheckFlags {
  ModelFlags model;
  uint64_t seed = 0;
  std::string weights, executor, format;
};

struct OutputCheck {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  Difference eager, compiled;
  ErrorScale scale;
  double bound() const { return errorBound(dtype, eager, scale); }
  bool ok() const { return passes(dtype, eager, compiled, scale); }
};

/// The results of one pipeline that the reference has, too. The executor is gone afterwards: the two never
/// hold memory at once.
StatusOr<Tensors> outputsOf(const Plan &plan, const reference::Program &program, const Tensors &inputs,
                            const CheckFlags &flags, ModelWeights &weights, Progress &progress) {
  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, openDevice(flags.model, plan));
  HEDDLE_ASSIGN_OR_RETURN(ExecutorKind kind, executorFor(plan, flags.executor));
  HEDDLE_ASSIGN_OR_RETURN(ParameterSource source, weights.source(plan, progress));
  // Scratch memory begins as NaN: a step that reads what nobody wrote shows in the outputs.
  StatusOr<std::unique_ptr<Executor>> executor =
      Executor::create(*device, plan, {kind, flags.seed, /*poison=*/true}, source);
  progress.show(plan.pipeline);
  if (!executor)
    return withPlannedPeak(std::move(executor).status(), plan).with(plan.pipeline);
  HEDDLE_RETURN_IF_ERROR(setInputs(**executor, plan, inputs));
  HEDDLE_RETURN_IF_ERROR(withPlannedPeak((*executor)->run(), plan).with(plan.pipeline));
  HEDDLE_RETURN_IF_ERROR((*executor)->synchronize().with(plan.pipeline));
  HEDDLE_ASSIGN_OR_RETURN(Tensors outputs, readOutputs(**executor, plan));
  // What a run leaves for the next one is a result, too: weights, moments, an optimizer's scalars.
  bool leaves = std::any_of(program.outputs.begin(), program.outputs.end(),
                            [&](const auto &output) { return !outputs.contains(output.first); });
  if (leaves) {
    HEDDLE_ASSIGN_OR_RETURN(Tensors state, readState(**executor, plan));
    outputs.merge(state);
  }
  return outputs;
}

StatusOr<std::map<std::string, reference::Tensor>>
referenceOutputs(const reference::Program &program, const Tensors &inputs,
                 const reference::ParameterReader &reader) {
  std::map<std::string, reference::Tensor> wide;
  for (const auto &[name, tensor] : inputs) {
    reference::Tensor &values = wide[name];
    values.resize(tensor.data.size() / sizeOf(tensor.dtype));
    widenToF64(tensor.dtype, tensor.data.data(), values.data(), static_cast<int64_t>(values.size()));
  }
  return reference::execute(program, wide, reader);
}

/// Terms of the plan's longest product.
int64_t longestProduct(const Plan &plan) {
  int64_t longest = 0;
  for (const Step &step : plan.steps)
    if (step.kind == StepKind::Product)
      longest = std::max(longest, step.product.k);
  return longest;
}

/// By output, the coarsest rounding on the way to it: of products' operands by the precision, or to a type
/// that a value has in the graph itself. What an output does not depend on gives it no more room.
std::map<std::string, double> roundoffsOf(const std::string &precision, const reference::Program &program) {
  constexpr double kTf32 = 0x1p-11; // Ten bits are stored.
  std::vector<double> roundoffs(
      program.values.size(),
      precision == "tf32" ? kTf32 : unitRoundoff(precision == "fp32" ? DType::F32 : DType::BF16));
  for (const reference::Operation &operation : program.operations) {
    double coarsest = 0;
    for (int32_t operand : operation.operands)
      coarsest = std::max(coarsest, roundoffs[operand]);
    for (int32_t result : operation.results)
      roundoffs[result] = std::max({roundoffs[result], coarsest, unitRoundoff(program.values[result].dtype)});
  }
  std::map<std::string, double> outputs;
  for (const auto &[name, value] : program.outputs)
    outputs[name] = roundoffs[value];
  return outputs;
}

/// What AdamW's moments are called in front of the weight's name (compiler/Autodiff/AdamW.h). The first are
/// shares of gradients, the second of their squares.
const std::string kFirstMoment = "exp_avg.", kSecondMoment = "exp_avg_sq.";

/// The names of results that are gradients of parameters, of the sums of gradients, and of what a step kept
/// of one. Sizes compare within each.
std::array<std::set<std::string>, 3> gradientsOf(const Plan &plan) {
  std::array<std::set<std::string>, 3> names;
  for (const Buffer &buffer : plan.buffers)
    for (const ParameterPart &part : buffer.parts)
      if (buffer.role == BufferRole::Output)
        names[0].insert(part.name);
      else if (buffer.role == BufferRole::State && part.name.starts_with(kGradientSum))
        names[1].insert(part.name);
      else if (buffer.role == BufferRole::State && part.name.starts_with(kFirstMoment))
        names[2].insert(part.name);
  return names;
}

/// What a step moved each weight by: sets the scale of weights from what they were and the reference's
/// result, and that of second moments.
Status scaleWeights(const reference::Program &program, const reference::ParameterReader &reader,
                    const std::map<std::string, reference::Tensor> &results,
                    std::vector<OutputCheck> &checks) {
  std::map<std::string, OutputCheck *> byName;
  for (OutputCheck &check : checks)
    byName[check.name] = &check;
  std::vector<OutputCheck *> weights;
  double change = 0, squaresNorm = 0;
  for (const OutputCheck &check : checks)
    if (check.name.starts_with(kSecondMoment))
      squaresNorm = std::max(squaresNorm, check.eager.referenceNorm);
  for (const auto &[parts, value] : program.parameters)
    for (const ParameterPart &part : parts) {
      auto check = byName.find(part.name);
      if (check == byName.end())
        continue; // Nothing trains it.
      HEDDLE_ASSIGN_OR_RETURN(reference::Tensor before, reader(part));
      const reference::Tensor &after = results.at(part.name);
      double squares = 0;
      for (size_t i = 0; i < after.size(); ++i)
        squares += (after[i] - before[i]) * (after[i] - before[i]);
      change = std::max(change, std::sqrt(squares / static_cast<double>(after.size())));
      weights.push_back(check->second);
    }
  for (OutputCheck *weight : weights) {
    auto first = byName.find(kFirstMoment + weight->name), second = byName.find(kSecondMoment + weight->name);
    if (first == byName.end() || second == byName.end())
      return internalError("the step does not give both moments of '" + weight->name + "'");
    const Difference &gradient = first->second->eager;
    bool zero = isZeroGradient(gradient.referenceNorm, first->second->scale.gradients);
    weight->scale.moved = movedScale(change, elementsOf(weight->shape), gradient.relative(), zero);
    ErrorScale &squares = second->second->scale;
    if (zero)
      squares.moved = squaresScale(std::max(squares.roundoff, unitRoundoff(DType::F32)), squaresNorm);
  }
  return Status::ok();
}

StatusOr<std::vector<OutputCheck>> checkOutputs(const std::map<std::string, reference::Tensor> &reference,
                                                const Tensors &eager, const Tensors &compiled,
                                                const Plan &plan,
                                                const std::map<std::string, double> &roundoffs) {
  std::vector<OutputCheck> checks;
  const int64_t product = longestProduct(plan);
  for (const auto &[name, wanted] : reference) {
    auto eagerOutput = eager.find(name), compiledOutput = compiled.find(name);
    if (eagerOutput == eager.end() || compiledOutput == compiled.end())
      return internalError("output '" + name + "' of the graph is missing in the " +
                           (eagerOutput == eager.end() ? "eager" : "compiled") + " plan");
    OutputCheck check{name, compiledOutput->second.dtype,           compiledOutput->second.shape, {},
                      {},   ErrorScale{product, roundoffs.at(name)}};
    if (eagerOutput->second.dtype != check.dtype)
      return internalError("output '" + name +
                           "' has another type in the eager plan than in the compiled one");
    HEDDLE_ASSIGN_OR_RETURN(check.eager, compare(check.dtype, eagerOutput->second.data, wanted));
    HEDDLE_ASSIGN_OR_RETURN(check.compiled, compare(check.dtype, compiledOutput->second.data, wanted));
    checks.push_back(std::move(check));
  }
  for (const std::set<std::string> &gradients : gradientsOf(plan)) {
    double largest = 0;
    for (const OutputCheck &check : checks)
      if (gradients.contains(check.name))
        largest = std::max(largest, check.eager.referenceNorm);
    for (OutputCheck &check : checks)
      if (gradients.contains(check.name))
        check.scale.gradients = largest;
  }
  if (checks.empty())
    return invalidInput("no outputs: there is nothing to check");
  return checks;
}

std::string scientific(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.2e", value);
  return buffer;
}

/// Agreement on NaN and infinity alone is no failure of the compiler, and says nothing for it.
bool nothingCompared(const OutputCheck &check) { return check.compiled.compared == 0; }

const char *verdict(const OutputCheck &check) {
  return !check.ok() ? "FAILED" : nothingCompared(check) ? "nothing compared" : "ok";
}

/// The lines below say what the columns are; those of elements that are not finite are there where some are.
std::string checkTable(const std::vector<OutputCheck> &checks) {
  constexpr Table::Align right = Table::Align::Right;
  int64_t misplaced = 0, bothNaN = 0;
  for (const OutputCheck &check : checks) {
    misplaced += check.compiled.misplaced;
    bothNaN += check.compiled.bothNaN;
  }
  std::vector<Table::Column> columns = {{"output"},
                                        {"type"},
                                        {"eager", right},
                                        {"compiled", right},
                                        {"bound", right},
                                        {"eager max", right},
                                        {"compiled max", right}};
  if (misplaced > 0)
    columns.push_back({"not finite", right});
  if (bothNaN > 0)
    columns.push_back({"NaN in both", right});
  columns.push_back({"verdict"});
  Table table(columns);
  for (const OutputCheck &check : checks) {
    std::vector<std::string> row = {check.name,
                                    describe(check.dtype, check.shape),
                                    scientific(check.eager.relative()),
                                    scientific(check.compiled.relative()),
                                    scientific(check.bound()),
                                    scientific(check.eager.maxAbs),
                                    scientific(check.compiled.maxAbs)};
    if (misplaced > 0)
      row.push_back(std::to_string(check.compiled.misplaced));
    if (bothNaN > 0)
      row.push_back(std::to_string(check.compiled.bothNaN));
    row.push_back(verdict(check));
    table.add(std::move(row));
  }
  std::string text =
      table.text() +
      "\neager, compiled: |result - float64| over |float64|, in Euclidean norms; max: the largest absolute "
      "error\nbound: what compiled may have: 1.5 times eager's error, 3 times where few elements carry the "
      "norm; or "
      "what roundings alone\n"
      "can do: of the result, of a product's sums, of a gradient that is 0 by algebra, of a weight whose "
      "gradient's sign is unsure\n";
  if (misplaced > 0)
    text +=
        "not finite: compiled elements that are infinite or NaN where float64's are not, or the reverse\n";
  return text;
}

std::string checkJson(const Plan &plan, const std::vector<OutputCheck> &checks, bool ok) {
  nlohmann::ordered_json out = {{"model", plan.model},
                                {"device", plan.device},
                                {"mode", plan.mode},
                                {"precision", plan.precision},
                                {"ok", ok},
                                {"outputs", nlohmann::json::array()}};
  for (const OutputCheck &check : checks)
    out["outputs"].push_back({{"name", check.name},
                              {"dtype", nameOf(check.dtype)},
                              {"shape", check.shape},
                              {"reference_norm", check.compiled.referenceNorm},
                              {"eager_error", check.eager.relative()},
                              {"compiled_error", check.compiled.relative()},
                              {"bound", check.bound()},
                              {"eager_max_abs", check.eager.maxAbs},
                              {"compiled_max_abs", check.compiled.maxAbs},
                              {"misplaced", check.compiled.misplaced},
                              {"nan", check.compiled.bothNaN},
                              {"compared", check.compiled.compared},
                              {"ok", check.ok()}});
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Status runCheck(const CheckFlags &flags) {
  HEDDLE_ASSIGN_OR_RETURN(ModelWeights weights, ModelWeights::open(flags.model, flags.weights));
  Models models;
  Progress progress;
  HEDDLE_ASSIGN_OR_RETURN(
      Built eager, models.build(flags.model, compileOptions(flags.model, PipelineKind::Eager), progress));
  HEDDLE_ASSIGN_OR_RETURN(
      Built compiled,
      models.build(flags.model, compileOptions(flags.model, PipelineKind::Compiled), progress));
  HEDDLE_ASSIGN_OR_RETURN(reference::Program program, models.reference(flags.model));
  HEDDLE_ASSIGN_OR_RETURN(Tensors inputs, randomInputs(compiled.plan, flags.seed));

  HEDDLE_ASSIGN_OR_RETURN(Tensors eagerOutputs,
                          outputsOf(eager.plan, program, inputs, flags, weights, progress));
  HEDDLE_ASSIGN_OR_RETURN(Tensors compiledOutputs,
                          outputsOf(compiled.plan, program, inputs, flags, weights, progress));
  progress.show("float64 reference");
  HEDDLE_ASSIGN_OR_RETURN(reference::ParameterReader reader, weights.reader(program, flags.seed));
  auto reference = referenceOutputs(program, inputs, reader);
  progress.clear();
  if (!reference)
    return std::move(reference).status().with("the float64 reference");
  HEDDLE_ASSIGN_OR_RETURN(std::vector<OutputCheck> checks,
                          checkOutputs(*reference, eagerOutputs, compiledOutputs, compiled.plan,
                                       roundoffsOf(compiled.plan.precision, program)));

  if (Mode mode = parseMode(compiled.plan.mode).value(); mode == Mode::Step || mode == Mode::Accumulate)
    HEDDLE_RETURN_IF_ERROR(scaleWeights(program, reader, *reference, checks));
  int failed = 0;
  for (const OutputCheck &check : checks)
    failed += !check.ok();
  if (flags.format == "json")
    std::printf("%s", checkJson(compiled.plan, checks, failed == 0).c_str());
  else
    std::printf("%s", checkTable(checks).c_str());
  for (const OutputCheck &check : checks)
    if (check.ok() && nothingCompared(check))
      std::fprintf(
          stderr,
          "warning: output '%s' has no finite value, in float64 either: that it agrees says nothing\n",
          check.name.c_str());
  if (failed)
    return invalidInput(std::to_string(failed) + " of " + std::to_string(checks.size()) +
                        " outputs are beyond the bound on their error against float64");
  return Status::ok();
}

} // namespace

Subcommand addCheck(CLI::App &program) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App *parser = program.add_subcommand("check", "Compare compiled and eager execution with float64");
  addModelFlags(*parser, flags->model, DeviceFlag::Plain,
                {false, "a plan file has no graph to compare with"});
  addTuneFlag(*parser, flags->model, "cached");
  addWeightsFlag(*parser, flags->weights);
  addSeedFlag(*parser, flags->seed, "Seed of inputs, and of weights where they are drawn");
  parser
      ->add_option("--executor", flags->executor,
                   "sequential or graph, for the compiled plan [graph on a GPU]")
      ->check(CLI::IsMember({"sequential", "graph"}));
  addFormatFlag(*parser, flags->format, {"table", "json"});
  addExample(*parser, "heddle check study:small --layers 2 --context 64");
  return {parser, [flags] { return runCheck(*flags); }};
}

} // namespace heddle::driver
