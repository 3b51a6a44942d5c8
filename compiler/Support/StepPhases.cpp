#include "compiler/Support/StepPhases.h"

#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/Prepared.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

/// What `values` are computed from.
static llvm::DenseSet<Operation *> sourcesOf(llvm::SmallVector<Value> values) {
  llvm::DenseSet<Operation *> sources;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (op && sources.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(values, inner->getOperands()); });
  }
  return sources;
}

StepPhases::StepPhases(mlir::func::FuncOp main) {
  mlir::Block &block = main.getBody().front();
  llvm::SmallVector<Value> results, sums;
  for (auto [index, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    if (!main.getResultAttr(index, kGradientAttr))
      results.push_back(value);
  for (AssignOp assign : block.getOps<AssignOp>())
    if (auto state = assign.getLeaf().getDefiningOp<StateOp>(); state && state.getAccumulates())
      sums.push_back(assign.getValue());
  accumulates_ = !sums.empty();
  forward_ = sourcesOf(std::move(results));
  backward_ = sourcesOf(std::move(sums));
}

plan::Phase StepPhases::phaseOf(Operation *op) {
  if (runsOnce(op))
    return plan::Phase::Init;
  if (forward_.contains(op))
    return plan::Phase::Forward;
  bool optimizer = accumulates_ ? !backward_.contains(op) : dependsOnState(op);
  return optimizer ? plan::Phase::Optimizer : plan::Phase::Backward;
}

bool StepPhases::dependsOnState(Operation *op) {
  auto known = onState_.find(op);
  if (known != onState_.end())
    return known->second;
  bool found = llvm::isa<StateOp>(op);
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == op->getBlock() && source != op)
        found = found || dependsOnState(source);
  });
  return onState_[op] = found;
}

/// A leaf that may have another value in another run. Parameters stay as they are where @main says so, but
/// for those that it changes itself.
static bool isVariable(Operation *op) {
  auto cast = llvm::dyn_cast<CastOp>(op);
  if (llvm::isa<StateOp>(op) || (cast && cast.getKept()))
    return true;
  auto parameter = llvm::dyn_cast<ParameterOp>(op);
  return parameter && (!op->getParentOfType<mlir::func::FuncOp>()->hasAttr(kPreparedAttr) ||
                       assignOf(parameter.getResult()));
}

bool StepPhases::dependsOnNothing(Value value) {
  auto known = constant_.find(value);
  if (known != constant_.end())
    return known->second;
  Operation *op = value.getDefiningOp();
  bool free = op && !isVariable(op);
  if (free)
    for (Value operand : op->getOperands())
      free = free && dependsOnNothing(operand);
  if (auto group = llvm::dyn_cast_or_null<GroupOp>(op))
    group.walk([&](Operation *inner) {
      if (inner == group)
        return;
      free = free && !isVariable(inner);
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() != &group.getBody())
          free = free && dependsOnNothing(operand);
    });
  constant_[value] = free;
  return free;
}

bool StepPhases::runsOnce(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  if (keptCast(op->getResult(0)))
    return true;
  return dependsOnNothing(op->getResult(0)) && llvm::none_of(op->getUsers(), [](Operation *user) {
           return llvm::isa<mlir::func::ReturnOp, AssignOp>(user);
         });
}
