//===- Run.cpp - heddle run -----------------------------------------------===//
#include "runtime/tooling/Npy.h"
#include "runtime/tooling/RandomTensor.h"
#include "runtime/tooling/Safetensors.h"
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/CommandFiles.h"
#include "tools/heddle/Support/Execution.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/Weights.h"

#include <CLI/App.hpp>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

namespace heddle::driver {

using namespace runtime;

namespace {

struct RunFlags {
  ModelFlags model;
  std::string pipeline = "compiled";
  std::string executor;
  std::vector<std::string> inputs;
  std::string output;
  std::string weights, saveWeights;
  uint64_t seed = 0;
  bool poison = false;
};

const Buffer *findInput(const Plan &plan, const std::string &name) {
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Input && buffer.name == name)
      return &buffer;
  return nullptr;
}

/// The inputs that have no value yet.
std::vector<const Buffer *> openInputs(const Plan &plan, const Tensors &inputs) {
  std::vector<const Buffer *> open;
  for (const Buffer &buffer : plan.buffers)
    if (buffer.role == BufferRole::Input && !inputs.contains(buffer.name))
      open.push_back(&buffer);
  return open;
}

/// "m.mlir has no input 'z'; inputs: x f32[4, 8]".
std::string noSuchInput(const Plan &plan, const std::string &name) {
  std::string inputs;
  for (const Buffer *buffer : openInputs(plan, {}))
    inputs += (inputs.empty() ? "" : ", ") + buffer->name + " " + describe(buffer->dtype, buffer->shape);
  return plan.model + " has no input '" + name + "'; inputs: " + inputs;
}

/// The seed of "random:SEED".
StatusOr<uint64_t> seedOf(const std::string &source) {
  std::string_view digits = std::string_view(source).substr(sizeof("random:") - 1);
  uint64_t seed = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seed);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size())
    return invalidInput("--input " + source + ": wanted random:SEED with SEED a number from 0 to 2^64-1");
  return seed;
}

Status addRandom(const Buffer &buffer, const std::string &source, Tensors &inputs) {
  HEDDLE_ASSIGN_OR_RETURN(uint64_t seed, seedOf(source));
  HEDDLE_ASSIGN_OR_RETURN(HostTensor tensor,
                          randomTensor(buffer.dtype, buffer.shape, buffer.indexLimit, seed, buffer.name));
  inputs[buffer.name] = std::move(tensor);
  return Status::ok();
}

/// One --input value: NAME=SOURCE, or SOURCE alone. A .safetensors file alone gives every input that it
/// names; random:SEED alone every input that has no value yet; a .npy file alone the only input that has
/// none. `named` are those that were given by name, "" for random:SEED alone.
Status addInput(const Plan &plan, const std::string &argument, Tensors &inputs,
                std::set<std::string> &named) {
  size_t equals = argument.find('=');
  std::string name = equals == std::string::npos ? "" : argument.substr(0, equals);
  // A path may hold '=' too: a name is taken as one only where the model has it.
  const Buffer *input = name.empty() ? nullptr : findInput(plan, name);
  std::string source = input ? argument.substr(equals + 1) : argument;
  bool random = source.starts_with("random:");
  if (input && !named.insert(name).second)
    return invalidInput("--input " + argument + ": '" + name + "' is given twice");
  if (!input && equals != std::string::npos && (random || argument.compare(equals + 1, 7, "random:") == 0))
    return invalidInput("--input " + argument + ": " + noSuchInput(plan, name));
  if (std::error_code error; !input && !name.empty() && !std::filesystem::exists(argument, error))
    return invalidInput("--input " + argument + ": there is no such file, and " + noSuchInput(plan, name));

  if (random) {
    if (input)
      return addRandom(*input, source, inputs);
    if (!named.insert("").second)
      return invalidInput("--input " + argument + ": random values for all other inputs are given twice");
    for (const Buffer *open : openInputs(plan, inputs))
      HEDDLE_RETURN_IF_ERROR(addRandom(*open, source, inputs));
    return Status::ok();
  }
  if (source.ends_with(".safetensors")) {
    HEDDLE_ASSIGN_OR_RETURN(Tensors tensors, readSafetensors(source));
    if (input) {
      auto found = tensors.find(input->name);
      if (found == tensors.end() && tensors.size() == 1)
        found = tensors.begin();
      if (found == tensors.end())
        return invalidInput(source + ": no tensor '" + input->name + "' among its " +
                            std::to_string(tensors.size()));
      inputs[input->name] = std::move(found->second);
      return Status::ok();
    }
    for (auto &[tensorName, tensor] : tensors)
      inputs[tensorName] = std::move(tensor);
    return Status::ok();
  }
  if (source.ends_with(".npy")) {
    std::vector<const Buffer *> open = openInputs(plan, inputs);
    if (!input && open.size() != 1)
      return invalidInput("--input " + argument + ": " + std::to_string(open.size()) +
                          " inputs have no value yet; say which with NAME=" + source);
    HEDDLE_ASSIGN_OR_RETURN(HostTensor tensor, readNpy(source));
    inputs[input ? input->name : open.front()->name] = std::move(tensor);
    return Status::ok();
  }
  return invalidInput("--input " + argument + ": wanted [NAME=]FILE.npy, FILE.safetensors or random:SEED");
}

Status runRun(const RunFlags &flags) {
  if (!flags.output.ends_with(".safetensors"))
    return invalidInput("--output " + flags.output + ": wanted a name that ends in .safetensors");
  if (!flags.saveWeights.empty() && !flags.saveWeights.ends_with(".safetensors"))
    return invalidInput("--save-weights " + flags.saveWeights + ": wanted a name that ends in .safetensors");
  // Before anything is compiled: a file that is not there, or cannot be, is known at once.
  for (const std::string &file : {flags.output, flags.saveWeights})
    if (!file.empty())
      HEDDLE_RETURN_IF_ERROR(canWrite(file));
  HEDDLE_ASSIGN_OR_RETURN(ModelWeights weights, ModelWeights::open(flags.model, flags.weights));
  Models models;
  Progress progress;
  heddle::CompileOptions options =
      compileOptions(flags.model, flags.pipeline == "eager" ? PipelineKind::Eager : PipelineKind::Compiled);
  HEDDLE_ASSIGN_OR_RETURN(Built built, models.build(flags.model, options, progress));
  const Plan &plan = built.plan;
  Tensors inputs;
  std::set<std::string> named;
  for (const std::string &argument : flags.inputs)
    HEDDLE_RETURN_IF_ERROR(addInput(plan, argument, inputs, named));

  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, openDevice(flags.model, plan));
  HEDDLE_ASSIGN_OR_RETURN(ExecutorKind kind, executorFor(plan, flags.executor));
  HEDDLE_ASSIGN_OR_RETURN(ParameterSource source, weights.source(plan, progress));
  progress.show("weights");
  StatusOr<std::unique_ptr<Executor>> executor =
      Executor::create(*device, plan, {kind, flags.seed, flags.poison}, source);
  progress.clear();
  if (!executor)
    return withPlannedPeak(std::move(executor).status(), plan);
  HEDDLE_RETURN_IF_ERROR(setInputs(**executor, plan, inputs));
  HEDDLE_RETURN_IF_ERROR(withPlannedPeak((*executor)->run(), plan));
  HEDDLE_RETURN_IF_ERROR((*executor)->synchronize());
  HEDDLE_ASSIGN_OR_RETURN(Tensors outputs, readOutputs(**executor, plan));
  // Behind the run: a step's weights are those that it leaves, and a run that fails writes none.
  if (!flags.saveWeights.empty())
    HEDDLE_RETURN_IF_ERROR(saveParts(**executor, plan, BufferRole::Parameter, flags.saveWeights));
  HEDDLE_RETURN_IF_ERROR(writeSafetensors(flags.output, outputs));
  for (const auto &[name, tensor] : outputs)
    std::printf("%s  %s\n", name.c_str(), describe(tensor.dtype, tensor.shape).c_str());
  std::printf("wrote %s\n", flags.output.c_str());
  return Status::ok();
}

} // namespace

Subcommand addRun(CLI::App &program) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App *parser = program.add_subcommand("run", "Run a model or a plan file once");
  addModelFlags(*parser, flags->model, DeviceFlag::Plain);
  addTuneFlag(*parser, flags->model, "cached");
  namesFile(parser->add_option(
                "--input", flags->inputs,
                "[NAME=]FILE.npy, [NAME=]FILE.safetensors or [NAME=]random:SEED; may be given several times"),
            FileUse::Input)
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  namesFile(parser->add_option("--output", flags->output, "The .safetensors file to write"), FileUse::Write)
      ->required();
  parser->add_option("--impl", flags->pipeline, "compiled, or eager: one step an operation")
      ->capture_default_str()
      ->check(CLI::IsMember({"compiled", "eager"}));
  parser
      ->add_option("--executor", flags->executor, "sequential or graph, for a compiled plan [graph on a GPU]")
      ->check(CLI::IsMember({"sequential", "graph"}));
  addWeightsFlag(*parser, flags->weights);
  namesFile(parser->add_option(
                "--save-weights", flags->saveWeights,
                "Also write the parameters as the run leaves them, under their stored names, to this "
                ".safetensors file; --mode step changes them"),
            FileUse::Write);
  addSeedFlag(*parser, flags->seed, "Seed of the weights where they are drawn");
  parser->add_flag("--poison", flags->poison,
                   "Fill scratch memory with NaN first: shows reads of what nobody wrote");
  addExample(*parser, "heddle run small.heddle --input random:1 --output logits.safetensors");
  parser->final_callback([flags, parser] {
    std::string path = weightsPath(flags->model, flags->weights);
    if (!path.empty() && parser->count("--seed") > 0)
      throw CLI::ValidationError("--seed", "has no meaning with weights from a file: " + path);
  });
  return {parser, [flags] { return runRun(*flags); }};
}

} // namespace heddle::driver
