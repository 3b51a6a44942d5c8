//===- MemoryPlanning.cpp - plan-memory and plan-eager-memory -------------===//
#include "compiler/Plan/Liveness.h"
#include "compiler/Plan/Passes.h"
#include "compiler/Plan/Placement.h"

#include "mlir/IR/Builders.h"

namespace heddle::plan {

#define GEN_PASS_DEF_PLANMEMORY
#define GEN_PASS_DEF_PLANEAGERMEMORY
#include "compiler/Plan/Passes.h.inc"

static_assert(kArenaAlignment == runtime::kArenaAlignment);

namespace {

constexpr int64_t kMostBytes = int64_t{1} << 56;

/// Memory that init leaves for the runs must not be shared: refuses scratch and saved buffers that span both.
llvm::LogicalResult verifySpan(const BufferLife &life) {
  BufferOp buffer = life.buffer;
  StepInterface first = life.firstStep, last = life.lastStep;
  if (first.getPhase() != Phase::Init || last.getPhase() == Phase::Init)
    return llvm::success();
  mlir::InFlightDiagnostic error = buffer.emitOpError()
                                   << "of role " << stringifyRole(buffer.getRole()) << " is touched by step "
                                   << life.first << " of phase init and by step " << life.last << " of phase "
                                   << stringifyPhase(last.getPhase()) << ", wanted role constant";
  error.attachNote(first->getLoc()) << "the first step";
  error.attachNote(last->getLoc()) << "the last step";
  return error;
}

/// Whether a step surely reads a buffer: what a launch does with its buffers is the kernel's affair.
bool reads(StepInterface step, BufferOp buffer) {
  auto names = [&](RefAttr ref) {
    return ref.getBuffer() && ref.getBuffer().getAttr() == buffer.getSymNameAttr();
  };
  if (auto copy = llvm::dyn_cast<CopyOp>(*step))
    return names(copy.getSource());
  if (auto product = llvm::dyn_cast<ProductOp>(*step))
    return names(product.getA().getRef()) || names(product.getB().getRef()) ||
           (product.getC() && names(product.getC()->getRef())) ||
           (product.getBias() && names(*product.getBias()));
  return false;
}

/// Scratch and saved memory holds anything before it is written.
llvm::LogicalResult verifyFirst(const BufferLife &life) {
  BufferOp buffer = life.buffer;
  if (!reads(life.firstStep, buffer) || buffer.getByteSize() == 0)
    return llvm::success();
  StepInterface first = life.firstStep;
  mlir::InFlightDiagnostic error = buffer.emitOpError()
                                   << "of role " << stringifyRole(buffer.getRole()) << " is read by step "
                                   << life.first << " before any step writes it, wanted it written first";
  error.attachNote(first->getLoc()) << "the step";
  return error;
}

/// What both passes share: steps in order, lifetimes set, old places cleared, unused buffers gone. Returns
/// the buffers that share memory: scratch and saved ones, and with `placeOutputs` the outputs.
llvm::FailureOr<llvm::SmallVector<BufferLife>> setLifetimes(ProgramOp program, bool placeOutputs,
                                                            int64_t &removed) {
  moveInitStepsFirst(program);
  auto steps = static_cast<int32_t>(program.getSteps().size());
  llvm::SmallVector<BufferLife> shared;
  int64_t total = 0;
  mlir::Builder builder(program.getContext());
  for (BufferLife &life : computeLiveness(program)) {
    BufferOp buffer = life.buffer;
    bool between = livesBetweenSteps(buffer.getRole());
    if (life.first < 0 && (between || buffer.getRole() == Role::Constant)) {
      buffer.erase();
      ++removed;
      continue;
    }
    buffer.removeOffsetAttr();
    buffer.setFirstStepAttr(life.first < 0 ? mlir::IntegerAttr() : builder.getI64IntegerAttr(life.first));
    bool output = placeOutputs && isPlacedOutput(life);
    if (output)
      life.last = steps - 1;
    buffer.setLastStepAttr(life.first < 0 ? mlir::IntegerAttr() : builder.getI64IntegerAttr(life.last));
    if (!between && !output)
      continue;
    if (between && (failed(verifySpan(life)) || failed(verifyFirst(life))))
      return llvm::failure();
    // Any placement fits in 64 bits after this; no machine has as much.
    total += std::min(buffer.getByteSize(), kMostBytes);
    if (total >= kMostBytes)
      return program.emitOpError() << "scratch and saved buffers take " << kMostBytes
                                   << " bytes or more together, wanted less";
    shared.push_back(life);
  }
  program.setArenaBytes(0);
  return shared;
}

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  void runOnOperation() override {
    int64_t unused = 0;
    auto shared = setLifetimes(getOperation(), /*placeOutputs=*/true, unused);
    if (failed(shared))
      return signalPassFailure();
    std::vector<runtime::Lifetime> lifetimes;
    for (BufferLife &life : *shared)
      lifetimes.push_back({life.buffer.getByteSize(), life.first, life.last});
    Placement placement = placeInArena(lifetimes);
    for (auto [life, offset] : llvm::zip(*shared, placement.offsets))
      life.buffer.setOffset(offset);
    getOperation().setArenaBytes(placement.bytes);
    removed += unused;
    arena += placement.bytes;
    bound += placement.lowerBound;
  }
};

struct PlanEagerMemoryPass : impl::PlanEagerMemoryBase<PlanEagerMemoryPass> {
  void runOnOperation() override {
    int64_t unused = 0;
    if (failed(setLifetimes(getOperation(), /*placeOutputs=*/false, unused)))
      return signalPassFailure();
    removed += unused;
  }
};

} // namespace
} // namespace heddle::plan
