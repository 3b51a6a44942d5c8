//===- Train.cpp - heddle train -------------------------------------------===//
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/Ceiling.h"
#include "tools/heddle/Support/CommandFiles.h"
#include "tools/heddle/Support/Execution.h"
#include "tools/heddle/Support/Models.h"
#include "tools/heddle/Support/SavedFlags.h"
#include "tools/heddle/Support/Training.h"
#include "tools/heddle/Support/Weights.h"

#include <CLI/App.hpp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

namespace heddle::driver {

using namespace runtime;

namespace {

struct TrainFlags {
  ModelFlags model;
  std::string data, pipeline = "compiled", weights, csv, picture, save, resume;
  LearningRate rate{.steps = 300};
  std::string schedule = nameOf(rate.schedule);
  AdamWSettings adamw;
  int64_t accumulate = 1; ///< Batches of a step.
  int64_t saveEvery = 0;
  uint64_t seed = 0;
  /// What a checkpoint remembers, as given or restored. Pointers are into this object.
  std::vector<SavedFlag> saved;
  /// Restored for a model that has extents of its own: a checkpoint must not lose them on its way through it.
  ModelRequest restored;
};

/// Graphs and plans state their own extents; presets and configurations take them from flags.
bool hasOwnExtents(const ModelFlags &model) {
  return model.planFile || model.request.model.ends_with(".mlir");
}

void noteChanges(const std::vector<std::string> &changes, const std::string &folder) {
  for (const std::string &change : changes)
    std::fprintf(stderr, "note: %s, as %s was saved with\n", change.c_str(), folder.c_str());
}

/// Takes over what a checkpoint says and the command line does not.
StatusOr<TrainingState> resume(TrainFlags &flags, const std::string &folder) {
  HEDDLE_ASSIGN_OR_RETURN(TrainingState state, readTrainingState(folder));
  ModelRequest request = flags.model.request;
  HEDDLE_ASSIGN_OR_RETURN(std::vector<std::string> changes,
                          restore(flags.saved, state.settings, folder + "/training.json"));
  if (hasOwnExtents(flags.model))
    flags.restored = std::exchange(flags.model.request, request);
  noteChanges(changes, folder);
  return state;
}

/// Makes the flags say what the plan was made for: what a checkpoint goes on with, also under another form of
/// the model or a later version's defaults. A plan does not say how its model was cut.
void takeExtents(TrainFlags &flags, const Plan &plan, const TrainingInputs &inputs) {
  ModelRequest &request = flags.model.request;
  request.batch = inputs.batch();
  request.context = inputs.context();
  flags.model.precision = plan.precision;
  if (hasOwnExtents(flags.model)) {
    request.layers = flags.restored.layers;
    request.vocabulary = flags.restored.vocabulary;
    request.dropout = flags.restored.dropout;
  }
}

StatusOr<std::unique_ptr<Executor>> load(Device &device, const Plan &plan, const TrainFlags &flags,
                                         ModelWeights &weights, Progress &progress) {
  HEDDLE_ASSIGN_OR_RETURN(ExecutorKind kind, executorFor(plan, ""));
  HEDDLE_ASSIGN_OR_RETURN(ParameterSource source, weights.source(plan, progress));
  progress.show("weights");
  StatusOr<std::unique_ptr<Executor>> executor =
      Executor::create(device, plan, {kind, flags.seed, /*poison=*/false}, source);
  progress.clear();
  if (!executor)
    return withPlannedPeak(std::move(executor).status(), plan);
  return executor;
}

void printEnd(const Training &training, const TrainingEnd &end, const TrainFlags &flags) {
  if (end.steps == 0 && !end.signal) {
    std::printf(
        "nothing to do: %s is at step %lld, and training ends at step %lld; a larger --steps goes on\n",
        flags.resume.c_str(), static_cast<long long>(training.state.step),
        static_cast<long long>(training.rate.steps));
    return;
  }
  if (end.signal)
    std::printf("interrupted by SIG%s: ", sigabbrev_np(end.signal));
  std::printf("step %lld of %lld", static_cast<long long>(training.state.step),
              static_cast<long long>(training.rate.steps));
  if (end.steps == 0) {
    std::printf("\nnothing was done\n");
    return;
  }
  const TrainRow &last = training.log.rows().back();
  std::printf(", loss %.6g, gradient norm %.4g, %.0f tokens/s", last.loss, last.gradNorm,
              end.tokensPerSecond);
  if (end.flopsShare > 0)
    std::printf(", %.1f %% of the FLOP/s of one large product (%.2f TFLOP/s, just before)",
                end.flopsShare * 100, training.ceiling / 1e12);
  std::printf("\n");
  if (training.folder && end.saved)
    std::printf("saved %s\n", training.folder->path().c_str());
  else if (training.folder)
    std::printf("not saved: %s %s\n", training.folder->path().c_str(),
                training.folder->holdsCheckpoint() ? "stays as it was saved before" : "has nothing in it");
  else
    std::printf("not saved: there is no --save; the weights are gone\n");
  for (const std::string &file : {flags.csv, flags.picture})
    if (!file.empty())
      std::printf("wrote %s\n", file.c_str());
}

Status runTrain(TrainFlags &flags, int &signal) {
  TrainingState state;
  std::string resumed;
  if (!flags.resume.empty()) {
    HEDDLE_ASSIGN_OR_RETURN(resumed, checkpointAt(flags.resume));
  }
  // Before anything is read from it: no other training replaces it from here on.
  std::optional<CheckpointFolder> folder;
  if (!flags.save.empty()) {
    HEDDLE_ASSIGN_OR_RETURN(folder, CheckpointFolder::open(flags.save, resumed));
  }
  if (!resumed.empty()) {
    HEDDLE_ASSIGN_OR_RETURN(state, resume(flags, resumed));
  }
  flags.rate.schedule = parseSchedule(flags.schedule).value(); // Neither flag nor file has another name.
  flags.model.mode = nameOf(flags.accumulate > 1 ? Mode::Accumulate : Mode::Step);
  // Whatever can be known to be wrong before anything is compiled.
  HEDDLE_ASSIGN_OR_RETURN(TokenFile tokens, TokenFile::open(flags.data));
  if (!flags.picture.empty())
    HEDDLE_RETURN_IF_ERROR(canWrite(flags.picture));
  HEDDLE_ASSIGN_OR_RETURN(TrainLog log, TrainLog::open(flags.csv, state.step));
  HEDDLE_ASSIGN_OR_RETURN(
      ModelWeights weights,
      ModelWeights::open(flags.model, resumed.empty() ? flags.weights : resumed + "/model.safetensors"));

  Models models;
  Progress progress;
  heddle::CompileOptions options =
      compileOptions(flags.model, flags.pipeline == "eager" ? PipelineKind::Eager : PipelineKind::Compiled);
  HEDDLE_ASSIGN_OR_RETURN(Built built, models.build(flags.model, options, progress));
  const Plan &plan = built.plan;
  HEDDLE_ASSIGN_OR_RETURN(TrainingInputs inputs, trainingInputs(plan));
  progress.show("reading " + flags.data);
  HEDDLE_RETURN_IF_ERROR(tokens.check(inputs.vocabulary()));
  HEDDLE_ASSIGN_OR_RETURN(
      Batches batches, Batches::create(tokens, inputs.batch(), inputs.context(), flags.seed, state.windows));
  progress.clear();
  takeExtents(flags, plan, inputs);
  if (!resumed.empty()) {
    noteChanges(changesOf(flags.saved, state.settings), resumed);
    if (state.model != plan.model)
      noteChanges({changeOf("model", plan.model, state.model)}, resumed);
    if (state.tokens != tokens.size())
      std::fprintf(stderr, "note: %s has %lld tokens; the data of %s had %lld\n", flags.data.c_str(),
                   static_cast<long long>(tokens.size()), resumed.c_str(),
                   static_cast<long long>(state.tokens));
  }
  state.model = plan.model;
  state.tokens = tokens.size();
  state.settings = valuesOf(flags.saved);

  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, openDevice(flags.model, plan));
  double ceiling = 0;
  if (plan.matrixFlops > 0) {
    progress.show("measuring the device's matrix product");
    HEDDLE_ASSIGN_OR_RETURN(ceiling, measureCeiling(*device, plan.precision));
  }
  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Executor> executor, load(*device, plan, flags, weights, progress));
  if (!resumed.empty())
    HEDDLE_RETURN_IF_ERROR(readOptimizer(*executor, plan, resumed));
  HEDDLE_ASSIGN_OR_RETURN(Trainer trainer, Trainer::create(*executor, inputs, flags.adamw, flags.accumulate));

  Training training{*executor, plan, trainer, batches, log, flags.accumulate, flags.rate, state};
  training.folder = folder;
  training.saveEvery = flags.saveEvery;
  training.picture = flags.picture;
  training.pictureTitle = plan.model + ", " + plan.precision + ", batch " + std::to_string(inputs.batch()) +
                          ", context " + std::to_string(inputs.context());
  training.ceiling = ceiling;
  if (!resumed.empty() && state.step < flags.rate.steps)
    progress.line("going on from step " + std::to_string(state.step) + " of " + resumed);
  StatusOr<TrainingEnd> end = train(training, progress);
  progress.clear();
  if (!end)
    return withPlannedPeak(std::move(end).status(), plan);
  printEnd(training, *end, flags);
  signal = end->signal;
  return end->fault;
}

/// Adds the flag of `flag.name`; refuses what a checkpoint could not hold either.
void addSavedFlag(CLI::App &parser, TrainFlags &flags, SavedFlag flag, const std::string &help) {
  CLI::Option *option = std::visit(
      [&](auto *value) { return parser.add_option("--" + flag.name, *value, help)->capture_default_str(); },
      flag.value);
  if (!flag.words.empty())
    option->check(CLI::IsMember(flag.words));
  else
    option->check([flag](const std::string &text) -> std::string {
      std::string other = wanted(flag, valueOf(flag, text));
      return other.empty() ? "" : "'" + text + "'; wanted " + other;
    });
  flags.saved.push_back(std::move(flag));
}

} // namespace

Subcommand addTrain(CLI::App &program) {
  auto flags = std::make_shared<TrainFlags>();
  CLI::App *parser = program.add_subcommand("train", "Train a model on text or on token ids");
  addModelFlags(*parser, flags->model, DeviceFlag::Plain, {}, ModeFlag::Fixed);
  addTuneFlag(*parser, flags->model, "on");
  namesFile(
      parser->add_option("--data", flags->data,
                         "What to train on: text, whose bytes are the tokens, or token ids in a .npy file"),
      FileUse::Read)
      ->required();
  parser->add_option("--impl", flags->pipeline, "compiled, or eager: one step an operation")
      ->capture_default_str()
      ->check(CLI::IsMember({"compiled", "eager"}));
  TrainFlags &f = *flags;
  addSavedFlag(*parser, f, {"steps", &f.rate.steps, {1}}, "Where training ends, counted from its beginning");
  addSavedFlag(*parser, f, {"lr", &f.rate.peak}, "Learning rate, the largest of the schedule");
  addSavedFlag(*parser, f, {"schedule", &f.schedule, {}, scheduleNames()},
               "How the learning rate goes on behind the warm-up, to 0 at --steps or constant");
  addSavedFlag(*parser, f, {"warmup-steps", &f.rate.warmup},
               "Steps in which the learning rate grows linearly");
  addSavedFlag(*parser, f, {"beta1", &f.adamw.beta1, {0, 1, true}}, "AdamW: decay of the first moment");
  addSavedFlag(*parser, f, {"beta2", &f.adamw.beta2, {0, 1, true}}, "AdamW: decay of the second moment");
  addSavedFlag(*parser, f, {"epsilon", &f.adamw.epsilon}, "AdamW: added to the root of the second moment");
  addSavedFlag(*parser, f, {"weight-decay", &f.adamw.weightDecay},
               "AdamW: decoupled decay, of everything but vectors (norms, biases)");
  addSavedFlag(*parser, f, {"clip", &f.adamw.clip},
               "Largest norm of all gradients together; 0 clips nothing");
  addSavedFlag(*parser, f, {"accumulate", &f.accumulate, {1, 65536}, {}, /*later=*/true},
               "Batches of a step: gradients are added up, as if --batch were so many times larger");
  addSavedFlag(*parser, f, {"seed", &f.seed},
               "Seed of the batches, of dropout, and of weights where they are drawn");
  addWeightsFlag(*parser, flags->weights);
  CLI::Option *csv = parser->add_option(
      "--csv", flags->csv,
      "Write a line each step to a new file: step, loss, lr, grad_norm, tokens_per_s; with "
      "--resume go on with it");
  CLI::Option *picture =
      parser->add_option("--plot", flags->picture, "Write the loss as a picture, an .svg file");
  CLI::Option *save = parser->add_option(
      "--save", flags->save, "Save weights and optimizer to this folder at the end, and when interrupted");
  parser->add_option("--save-every", flags->saveEvery, "Save every so many steps, too")->check(atLeast(1));
  CLI::Option *resume = parser->add_option(
      "--resume", flags->resume,
      "Go on from a folder that --save wrote, with its settings where no flag gives others");
  for (auto [option, use] : {std::pair{csv, FileUse::Write}, std::pair{picture, FileUse::Write},
                             std::pair{save, FileUse::Replace}, std::pair{resume, FileUse::Resume}})
    namesFile(option, use);
  // Of the flags that describe the model, those that change what a step computes.
  ModelRequest &request = f.model.request;
  for (auto &[name, value] : {std::pair{"batch", &request.batch}, std::pair{"context", &request.context},
                              std::pair{"layers", &request.layers}, std::pair{"vocab", &request.vocabulary}})
    f.saved.push_back({name, value, {1}});
  f.saved.push_back({"dropout", &request.dropout, {0, 1}, {}, /*later=*/true});
  f.saved.push_back({"precision", &f.model.precision, {}, precisionNames()});
  addExample(
      *parser,
      "heddle train study:small --vocab 256 --data book.txt --context 256 --steps 300 --precision bf16 \\\n"
      "      --schedule cosine --warmup-steps 20 --clip 1 --csv loss.csv --plot loss.svg --save checkpoint");
  parser->final_callback([flags, parser] {
    for (SavedFlag &flag : flags->saved)
      flag.given = parser->count("--" + flag.name) > 0;
    if (flags->saveEvery > 0 && flags->save.empty())
      throw CLI::ValidationError("--save-every", "wants --save, a folder to save to");
    if (!flags->resume.empty() && !flags->weights.empty())
      throw CLI::ValidationError("--weights", "has no meaning with --resume, which has weights of its own");
    if (flags->model.planFile && parser->count("--impl") > 0)
      throw CLI::ValidationError("--impl", "has no meaning for a plan file, which is one implementation");
    if (!flags->picture.empty() && !flags->picture.ends_with(".svg"))
      throw CLI::ValidationError("--plot", flags->picture + ": wanted a name that ends in .svg");
  });
  return {parser, [flags] {
            int signal = 0;
            Status status = runTrain(*flags, signal);
            // All is written: the caller sees what it would of any program that was interrupted.
            if (signal && std::fflush(stdout) == 0)
              std::raise(signal);
            return status;
          }};
}

} // namespace heddle::driver
