//===- Precision.cpp - Casts by a precision policy ------------------------===//
#include "compiler/Precision/Passes.h"
#include "compiler/Precision/PolicyTable.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"
#include "dialects/Graph/Prepared.h"

namespace heddle {
#define GEN_PASS_DEF_OUTPUTTYPES
#define GEN_PASS_DEF_PRECISION
#include "compiler/Precision/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Type;
using mlir::Value;

namespace {

/// Walks @main in order and gives each op its types. A value has the type that it has in the graph, and the
/// type that torch.autocast would give it (`nominal`): with rounding=fused the former may be wider.
class Autocast {
public:
  /// `pure`: policy bf16-true, where parameters are low and no op asks for more.
  Autocast(mlir::func::FuncOp main, bool eager, bool pure)
      : main_(main), eager_(eager), pure_(pure), builder_(main.getContext()), f32_(builder_.getF32Type()),
        low_(builder_.getBF16Type()) {}

  void run();
  void prepareWeights();
  void keepCopies();
  unsigned casts() const { return casts_; }
  unsigned preparedWeights() const { return prepared_; }
  unsigned keptCopies() const { return kept_; }

private:
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }
  static bool isFloat(Value value) { return hasFloatElements(value.getType()); }
  Type nominal(Value value) const {
    auto it = nominal_.find(value);
    return it == nominal_.end() ? elementOf(value) : it->second;
  }
  /// Which operands' types the rules are about.
  static bool takesPart(Operation *op, unsigned index) {
    // Masks are boolean, and attention adds its bias to float32 scores whatever the bias's type. Its
    // gradient's statistics and delta are float32.
    auto attention = llvm::dyn_cast<AttentionLike>(op);
    unsigned count = attention ? attention.numHeadOperands() : op->getNumOperands();
    return isFloat(op->getOperand(index)) && index < count;
  }
  /// How many of the results' types, from the first on.
  static unsigned resultsTakingPart(Operation *op) {
    auto attention = llvm::dyn_cast<AttentionLike>(op);
    return attention ? attention.numHeadResults() : 1;
  }

  void visit(Operation *op);
  void roundDeltaOperands(Operation *op);
  void castOperand(Operation *op, unsigned index, Type element, bool ownKernel);
  Value castOnce(Value value, Type element);
  Value castUnderViews(Value value, Type element, bool ownKernel);
  Value makeCast(Value value, Type element, bool implicit);
  void setResult(Operation *op, Type element, Type nominal);
  void computeInSingle(Operation *op, Type nominal);
  void roundResult(Operation *op, Type nominal);
  void roundGradient(LikeOp like);
  Type widest(Operation *op) const;

  mlir::func::FuncOp main_;
  bool eager_, pure_;
  bool backward_ = false; ///< Ops from here on are of gradients; known with eager rounding alone.
  mlir::OpBuilder builder_;
  Type f32_, low_;
  llvm::DenseMap<Value, Type> nominal_;
  /// Casts and views of casts that are shared, and those that backward finds kept.
  llvm::DenseMap<std::pair<Value, Type>, Value> made_;
  unsigned casts_ = 0, prepared_ = 0, kept_ = 0;
};

bool isView(Operation *op) { return op && op->hasTrait<ViewLike>(); }

/// `attr` in another floating type, or null where that would round it.
mlir::DenseElementsAttr exactly(mlir::DenseElementsAttr attr, Type element) {
  llvm::APFloat value = attr.getSplatValue<llvm::APFloat>();
  bool inexact = false;
  value.convert(llvm::cast<mlir::FloatType>(element).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                &inexact);
  if (inexact)
    return {};
  return mlir::DenseElementsAttr::get(
      withElementType(llvm::cast<mlir::RankedTensorType>(attr.getType()), element), value);
}

/// A sum of a product and a vector that is stretched over its rows: one op with the product in PyTorch.
bool isBiasOfProduct(Operation *op) {
  auto sum = llvm::dyn_cast<AddOp>(op);
  if (!sum)
    return false;
  for (auto [product, bias] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    Operation *vector = bias.getDefiningOp();
    while (isView(vector) && !llvm::isa<SliceOp>(vector))
      vector = vector->getOperand(0).getDefiningOp();
    auto parameter = llvm::dyn_cast_or_null<ParameterOp>(vector);
    if (product.getDefiningOp<MatmulOp>() && parameter && typeOf(parameter.getResult()).getRank() == 1)
      return true;
  }
  return false;
}

/// The product whose sums over rows are what attention's gradient calls delta: PyTorch computes them inside
/// of its kernel.
bool isAttentionDelta(Operation *op) {
  if (!llvm::isa<MulOp>(op) || !op->hasOneUse())
    return false;
  auto sum = llvm::dyn_cast<ReduceOp>(*op->user_begin());
  if (!sum || sum.getKind() != ReduceKind::Sum)
    return false;
  llvm::SmallVector<Value> worklist{sum.getResult()};
  while (!worklist.empty())
    for (mlir::OpOperand &use : worklist.pop_back_val().getUses()) {
      if (auto grad = llvm::dyn_cast<AttentionGradOp>(use.getOwner());
          grad && &use == &grad.getDeltaMutable())
        return true;
      if (isView(use.getOwner()) || llvm::isa<SubOp>(use.getOwner()))
        worklist.push_back(use.getOwner()->getResult(0));
    }
  return false;
}

PolicyRole roleOf(Operation *op) {
  if (isAttentionDelta(op))
    return PolicyRole::AttentionDelta;
  if (auto reduce = llvm::dyn_cast<ReduceOp>(op))
    return reduce.getKind() == ReduceKind::Sum ? PolicyRole::Sum : PolicyRole::Any;
  return isBiasOfProduct(op) ? PolicyRole::BiasOfProduct : PolicyRole::Any;
}

} // namespace

Value Autocast::makeCast(Value value, Type element, bool implicit) {
  ++casts_;
  mlir::Location loc = value.getDefiningOp() ? value.getDefiningOp()->getLoc() : builder_.getUnknownLoc();
  GraphBuilder g(builder_, loc);
  Value cast = g.cast(value, element, implicit);
  nominal_[cast] = element;
  return cast;
}

/// One cast for all uses, right behind the value.
Value Autocast::castOnce(Value value, Type element) {
  Value &made = made_[{value, element}];
  if (!made) {
    mlir::OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPointAfterValue(value);
    // A parameter's cast is a kernel of eager execution: autocast keeps it for the rest of the forward pass.
    made = makeCast(value, element, /*implicit=*/!eager_);
  }
  return made;
}

/// The cast of `value` at the current place, put under views that move all elements: it keeps the layout, and
/// shares the cast of what others view. Parameters are cast once.
Value Autocast::castUnderViews(Value value, Type element, bool ownKernel) {
  if (elementOf(value) == element)
    return value;
  Operation *op = value.getDefiningOp();
  Value base = value;
  while (Operation *view = base.getDefiningOp()) {
    if (!llvm::isa<ReshapeOp, TransposeOp>(view) && !(llvm::isa<BroadcastOp>(view) && !eager_))
      break;
    base = view->getOperand(0);
  }
  Operation *root = base.getDefiningOp();
  while (isView(root))
    root = root->getOperand(0).getDefiningOp();
  bool shared = !eager_ || llvm::isa_and_nonnull<ParameterOp>(root);
  if (base == value) {
    if (llvm::isa_and_nonnull<ParameterOp>(root) && isView(op)) { // A slice of a parameter.
      base = op->getOperand(0);
    } else if (shared) {
      return castOnce(value, element);
    } else {
      // Forward casts for each reader; backward has the cast that its op's product read.
      Value &made = made_[{value, element}];
      if (!made || !backward_)
        made = makeCast(value, element, /*implicit=*/!ownKernel);
      return made;
    }
  }
  if (Value known = shared ? made_.lookup({value, element}) : Value())
    return known;
  mlir::OpBuilder::InsertionGuard guard(builder_);
  if (shared)
    builder_.setInsertionPoint(op);
  Value inner = castUnderViews(op->getOperand(0), element, ownKernel);
  Operation *view = builder_.clone(*op);
  view->setOperand(0, inner);
  view->getResult(0).setType(withElementType(typeOf(value), element));
  nominal_[view->getResult(0)] = element;
  if (shared)
    made_[{value, element}] = view->getResult(0);
  return view->getResult(0);
}

/// `ownKernel`: PyTorch runs this cast as a kernel, where it is no part of the op's.
void Autocast::castOperand(Operation *op, unsigned index, Type element, bool ownKernel) {
  Value value = op->getOperand(index);
  if (elementOf(value) == element)
    return;
  builder_.setInsertionPoint(op);
  // A constant's type gives way to the other operands', as a Python number's does.
  if (mlir::DenseElementsAttr constant = splatConstant(value))
    if (mlir::DenseElementsAttr exact = exactly(constant, element)) {
      op->setOperand(index, ConstantOp::create(builder_, op->getLoc(), exact.getType(), exact));
      return;
    }
  if (ownKernel || !eager_)
    op->setOperand(index, ownKernel ? castUnderViews(value, element, ownKernel) : castOnce(value, element));
  else
    op->setOperand(index, makeCast(value, element, /*implicit=*/true));
}

void Autocast::setResult(Operation *op, Type element, Type nominal) {
  for (Value result : op->getResults().take_front(resultsTakingPart(op))) {
    if (!isFloat(result))
      return;
    result.setType(withElementType(typeOf(result), element));
    nominal_[result] = nominal;
  }
}

/// Operands are widened while they are read; with eager rounding the result is rounded where it is written.
void Autocast::computeInSingle(Operation *op, Type nominal) {
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (takesPart(op, i))
      castOperand(op, i, f32_, /*ownKernel=*/false);
  setResult(op, f32_, nominal);
  if (eager_ && nominal != f32_ && isFloat(op->getResult(0)))
    roundResult(op, nominal);
}

void Autocast::roundResult(Operation *op, Type nominal) {
  Value result = op->getResult(0);
  builder_.setInsertionPointAfter(op);
  Value rounded = makeCast(result, nominal, /*implicit=*/true);
  result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
}

/// A cast of its own, where the value was rounded to another type than its gradient has.
void Autocast::roundGradient(LikeOp like) {
  backward_ = true;
  builder_.setInsertionPoint(like);
  Value rounded = castUnderViews(like.getGradient(), nominal(like.getValue()), /*ownKernel=*/true);
  like.getResult().replaceAllUsesWith(rounded);
  like.erase();
}

/// Attention's kernel reads the gradient in its own type. What delta is made of is that number, as it was
/// rounded: otherwise a query's changes would not sum to zero over its keys, whose gradients then have the
/// difference. Fused, the rounding is delta's alone, so that no other reader loses what it may leave out.
void Autocast::roundDeltaOperands(Operation *op) {
  builder_.setInsertionPoint(op);
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (elementOf(operand.get()) != low_)
      operand.set(eager_ ? castUnderViews(operand.get(), low_, /*ownKernel=*/true)
                         : makeCast(operand.get(), low_, /*implicit=*/false));
}

/// The widest nominal type of the operands that are no constants.
Type Autocast::widest(Operation *op) const {
  Type widest;
  bool constantsOnly = true;
  for (bool constants : {false, true}) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i) {
      Value operand = op->getOperand(i);
      if (!takesPart(op, i) || static_cast<bool>(splatConstant(operand)) != constants)
        continue;
      constantsOnly = false;
      Type type = nominal(operand);
      // bf16 and f16 have no wider one but float32.
      if (!widest)
        widest = type;
      else if (widest != type)
        widest = f32_;
    }
    if (widest)
      break;
  }
  return constantsOnly ? Type() : widest;
}

void Autocast::visit(Operation *op) {
  // What is kept has the type of where it is kept.
  if (auto assign = llvm::dyn_cast<AssignOp>(op))
    return castOperand(op, 1, elementOf(assign.getLeaf()), /*ownKernel=*/false);
  if (auto like = llvm::dyn_cast<LikeOp>(op))
    return roundGradient(like);
  if (op->getNumResults() == 0)
    return;
  bool anyFloat = false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    anyFloat |= takesPart(op, i);
  if (!anyFloat)
    return;
  const PolicyRule *known = findPolicyRule(op->getName().stripDialect().str(), roleOf(op));
  TypeRule rule = known ? known->rule : TypeRule::Fixed;
  // Without autocast nothing is widened; what such an op computes is float32 inside its kernel all the same.
  if (pure_ && rule == TypeRule::Single)
    rule = TypeRule::Widest;
  switch (rule) {
  case TypeRule::Low:
    // A bias is added while the product's sums are float32: one rounding for both. With rounding=fused it is
    // the type that the sum is stored in, if it is stored.
    if (llvm::isa<AddOp>(op)) {
      computeInSingle(op, low_);
      if (!eager_)
        roundResult(op, low_);
      return;
    }
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (takesPart(op, i))
        castOperand(op, i, low_, /*ownKernel=*/true);
    return setResult(op, low_, low_);
  case TypeRule::Single:
  case TypeRule::Always:
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (takesPart(op, i))
        castOperand(op, i, f32_, /*ownKernel=*/eager_);
    return setResult(op, f32_, f32_);
  case TypeRule::Inside:
    roundDeltaOperands(op);
    return computeInSingle(op, f32_);
  case TypeRule::Widest: {
    Type type = widest(op);
    // Concatenation computes nothing: it need not widen what has one type.
    bool moves = llvm::isa<ConcatOp>(op);
    bool alike = llvm::all_equal(llvm::map_range(llvm::make_filter_range(op->getOperands(), isFloat),
                                                 [](Value operand) { return elementOf(operand); }));
    if (moves && alike)
      return setResult(op, elementOf(op->getOperand(0)), type);
    if (!eager_ || type == f32_) {
      computeInSingle(op, type);
      // Sums and norms are what such a model keeps for several readers (the residual stream, before a norm or
      // after it): bf16, where they are stored.
      if (pure_ && !eager_ && type == low_ && llvm::isa<AddOp, LayerNormOp, RmsNormOp>(op))
        roundResult(op, low_);
      return;
    }
    bool exact = llvm::all_of(op->getOperands(), [&](Value operand) {
      mlir::DenseElementsAttr constant =
          isFloat(operand) ? splatConstant(operand) : mlir::DenseElementsAttr();
      return !constant || exactly(constant, type);
    });
    if (!exact)
      return computeInSingle(op, type);
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (takesPart(op, i))
        castOperand(op, i, type, /*ownKernel=*/false);
    return setResult(op, type, type);
  }
  case TypeRule::Follow: {
    Value operand = op->getOperand(0);
    if (eager_ || isView(op) || llvm::isa<CopyOp>(op))
      return setResult(op, elementOf(operand), nominal(operand));
    return computeInSingle(op, nominal(operand));
  }
  case TypeRule::Fixed:
    // Rows of a table have the table's type, which a policy may have changed.
    if (auto embedding = llvm::dyn_cast<EmbeddingOp>(op))
      return setResult(op, elementOf(embedding.getTable()), nominal(embedding.getTable()));
    // A cast to the type that the value has by now is none, in PyTorch either.
    if (auto cast = llvm::dyn_cast<CastOp>(op); cast && cast.getOperand().getType() == cast.getType() &&
                                                nominal(cast.getOperand()) == elementOf(cast)) {
      cast.getResult().replaceAllUsesWith(cast.getOperand());
      cast.erase();
    }
    return;
  }
}

/// Weights that are only read as bf16 are kept as bf16: the same values, rounded where they are filled and
/// not in each run. For those that are read as float32, too, and for whatever else depends on parameters
/// alone, the function says that it may be computed once (compiler/Support/StepPhases.h).
void Autocast::prepareWeights() {
  mlir::Block &body = main_.getBody().front();
  for (ParameterOp parameter : llvm::to_vector(body.getOps<ParameterOp>())) {
    Value value = parameter.getResult();
    auto isLowCast = [&](Operation *user) {
      auto cast = llvm::dyn_cast<CastOp>(user);
      return cast && elementOf(cast.getResult()) == low_;
    };
    if (elementOf(value) != f32_ || value.use_empty() || !llvm::all_of(value.getUsers(), isLowCast))
      continue;
    value.setType(withElementType(typeOf(value), low_));
    for (Operation *cast : llvm::make_early_inc_range(value.getUsers())) {
      cast->getResult(0).replaceAllUsesWith(value);
      cast->erase();
    }
    ++prepared_;
  }
  main_->setAttr(kPreparedAttr, builder_.getUnitAttr());
}

/// Whether a product reads the value, or a view of it.
static bool isReadByProduct(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return llvm::isa<MatmulOp>(user) || (isView(user) && isReadByProduct(user->getResult(0)));
  });
}

/// What products read of a float32 weight that a step changes stays beside it from run to run: the weight's
/// update writes it as well, where it has the new value at hand, and no run reads the weight to cast it.
void Autocast::keepCopies() {
  for (AssignOp update : llvm::to_vector(main_.getBody().front().getOps<AssignOp>())) {
    // Of a narrower weight the copy would have to be rounded twice, as the weight is first.
    if (!update.getLeaf().getDefiningOp<ParameterOp>() || elementOf(update.getLeaf()) != f32_)
      continue;
    for (Operation *user : update.getLeaf().getUsers()) {
      auto cast = llvm::dyn_cast<CastOp>(user);
      if (!cast || cast.getKept() || elementOf(cast.getResult()) != low_ ||
          !isReadByProduct(cast.getResult()))
        continue;
      cast.setImplicit(false);
      cast.setKept(true);
      builder_.setInsertionPoint(update);
      Value next = makeCast(update.getValue(), low_, /*implicit=*/true);
      AssignOp::create(builder_, update.getLoc(), cast.getResult(), next);
      ++kept_;
      break; // castOnce makes one; a user's own cast beside it stays in the run.
    }
  }
}

void Autocast::run() {
  mlir::Block &body = main_.getBody().front();
  if (pure_)
    for (ParameterOp parameter : body.getOps<ParameterOp>())
      if (isFloat(parameter.getResult()))
        setResult(parameter, low_, low_);
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    visit(&op);
  Operation *end = body.getTerminator();
  builder_.setInsertionPoint(end);
  for (mlir::OpOperand &operand : end->getOpOperands()) {
    if (!isFloat(operand.get()))
      continue;
    // A gradient has its parameter's type; what else belongs to gradients, their norm, is float32.
    unsigned number = operand.getOperandNumber();
    auto parts = main_.getResultAttrOfType<mlir::ArrayAttr>(number, kGradientAttr);
    auto written = main_.getResultAttrOfType<mlir::TypeAttr>(number, kElementAttr);
    Type type = written                   ? written.getValue()
                : !parts                  ? nominal(operand.get())
                : pure_ && !parts.empty() ? low_
                                          : f32_;
    main_.removeResultAttr(number, builder_.getStringAttr(kElementAttr));
    if (elementOf(operand.get()) != type)
      operand.set(castUnderViews(operand.get(), type, /*ownKernel=*/true));
  }
  main_.setFunctionType(
      builder_.getFunctionType(main_.getArgumentTypes(), llvm::to_vector(end->getOperandTypes())));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (mlir::isOpTriviallyDead(&op))
      op.erase();
}

static bool isBf16Policy(llvm::StringRef policy) { return policy == "bf16" || policy == "bf16-true"; }

/// Whether there is such a policy; an error if not.
static bool verifyPolicy(mlir::ModuleOp module, llvm::StringRef policy) {
  if (policy == "fp32" || policy == "tf32" || isBf16Policy(policy))
    return true;
  module.emitError() << "unknown precision policy '" << policy << "', wanted fp32, tf32, bf16 or bf16-true";
  return false;
}

namespace {
struct OutputTypesPass : public heddle::impl::OutputTypesBase<OutputTypesPass> {
  using OutputTypesBase::OutputTypesBase;

  void runOnOperation() override {
    if (!verifyPolicy(getOperation(), policy))
      return signalPassFailure();
    if (!isBf16Policy(policy))
      return;
    mlir::OwningOpRef<mlir::ModuleOp> copy = getOperation().clone();
    mlir::func::FuncOp eager = mainFunction(*copy), main = mainFunction(getOperation());
    Autocast(eager, /*eager=*/true, policy == "bf16-true").run();
    for (auto [number, type] : llvm::enumerate(eager.getResultTypes()))
      if (hasFloatElements(type) && !main.getResultAttr(number, kElementAttr))
        main.setResultAttr(number, kElementAttr,
                           mlir::TypeAttr::get(llvm::cast<mlir::RankedTensorType>(type).getElementType()));
  }
};

struct PrecisionPass : public heddle::impl::PrecisionBase<PrecisionPass> {
  using PrecisionBase::PrecisionBase;

  void runOnOperation() override {
    if (!verifyPolicy(getOperation(), policy))
      return signalPassFailure();
    if (prepareWeights && policy != "bf16") {
      getOperation().emitError() << "weights are prepared under policy bf16, found '" << policy << "'";
      return signalPassFailure();
    }
    if (rounding != "eager" && rounding != "fused") {
      getOperation().emitError() << "unknown rounding '" << rounding << "', wanted eager or fused";
      return signalPassFailure();
    }
    if (!isBf16Policy(policy)) {
      mlir::func::FuncOp main = mainFunction(getOperation());
      for (unsigned number = 0; number < main.getNumResults(); ++number)
        main.removeResultAttr(number, mlir::StringAttr::get(&getContext(), kElementAttr));
      // Nothing is rounded.
      for (LikeOp like : llvm::to_vector(mainFunction(getOperation()).getBody().front().getOps<LikeOp>())) {
        like.getResult().replaceAllUsesWith(like.getGradient());
        like.erase();
      }
      return;
    }
    Autocast autocast(mainFunction(getOperation()), rounding == "eager", policy == "bf16-true");
    autocast.run();
    if (prepareWeights)
      autocast.prepareWeights();
    if (rounding == "fused")
      autocast.keepCopies();
    numCasts += autocast.casts();
    numPrepared += autocast.preparedWeights();
    numKept += autocast.keptCopies();
  }
};
} // namespace
