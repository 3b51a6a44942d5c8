//===- BatchLaunches.cpp - Alike launches become one ----------------------===//
//
// Which launches are alike is a matter of their kernels' form (KernelForm.h). A batch stands where its last
// launch stood, so that all others run later than they did: past steps that they do not depend on, and as
// long as no step needs more memory at once than the fullest did before. That bounds every arena from below;
// whether the one that placement finds is about as small is known only afterwards, and where it is not, it is
// all done again with fewer moves.
//
// Why the order stays right: launch x passes step y only where y comes after x and not after the batch, and
// each such pair is checked, whether y itself moves or not. Two steps whose order changes are such a pair.
//
//===----------------------------------------------------------------------===//
#include "compiler/Plan/KernelForm.h"
#include "compiler/Plan/Liveness.h"
#include "compiler/Plan/Passes.h"
#include "compiler/Plan/Placement.h"
#include "compiler/Plan/StepUses.h"
#include "compiler/Support/Locations.h"
#include "runtime/plan/MemoryReport.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace heddle::plan {

#define GEN_PASS_DEF_BATCHLAUNCHES
#include "compiler/Plan/Passes.h.inc"

namespace {

/// Steps before a launch of which one may have left what it reads in a GPU's second-level cache.
constexpr int32_t kNear = 2;

/// A life of less than this part of all that lives at most is too small to change the arena much.
constexpr int64_t kSmall = 1024;

/// The arena may grow by this part of all memory: placement is a search, whose results differ by as much for
/// reasons of their own, and hundreds of launches are worth it.
constexpr int64_t kRoom = 512;

/// The lives of what plan-memory will place in the arena.
llvm::SmallVector<BufferLife> placedLives(ProgramOp program) {
  llvm::SmallVector<BufferLife> placed;
  auto last = static_cast<int32_t>(program.getSteps().size()) - 1;
  for (BufferLife &life : computeLiveness(program)) {
    bool output = isPlacedOutput(life);
    if (life.first < 0 || !(output || livesBetweenSteps(life.buffer.getRole())))
      continue;
    placed.push_back(life);
    if (output)
      placed.back().last = last;
  }
  return placed;
}

/// The arena that these lives get.
int64_t arenaBytes(ProgramOp program) {
  std::vector<runtime::Lifetime> lifetimes;
  for (BufferLife &life : placedLives(program))
    lifetimes.push_back({life.buffer.getByteSize(), life.first, life.last});
  return placeInArena(lifetimes).bytes;
}

/// What lives from run to run.
int64_t keptBytes(ProgramOp program) {
  int64_t bytes = 0;
  for (BufferOp buffer : program.getBuffers())
    if (buffer.getRole() == Role::Parameter || buffer.getRole() == Role::State)
      bytes += buffer.getByteSize();
  return bytes;
}

/// Which moves are made.
enum class Moves {
  WithinPeak, ///< No step needs more than the fullest did.
  /// And but for small ones, steps of the optimizer alone make lives longer: in their time little is born,
  /// and what the arena's size follows from is past.
  LongerAtEnd,
  Optimizer, ///< As WithinPeak, of steps of the optimizer alone.
};

/// The bytes that live at each step, while launches change their places.
class Pressure {
public:
  Pressure(ProgramOp program, llvm::MutableArrayRef<StepInterface> steps)
      : places_(steps.size()), live_(steps.size()) {
    for (size_t i = 0; i < places_.size(); ++i)
      places_[i] = static_cast<int32_t>(i);
    for (BufferLife &life : placedLives(program)) {
      Life &kept = lives_[life.buffer.getSymNameAttr()];
      kept = {runtime::alignedBytes(life.buffer.getByteSize()), life.first, life.last, {}};
      add(kept.bytes, kept.first, kept.last);
    }
    for (auto [number, step] : llvm::enumerate(steps))
      for (RefAttr ref : step.getRefs())
        if (auto found = lives_.find(ref.getBuffer().getAttr()); found != lives_.end())
          found->second.users.insert(static_cast<int32_t>(number));
    peak_ = live_.empty() ? 0 : *llvm::max_element(live_);
  }

  /// Moves steps that stand at one place to a later one, which touch these buffers; false, and nothing
  /// changes, where more would live at once than the most, or where a life that is not small would get longer
  /// and may not.
  bool move(llvm::ArrayRef<int32_t> moved, int32_t to, llvm::ArrayRef<mlir::StringAttr> touched,
            bool mayGetLonger) {
    int32_t from = places_[moved.front()];
    auto place = [&](int32_t at) {
      for (int32_t step : moved)
        places_[step] = at;
    };
    place(to);
    llvm::SmallVector<std::pair<Life *, std::pair<int32_t, int32_t>>> before;
    bool longer = false;
    for (mlir::StringAttr buffer : touched) {
      auto found = lives_.find(buffer);
      if (found == lives_.end())
        continue;
      Life &life = found->second;
      int32_t first = life.first, last = std::max(life.last, to);
      if (first == from) { // Maybe by one of these.
        first = INT32_MAX;
        for (int32_t user : life.users)
          first = std::min(first, places_[user]);
      }
      if (first == life.first && last == life.last)
        continue;
      longer |= last > life.last && life.bytes > peak_ / kSmall;
      before.push_back({&life, {life.first, life.last}});
      change(life, first, last);
    }
    if ((mayGetLonger || !longer) && *std::max_element(live_.begin() + from, live_.begin() + to + 1) <= peak_)
      return true;
    for (auto [life, range] : before)
      change(*life, range.first, range.second);
    place(from);
    return false;
  }

  /// The most that lives at once.
  int64_t peak() const { return peak_; }

private:
  struct Life {
    int64_t bytes = 0;
    int32_t first = 0, last = 0;
    llvm::SetVector<int32_t> users;
  };

  void add(int64_t bytes, int32_t first, int32_t last) {
    for (int32_t step = first; step <= last; ++step)
      live_[step] += bytes;
  }
  void change(Life &life, int32_t first, int32_t last) {
    add(-life.bytes, life.first, life.last);
    life.first = first;
    life.last = last;
    add(life.bytes, first, last);
  }

  llvm::DenseMap<mlir::StringAttr, Life> lives_;
  std::vector<int32_t> places_; ///< Of each step.
  std::vector<int64_t> live_;   ///< At each place.
  int64_t peak_ = 0;
};

/// Launches that become one, at the place of the last.
struct Batch {
  llvm::SmallVector<int32_t> steps;
  llvm::SetVector<mlir::StringAttr> touched;
};

/// What became of the launches, and who is told.
class Log {
public:
  Log(MatchReports *reports, bool remarks) : reports(reports), remarks(remarks) {}

  MatchReports *reports = nullptr; ///< Or null.
  bool remarks = false;
  int64_t batches = 0, batched = 0, dependent = 0, peak = 0, hot = 0;

  void formed(LaunchOp launch) { formed_.push_back(launch); }

  /// `step` was not joined to those before it that are alike. Told at the end: another round may join it.
  void missed(StepInterface step, int64_t Log::*count, const std::string &reason) {
    misses_.push_back({step, count, reason});
  }
  void beginRound() { misses_.clear(); }

  void undone(ProgramOp program, int64_t bytes) {
    std::string reason = "no order of batches was found whose arena has at most " + std::to_string(bytes) +
                         " bytes, what it had and 1/" + std::to_string(kRoom) + " of all memory";
    if (reports)
      reports->push_back({kPattern.str(), false, "", reason});
    if (remarks)
      program.emitRemark() << kPattern << ": " << reason;
  }

  /// Counts and tells all: what was done is final.
  void tell() {
    for (LaunchOp launch : formed_) {
      ++batches;
      batched += static_cast<int64_t>(launch.getInstances());
      std::string text = std::to_string(launch.getInstances()) + " launches of " + launch.getLabel().str();
      if (reports)
        reports->push_back({kPattern.str(), true, locationText(launch.getLoc()), text});
      if (remarks)
        launch.emitRemark() << kPattern << ": " << text << " became one";
    }
    for (const Miss &miss : misses_) {
      StepInterface step = miss.step;
      ++(this->*miss.count);
      // That a chain of steps stays one is no news for a report.
      if (reports && miss.count != &Log::dependent)
        reports->push_back({kPattern.str(), false, locationText(step->getLoc()), miss.reason});
      if (remarks)
        step->emitRemark() << kPattern << ": apart from those before it: " << miss.reason;
    }
  }

private:
  static constexpr llvm::StringLiteral kPattern = "batch-launches";
  struct Miss {
    StepInterface step;
    int64_t Log::*count;
    std::string reason;
  };
  std::vector<LaunchOp> formed_;
  std::vector<Miss> misses_;
};

/// Batches the launches of one program.
class Batcher {
public:
  Batcher(ProgramOp program, int64_t mostMoved, Moves moves, Log &log)
      : program_(program), mostMoved_(mostMoved), moves_(moves), log_(log), steps_(program.getSteps()) {}

  /// One round; true where it made a batch.
  bool run() {
    log_.beginRound();
    readUses();
    Pressure pressure(program_, steps_);
    llvm::StringMap<size_t> open; // By key, in batches_.
    for (int32_t number = 0; number < static_cast<int32_t>(steps_.size()); ++number) {
      std::optional<std::string> key = keyOf(number);
      if (!key)
        continue;
      auto [entry, inserted] = open.try_emplace(*key, batches_.size());
      if (!inserted && mayJoin(batches_[entry->second], number, pressure)) {
        join(batches_[entry->second], number);
        continue;
      }
      entry->second = batches_.size();
      join(batches_.emplace_back(), number);
    }
    bool made = false;
    for (const Batch &batch : batches_)
      if (batch.steps.size() > 1) {
        launch(batch);
        made = true;
      }
    removeUnused();
    return made;
  }

private:
  /// What the steps touch, and who touches each buffer.
  void readUses() {
    StepUses uses(program_);
    for (auto [number, step] : llvm::enumerate(steps_)) {
      uses_.push_back(uses.of(step));
      for (const Use &use : uses_.back())
        users_[use.buffer].push_back({static_cast<int32_t>(number), use});
    }
  }

  /// Null where the launch cannot be an instance.
  KernelForm *formOfStep(LaunchOp launch) {
    auto [entry, inserted] = forms_.try_emplace(launch.getKernelAttr().getAttr());
    if (inserted) {
      auto func = program_.lookupSymbol<kernel::FuncOp>(launch.getKernel());
      if (std::optional<KernelForm> form = func && !func.getBatched() ? formOf(func) : std::nullopt)
        entry->second = std::make_unique<KernelForm>(std::move(*form));
    }
    return entry->second.get();
  }

  /// The greatest power of two, up to `most`, that divides `value`.
  static int64_t powerOfTwo(int64_t value, int64_t most) {
    return value == 0 ? most : std::min(most, value & -value);
  }

  RefAttr referenceOf(RefAttr ref, int64_t offset) {
    return ref.getBuffer() ? RefAttr::get(ref.getContext(), ref.getBuffer(), ref.getByteOffset() + offset)
                           : ref;
  }

  /// What the launches of a batch have in common; nothing where a step is in none. Vectors are as wide as all
  /// instances allow, so that one of an odd size would slow the others down: what widths follow from is part
  /// of it.
  std::optional<std::string> keyOf(int32_t number) {
    auto launch = llvm::dyn_cast<LaunchOp>(*steps_[number]);
    if (!launch || launch.getPhase() == Phase::Init || launch.getInstances() > 1 || launch.getGrid() ||
        launch.getItems() || (moves_ == Moves::Optimizer && launch.getPhase() != Phase::Optimizer))
      return std::nullopt;
    KernelForm *form = formOfStep(launch);
    if (!form)
      return std::nullopt;
    std::string key = stringifyPhase(launch.getPhase()).str();
    constexpr int64_t kAccess = 16; // Bytes of the widest.
    for (auto [ref, offset] : llvm::zip(launch.getBuffersOf(0), form->offsets))
      key += " " + std::to_string(powerOfTwo(ref.getByteOffset() + offset, kAccess));
    if (form->columns && form->extent)
      key += " of " + std::to_string(powerOfTwo(*form->extent, kMostColumns));
    return key + "\n" + form->text;
  }

  /// The first step behind `after` and up to `last` that a step must stay before; nothing where it need not.
  std::optional<std::pair<int32_t, mlir::StringAttr>> blocker(int32_t step, int32_t after, int32_t last) {
    std::optional<std::pair<int32_t, mlir::StringAttr>> found;
    for (const Use &use : uses_[step]) {
      const auto &users = users_[use.buffer];
      auto user = llvm::partition_point(users, [&](const auto &other) { return other.first <= after; });
      for (; user != users.end() && user->first <= last; ++user)
        if (conflicts(use, user->second) && (!found || user->first < found->first))
          found = {user->first, use.buffer};
    }
    return found;
  }

  /// Whether a launch reads much that one of the steps right before it has written.
  bool isHot(int32_t step) {
    for (const Use &use : uses_[step]) {
      if (use.end - use.begin <= mostMoved_)
        continue;
      const auto &users = users_[use.buffer];
      auto mine = llvm::partition_point(users, [&](const auto &other) { return other.first < step; });
      for (auto user = mine; user != users.begin() && std::prev(user)->first >= step - kNear; --user)
        if (std::prev(user)->second.written)
          return true;
    }
    return false;
  }

  bool mayJoin(Batch &batch, int32_t number, Pressure &pressure) {
    int32_t place = batch.steps.back();
    for (int32_t step : batch.steps)
      if (auto found = blocker(step, place, number)) {
        log_.missed(steps_[number], &Log::dependent,
                    "step " + std::to_string(found->first) + ", " + steps_[found->first].getLabel().str() +
                        ", comes between them for @" + found->second.str());
        return false;
      }
    // Launches that stand side by side move past each other alone.
    bool apart = number - batch.steps.front() != static_cast<int32_t>(batch.steps.size());
    auto hot =
        apart ? llvm::find_if(batch.steps, [&](int32_t step) { return isHot(step); }) : batch.steps.end();
    if (hot != batch.steps.end()) {
      log_.missed(steps_[number], &Log::hot,
                  "step " + std::to_string(*hot) + " reads more than " + std::to_string(mostMoved_) +
                      " bytes that have just been written");
      return false;
    }
    bool mayGetLonger = moves_ != Moves::LongerAtEnd || steps_[number].getPhase() == Phase::Optimizer;
    if (pressure.move(batch.steps, number, batch.touched.getArrayRef(), mayGetLonger))
      return true;
    log_.missed(steps_[number], &Log::peak,
                std::string("what they touch would live until then, ") +
                    (mayGetLonger ? "" : "which found no arena as small, or ") + "and more than " +
                    std::to_string(pressure.peak()) + " bytes at once");
    return false;
  }

  void join(Batch &batch, int32_t number) {
    batch.steps.push_back(number);
    for (RefAttr ref : steps_[number].getRefs())
      batch.touched.insert(ref.getBuffer().getAttr());
  }

  /// The batched kernel of a form, made at its first use, before the kernel that it comes from.
  mlir::FlatSymbolRefAttr kernelOf(const std::string &key, LaunchOp launch, KernelForm &form) {
    mlir::FlatSymbolRefAttr &kernel = kernels_[key];
    if (kernel)
      return kernel;
    kernel::FuncOp func = form.func->clone();
    auto source = program_.lookupSymbol<kernel::FuncOp>(launch.getKernel());
    // Without the number that told it from others: it says how many kernels the model has, not which one it
    // is, and the cache of compiled kernels knows them by their text.
    llvm::StringRef base = launch.getKernel();
    if (llvm::StringRef stem = base.rtrim("0123456789"); stem.ends_with("_"))
      base = stem.drop_back();
    std::string wanted = (base + "_batch").str(), name = wanted;
    for (int64_t number = 1; program_.lookupSymbol(name); ++number)
      name = wanted + "_" + std::to_string(number);
    func.setSymName(name);
    func.setBatched(true);
    mlir::OpBuilder builder(source);
    if (form.columns && form.extent)
      func.setArgAttr(func.getBody().getNumArguments() - 1, kernel::kDivisorAttr,
                      builder.getI64IntegerAttr(powerOfTwo(*form.extent, kMostColumns)));
    builder.insert(func);
    return kernel = mlir::FlatSymbolRefAttr::get(func.getSymNameAttr());
  }

  /// Puts the batched launch in the place of the last one.
  void launch(const Batch &batch) {
    auto first = llvm::cast<LaunchOp>(*steps_[batch.steps.front()]);
    mlir::FlatSymbolRefAttr kernel = kernelOf(*keyOf(batch.steps.front()), first, *formOfStep(first));
    llvm::SmallVector<mlir::Attribute> buffers;
    llvm::SmallVector<int64_t> counts;
    llvm::SmallVector<mlir::Location> locations;
    for (int32_t number : batch.steps) {
      auto launch = llvm::cast<LaunchOp>(*steps_[number]);
      KernelForm &form = *formOfStep(launch);
      for (auto [ref, offset] : llvm::zip(launch.getBuffersOf(0), form.offsets))
        buffers.push_back(referenceOf(ref, offset));
      llvm::append_range(counts, launch.getCounts());
      if (form.extent)
        counts.push_back(*form.extent);
      locations.push_back(launch.getLoc());
    }
    mlir::OpBuilder builder(steps_[batch.steps.back()]);
    auto made = LaunchOp::create(
        builder, builder.getFusedLoc(locations), kernel, builder.getArrayAttr(buffers),
        builder.getDenseI64ArrayAttr(counts), first.getPhaseAttr(), mlir::DenseI64ArrayAttr(),
        mlir::IntegerAttr(), mlir::ArrayAttr(), first.getLabelAttr(), first.getLocationAttr(),
        mlir::DenseI64ArrayAttr(), builder.getI64IntegerAttr(static_cast<int64_t>(batch.steps.size())));
    for (int32_t number : batch.steps) {
      auto launch = llvm::cast<LaunchOp>(*steps_[number]);
      left_.insert(launch.getKernelAttr().getAttr());
      launch.erase();
    }
    log_.formed(made);
  }

  /// Kernels that nothing launches any more.
  void removeUnused() {
    for (auto launch : program_.getBody().getOps<LaunchOp>())
      left_.remove(launch.getKernelAttr().getAttr());
    for (mlir::StringAttr name : left_)
      program_.lookupSymbol(name)->erase();
  }

  ProgramOp program_;
  const int64_t mostMoved_;
  const Moves moves_;
  Log &log_;
  llvm::SmallVector<StepInterface> steps_;
  std::vector<llvm::SmallVector<Use>> uses_; ///< Of each step.
  llvm::DenseMap<mlir::StringAttr, std::vector<std::pair<int32_t, Use>>> users_;
  llvm::DenseMap<mlir::StringAttr, std::unique_ptr<KernelForm>> forms_; ///< By kernel.
  std::vector<Batch> batches_;
  llvm::StringMap<mlir::FlatSymbolRefAttr> kernels_; ///< By key.
  llvm::SetVector<mlir::StringAttr> left_;           ///< Kernels that lost launches.
};

struct BatchLaunchesPass : impl::BatchLaunchesBase<BatchLaunchesPass> {
  using BatchLaunchesBase::BatchLaunchesBase;
  explicit BatchLaunchesPass(MatchReports *reports) : reports(reports) {}

  void runOnOperation() override {
    ProgramOp program = getOperation();
    int64_t before = arenaBytes(program), most = before + (keptBytes(program) + before) / kRoom;
    mlir::OwningOpRef<ProgramOp> apart(program.clone());
    for (Moves moves : {Moves::WithinPeak, Moves::LongerAtEnd, Moves::Optimizer}) {
      Log log(reports, remarks);
      // Behind a batch there is room for what its instances waited for.
      while (Batcher(program, mostMoved, moves, log).run())
        ;
      if (arenaBytes(program) <= most)
        return finish(log);
      mlir::OwningOpRef<ProgramOp> again(apart->clone());
      program.getBody().takeBody(again->getBody());
    }
    Log(reports, remarks).undone(program, most);
    ++numUndone;
  }

private:
  void finish(Log &log) {
    log.tell();
    numBatches += log.batches;
    numBatched += log.batched;
    numDependent += log.dependent;
    numPeak += log.peak;
    numHot += log.hot;
  }

  MatchReports *reports = nullptr;
};

} // namespace

std::unique_ptr<mlir::Pass> createBatchLaunches(MatchReports *reports) {
  return std::make_unique<BatchLaunchesPass>(reports);
}

} // namespace heddle::plan
