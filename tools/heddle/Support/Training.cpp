//===- Training.cpp - The loop of heddle train ----------------------------===//
#include "tools/heddle/Support/Training.h"

#include "runtime/base/File.h"
#include "tools/heddle/Support/Interrupt.h"
#include "tools/heddle/Support/Statistics.h"
#include "tools/heddle/Support/Weights.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace heddle::driver {

using namespace runtime;
using Clock = std::chrono::steady_clock;

namespace {

/// The line on a terminal follows so many of the last steps: fewer jump, more lag.
constexpr size_t kRecent = 20;

constexpr const char *kAdvice = "; a smaller --lr or --clip, or more --warmup-steps, may keep it finite";

/// Seconds between two looks at the line on a terminal, and between two lines of a log.
constexpr double kShowEvery = 0.1, kLogEvery = 10;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string leftText(double seconds) {
  char text[48];
  if (seconds < 90)
    std::snprintf(text, sizeof(text), "%.0f s left", seconds);
  else if (seconds < 5400)
    std::snprintf(text, sizeof(text), "%.0f min left", seconds / 60);
  else
    std::snprintf(text, sizeof(text), "%.1f h left", seconds / 3600);
  return text;
}

class Loop {
public:
  Loop(Training &training, Progress &progress) : t_(training), progress_(progress) {}

  StatusOr<TrainingEnd> run() {
    Interrupt interrupt;
    bool saved = false;
    while (t_.state.step < t_.rate.steps && !interrupt.signal() && fault_.isOk()) {
      HEDDLE_RETURN_IF_ERROR(step());
      saved = t_.saveEvery > 0 && t_.state.step % t_.saveEvery == 0;
      if (saved)
        HEDDLE_RETURN_IF_ERROR(save());
    }
    progress_.clear();
    if (!saved && !seconds_.empty())
      HEDDLE_RETURN_IF_ERROR(save());
    TrainingEnd end;
    end.steps = static_cast<int64_t>(seconds_.size());
    end.saved = saved_;
    end.signal = fault_.isOk() && t_.state.step < t_.rate.steps ? interrupt.signal() : 0;
    if (fault_.isOk() && !end.signal && lossIsLost())
      fault_ = invalidInput(atStep() + "the loss is " + lossText() +
                            (skippedSince_ > 0 ? ": every step from step " + std::to_string(skippedSince_) +
                                                     " on was skipped and changed nothing"
                                               : "") +
                            kAdvice);
    end.fault = fault_;
    if (double seconds = statisticsOf(seconds_).median; seconds > 0) {
      end.tokensPerSecond = tokens_ / seconds;
      end.flopsShare = share(seconds);
    }
    return end;
  }

private:
  Status step() {
    Clock::time_point start = Clock::now();
    double rate = t_.rate.at(t_.state.step);
    HEDDLE_ASSIGN_OR_RETURN(TrainingStep done, t_.trainer.step(t_.batches, rate));
    double seconds = secondsSince(start);
    seconds_.push_back(seconds);
    ++t_.state.step;
    t_.state.windows = t_.batches.position();
    if (done.skipped) {
      progress_.line(atStep() + "gradients are not finite, skipped");
    }
    bool sameWeights = done.skipped && skippedSince_ > 0;
    skippedSince_ = !done.skipped ? 0 : sameWeights ? skippedSince_ : t_.state.step;
    HEDDLE_RETURN_IF_ERROR(t_.log.append({t_.state.step, done.loss, rate, done.gradNorm, tokens_ / seconds}));
    show(done.loss);
    return lossIsLost() && !sameWeights ? lookAtWeights() : Status::ok();
  }

  bool lossIsLost() const { return !seconds_.empty() && !std::isfinite(t_.log.rows().back().loss); }

  std::string lossText() const {
    char text[32];
    std::snprintf(text, sizeof(text), "%g", t_.log.rows().back().loss);
    return text;
  }

  std::string atStep() const { return "step " + std::to_string(t_.state.step) + ": "; }

  Status lookAtWeights() {
    HEDDLE_ASSIGN_OR_RETURN(std::string name, parameterNotFinite(t_.executor, t_.plan));
    if (!name.empty())
      fault_ = invalidInput(atStep() + "the loss is " + lossText() + " and weights are not finite, first " +
                            name + ": no later step can repair them" + kAdvice);
    return Status::ok();
  }

  void show(double loss) {
    bool always = !progress_.onTerminal() && (seconds_.size() == 1 || t_.state.step == t_.rate.steps);
    if (!always && secondsSince(shown_) < (progress_.onTerminal() ? kShowEvery : kLogEvery))
      return;
    shown_ = Clock::now();
    size_t recent = std::min(seconds_.size(), kRecent);
    double seconds = 0;
    for (size_t i = seconds_.size() - recent; i < seconds_.size(); ++i)
      seconds += seconds_[i] / static_cast<double>(recent);
    char text[160];
    std::snprintf(text, sizeof(text), "step %lld/%lld  loss %.4f  %.0f tokens/s",
                  static_cast<long long>(t_.state.step), static_cast<long long>(t_.rate.steps), loss,
                  tokens_ / seconds);
    std::string line = text;
    if (double part = share(seconds); part > 0) {
      std::snprintf(text, sizeof(text), "  %.0f %% of FLOP/s", part * 100);
      line += text;
    }
    line += "  " + leftText(seconds * static_cast<double>(t_.rate.steps - t_.state.step));
    if (progress_.onTerminal())
      progress_.show(line);
    else
      progress_.line(line);
  }

  double share(double seconds) const {
    return t_.ceiling > 0
               ? static_cast<double>(t_.batchesPerStep) * t_.plan.matrixFlops / seconds / t_.ceiling
               : 0;
  }

  Status save() {
    saved_ = false;
    if (t_.folder && fault_.isOk()) {
      progress_.show(atStep() + "saving");
      HEDDLE_RETURN_IF_ERROR(lookAtWeights());
    }
    if (t_.folder && fault_.isOk() && lossIsLost() && t_.folder->holdsCheckpoint()) {
      progress_.line(atStep() + "not saved: the loss is " + lossText() + ", and " + t_.folder->path() +
                     " holds a checkpoint from before");
    } else if (t_.folder && fault_.isOk()) {
      HEDDLE_RETURN_IF_ERROR(t_.folder->save(t_.executor, t_.plan, t_.state));
      saved_ = true;
    }
    if (!t_.picture.empty())
      HEDDLE_RETURN_IF_ERROR(writeFile(t_.picture, lossPicture(t_.log.rows(), t_.pictureTitle)));
    return Status::ok();
  }

  Training &t_;
  Progress &progress_;
  std::vector<double> seconds_;
  int64_t skippedSince_ = 0; ///< The first of the steps up to the last that were all skipped; 0: it was not.
  bool saved_ = false;       ///< What was saved last is the state of the last step.
  Status fault_;
  Clock::time_point shown_;
  double tokens_ = static_cast<double>(t_.batchesPerStep * t_.batches.tokensPerBatch()); ///< Of a step.
};

} // namespace

StatusOr<TrainingEnd> train(Training &training, Progress &progress) { return Loop(training, progress).run(); }

} // namespace heddle::driver
