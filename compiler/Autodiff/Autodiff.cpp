//===- Autodiff.cpp - Gradients of the loss -------------------------------===//
#include "compiler/Autodiff/Accumulate.h"
#include "compiler/Autodiff/AdamW.h"
#include "compiler/Autodiff/GradientSums.h"
#include "compiler/Autodiff/Passes.h"
#include "compiler/Support/Locations.h"
#include "dialects/Graph/GraphModule.h"
#include "dialects/Graph/OneKernel.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringSet.h"

namespace heddle {
#define GEN_PASS_DEF_AUTODIFF
#include "compiler/Autodiff/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
using mlir::Value;

namespace {

llvm::StringRef nameOf(ParameterOp parameter) {
  return llvm::cast<PartAttr>(parameter.getParts()[0]).getName();
}

/// A result that @main gets.
struct NamedValue {
  std::string name;
  Value value;
  mlir::ArrayAttr parts; ///< Of a gradient; empty for the norm of all.
};

class Reverse {
public:
  Reverse(mlir::func::FuncOp main, const AutodiffOptions &options)
      : options_(options), main_(main), block_(main.getBody().front()) {}

  LogicalResult run();
  unsigned gradients() const { return gradients_; }

private:
  LogicalResult findLoss();
  void findDependent(mlir::OpBuilder &builder);
  LogicalResult visit(Operation *op, mlir::OpBuilder &builder);
  Value total(Value value, GraphBuilder &g);
  Value rounded(Value gradient, Value value, GraphBuilder &g);
  LogicalResult collect(mlir::OpBuilder &builder);
  void addResults(llvm::ArrayRef<NamedValue> added);

  AutodiffOptions options_;
  mlir::func::FuncOp main_;
  mlir::Block &block_;
  Value loss_;
  /// A parameter that each floating value depends on; absent where there is none.
  llvm::DenseMap<Value, ParameterOp> dependsOn_;
  /// What the readers of each value gave so far.
  llvm::DenseMap<Value, llvm::SmallVector<Value, 2>> given_;
  unsigned gradients_ = 0;
};

LogicalResult Reverse::findLoss() {
  for (auto [index, value] : llvm::enumerate(block_.getTerminator()->getOperands())) {
    auto name = main_.getResultAttrOfType<mlir::StringAttr>(index, kNameAttr);
    if (!name || name.getValue() != kLossName)
      continue;
    mlir::RankedTensorType type = typeOf(value);
    if (type.getNumElements() != 1 || !type.getElementType().isF32())
      return main_.emitError() << "the loss has type " << type << ", wanted one f32";
    loss_ = value;
    return success();
  }
  return main_.emitError() << "no result of @main is called \"" << kLossName
                           << "\": there is nothing to differentiate";
}

/// Also lets ops on such ways keep what their gradients read.
void Reverse::findDependent(mlir::OpBuilder &builder) {
  for (Operation &each : llvm::make_early_inc_range(block_.without_terminator())) {
    Operation *op = &each;
    ParameterOp parameter = llvm::dyn_cast<ParameterOp>(op);
    for (Value operand : op->getOperands())
      if (!parameter)
        parameter = dependsOn_.lookup(operand);
    if (auto differentiable = llvm::dyn_cast<DifferentiableOp>(op); differentiable && parameter)
      op = differentiable.keepForVjp(builder);
    for (Value result : op->getResults())
      if (parameter && hasFloatElements(result.getType()))
        dependsOn_[result] = parameter;
  }
}

/// `gradient` rounded as `value` is, where eager execution is to do so.
Value Reverse::rounded(Value gradient, Value value, GraphBuilder &g) {
  if (!options_.eager || gradient.getDefiningOp<LikeOp>())
    return gradient;
  return LikeOp::create(g.builder(), g.location(), gradient.getType(), gradient, value);
}

/// What the readers of `value` gave it, as one value; null: none did.
Value Reverse::total(Value value, GraphBuilder &g) {
  auto found = given_.find(value);
  if (found == given_.end())
    return {};
  Value sum = sumOf(g, found->second);
  if (Operation *op = value.getDefiningOp(); !op || !op->hasTrait<ViewLike>())
    sum = rounded(sum, value, g);
  found->second.assign(1, sum);
  return sum;
}

LogicalResult Reverse::visit(Operation *op, mlir::OpBuilder &builder) {
  GraphBuilder g(builder, op->getLoc());
  llvm::SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(total(result, g));
  llvm::BitVector wanted(op->getNumOperands());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    wanted[index] = dependsOn_.contains(operand);
  if (llvm::none_of(results, [](Value value) { return static_cast<bool>(value); }) || wanted.none())
    return success();
  auto differentiable = llvm::dyn_cast<DifferentiableOp>(op);
  if (!differentiable) {
    ParameterOp parameter = dependsOn_.lookup(op->getOperand(wanted.find_first()));
    return op->emitError() << "'" << op->getName() << "' has no gradient, which parameter \""
                           << nameOf(parameter) << "\" needs";
  }
  llvm::SmallVector<Value> operands(op->getNumOperands());
  if (failed(differentiable.buildVjp(builder, results, wanted, operands)))
    return failure();
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (!wanted[index])
      continue;
    Value gradient = operands[index];
    // Not before views and concatenations: what follows looks through them. The sum is rounded at the latest.
    if (Operation *maker = gradient.getDefiningOp();
        maker && !maker->hasTrait<ViewLike>() && !llvm::isa<ConcatOp>(maker))
      gradient = rounded(gradient, operand, g);
    given_[operand].push_back(gradient);
  }
  return success();
}

/// Gives the gradients out, or to the optimizer.
LogicalResult Reverse::collect(mlir::OpBuilder &builder) {
  // Tied weights are one op by now: the importer sees to that.
  llvm::SmallVector<ParameterOp> parameters(block_.getOps<ParameterOp>());
  llvm::StringSet<> names;
  for (ParameterOp parameter : parameters)
    for (PartAttr part : parameter.getParts().getAsRange<PartAttr>())
      if (!names.insert(part.getName()).second)
        return parameter.emitError() << "part \"" << part.getName()
                                     << "\" lies in two parameters, which cannot both be trained";
  llvm::SmallVector<NamedValue> added;
  llvm::SmallVector<Trained> trained;
  for (ParameterOp parameter : parameters) {
    GraphBuilder g(builder, parameter.getLoc());
    std::string name = nameOf(parameter).str();
    Value gradient = total(parameter.getResult(), g);
    if (!gradient) {
      parameter.emitRemark() << "the loss does not depend on parameter \"" << name
                             << "\": it has no gradient";
      continue;
    }
    added.push_back({name + ".grad", gradient, parameter.getParts()});
    trained.push_back({parameter, gradient});
    ++gradients_;
  }
  if (added.empty())
    return main_.emitError("the loss depends on no parameter");
  if (options_.optimizer)
    for (Trained &each : trained)
      if (AssignOp assign = assignOf(each.parameter.getResult()))
        return assign.emitError() << "the graph changes parameter \"" << nameOf(each.parameter)
                                  << "\" itself, which the optimizer is to do";
  if (options_.optimizer && options_.accumulate)
    addUpOverRuns(builder, trained);
  if (options_.optimizer)
    added = {{kGradNormName.str(), buildAdamW(builder, trained), builder.getArrayAttr({})}};
  addResults(added);
  return success();
}

void Reverse::addResults(llvm::ArrayRef<NamedValue> added) {
  Operation *end = block_.getTerminator();
  mlir::Builder builder(end->getContext());
  llvm::SmallVector<Value> values(end->getOperands());
  llvm::SmallVector<mlir::Type> types(main_.getResultTypes());
  llvm::SmallVector<mlir::DictionaryAttr> attrs;
  main_.getAllResultAttrs(attrs);
  attrs.resize(types.size(), builder.getDictionaryAttr({}));
  for (const NamedValue &result : added) {
    values.push_back(result.value);
    types.push_back(result.value.getType());
    llvm::SmallVector<mlir::NamedAttribute> entries{
        builder.getNamedAttr(kNameAttr, builder.getStringAttr(result.name)),
        builder.getNamedAttr(kGradientAttr, result.parts)};
    attrs.push_back(builder.getDictionaryAttr(entries));
  }
  end->setOperands(values);
  main_.setFunctionType(builder.getFunctionType(main_.getArgumentTypes(), types));
  main_.setAllResultAttrs(attrs);
}

LogicalResult Reverse::run() {
  mlir::OpBuilder builder(block_.getTerminator());
  findDependent(builder);
  if (failed(findLoss())) // Now, as the loss itself may have been replaced.
    return failure();
  given_[loss_].push_back(GraphBuilder(builder, loss_.getLoc()).splat(typeOf(loss_), 1.0));
  llvm::SmallVector<Operation *> ops;
  for (Operation &op : block_.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (!llvm::isa<ParameterOp>(op) && failed(visit(op, builder)))
      return failure();
  if (failed(collect(builder)))
    return failure();
  // Concatenations with zeros that were put side by side, transposes of transposes.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block_)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
  return success();
}

struct AutodiffPass : public heddle::impl::AutodiffBase<AutodiffPass> {
  using AutodiffBase::AutodiffBase;

  void runOnOperation() override {
    Reverse reverse(mainFunction(getOperation()), {optimizer, accumulate, eager});
    if (failed(reverse.run()))
      return signalPassFailure();
    numGradients += reverse.gradients();
    if (!eager)
      getOperation().walk([](Operation *op) { op->removeAttr(kKernelAttr); });
  }
};

} // namespace
