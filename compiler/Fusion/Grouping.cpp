#include "compiler/Fusion/Grouping.h"
#include "compiler/Fusion/GroupSpace.h"
#include "compiler/Layout/Access.h"
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Support/StepPhases.h"
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

bool heddle::isComputeOp(Operation *op) {
  return llvm::isa_and_nonnull<GraphDialect>(op->getDialect()) && !op->hasTrait<ViewLike>() &&
         !llvm::isa<ParameterOp, StateOp, ConstantOp, AssignOp, GroupOp, YieldOp>(op);
}

bool heddle::isImplicitCast(Operation *op) {
  auto cast = llvm::dyn_cast_or_null<CastOp>(op);
  return cast && cast.getImplicit();
}

std::string heddle::labelOf(llvm::ArrayRef<Operation *> ops) {
  llvm::SetVector<llvm::StringRef> names;
  for (Operation *op : ops)
    names.insert(op->getName().stripDialect());
  constexpr size_t kShown = 4;
  std::string label;
  for (auto [index, name] : llvm::enumerate(names)) {
    if (names.size() > kShown && index >= kShown - 1 && index + 1 < names.size())
      continue;
    label += (label.empty() ? "" : "+") + name.str();
  }
  return label;
}

GroupOp heddle::outline(GroupKind kind, llvm::ArrayRef<Operation *> ops, llvm::StringRef label,
                        llvm::ArrayRef<Value> outputs) {
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SmallVector<Value> yields(outputs);
  if (outputs.empty())
    for (Operation *op : ops)
      for (Value result : op->getResults()) {
        // Used by an op outside, directly or through views.
        llvm::SmallVector<Value> worklist{result};
        bool escapes = false;
        while (!worklist.empty() && !escapes) {
          Value value = worklist.pop_back_val();
          for (Operation *user : value.getUsers()) {
            if (members.contains(user))
              continue;
            if (user->hasTrait<ViewLike>())
              worklist.push_back(user->getResult(0));
            else
              escapes = true;
          }
        }
        if (escapes)
          yields.push_back(result);
      }
  Operation *last = ops.back();
  mlir::OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  llvm::SmallVector<mlir::Type> types;
  for (Value value : yields)
    types.push_back(value.getType());
  auto group = GroupOp::create(builder, last->getLoc(), types, kind, label, mlir::ArrayAttr());
  mlir::Block &body = group.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);

  mlir::IRMapping mapping;
  // Views of members are cloned where they are read.
  std::function<void(Value)> bring = [&](Value value) {
    Operation *view = value.getDefiningOp();
    if (mapping.contains(value) || !view || !view->hasTrait<ViewLike>() || members.contains(view))
      return;
    Operation *base = baseOf(value).getDefiningOp();
    if (!base || !members.contains(base))
      return;
    bring(view->getOperand(0));
    builder.clone(*view, mapping);
  };
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      bring(operand);
    builder.clone(*op, mapping);
  }
  llvm::SmallVector<Value> inner;
  for (Value value : yields)
    inner.push_back(mapping.lookup(value));
  YieldOp::create(builder, last->getLoc(), inner);
  for (auto [value, result] : llvm::zip_equal(yields, group.getResults()))
    value.replaceAllUsesWith(result);
  // The clones use each other through the mapping; uses inside the group of a yielded value stay inside.
  for (Operation *op : llvm::reverse(ops)) {
    llvm::SmallVector<Operation *> views;
    for (Operation *user : op->getUsers())
      views.push_back(user);
    std::function<void(Operation *)> eraseView = [&](Operation *view) {
      llvm::SmallVector<Operation *> users(view->getUsers());
      for (Operation *user : users)
        if (user->hasTrait<ViewLike>())
          eraseView(user);
      if (view->use_empty())
        view->erase();
    };
    llvm::SmallPtrSet<Operation *, 4> seen;
    for (Operation *view : views)
      if (seen.insert(view).second && view->hasTrait<ViewLike>() && !members.contains(view))
        eraseView(view);
    if (op->use_empty())
      op->erase();
  }
  return group;
}

static Value copyOf(Operation *user, Value value) {
  mlir::OpBuilder builder(user);
  return CopyOp::create(builder, user->getLoc(), value.getType(), value);
}

static TensorIndex addTensor(IterationSpace &space, Value value) {
  return space.addTensor(symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType())));
}

/// Copies under each reshape that stops the reading of `value`.
static void makeReadable(Value value) {
  while (baseOf(value) != value) { // What is no view is readable as it is.
    IterationSpace space;
    ReshapeOp stop;
    if (resolveAccess(value, addTensor(space, value), space, nullptr, &stop))
      return;
    // A reshape of a copy is always readable, so this ends.
    makeReadable(stop.getOperand());
    stop.getOperandMutable().assign(copyOf(stop, stop.getOperand()));
  }
}

Value heddle::storageOf(Value value) {
  for (Operation *user : value.getUsers())
    if (auto assign = llvm::dyn_cast<AssignOp>(user); assign && assign.getValue() == value)
      return assign.getLeaf();
  return value;
}

/// The ops and groups of the function that read a leaf, itself or through views.
static llvm::SmallVector<Operation *> readersOf(Value leaf) {
  llvm::SmallVector<Operation *> readers;
  llvm::SmallVector<Value> worklist{leaf};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (Operation *user : value.getUsers()) {
      user = leaf.getParentBlock()->findAncestorOpInBlock(*user);
      if (user->hasTrait<ViewLike>())
        worklist.push_back(user->getResult(0));
      else if (auto assign = llvm::dyn_cast<AssignOp>(user); !assign || assign.getValue() == value)
        readers.push_back(user);
    }
  }
  return readers;
}

/// Whether `op` can write over `leaf` while it reads it: element by element, or not at all.
static bool mayReplace(Operation *op, Value leaf) {
  if (auto group = llvm::dyn_cast<GroupOp>(op)) {
    llvm::SmallPtrSet<Operation *, 4> writers;
    auto yield = llvm::cast<YieldOp>(group.getBody().front().getTerminator());
    for (auto [result, inner] : llvm::zip_equal(group.getResults(), yield.getValues()))
      if (storageOf(result) == leaf)
        writers.insert(baseOf(inner).getDefiningOp());
    llvm::SmallVector<Operation *> ops;
    for (Operation &member : group.getBody().front())
      if (isComputeOp(&member))
        ops.push_back(&member);
    return replacesInStep(ops, [&](Operation *member) { return writers.contains(member) ? leaf : Value(); });
  }
  if (op->hasTrait<ElementwiseOp>())
    return llvm::none_of(op->getOperands(),
                         [&](Value operand) { return operand != leaf && baseOf(operand) == leaf; });
  return llvm::none_of(op->getOperands(), [&](Value operand) { return baseOf(operand) == leaf; });
}

bool heddle::writesInPlace(AssignOp assign) {
  Operation *writer = assign.getValue().getDefiningOp();
  auto readsLater = [&](Operation *reader) { return writer->isBeforeInBlock(reader); };
  return mayReplace(writer, assign.getLeaf()) && llvm::none_of(readersOf(assign.getLeaf()), readsLater);
}

void heddle::materializeAssigns(mlir::func::FuncOp func) {
  Operation *terminator = func.getBody().front().getTerminator();
  llvm::SmallPtrSet<Value, 4> taken;
  for (Value result : terminator->getOperands())
    taken.insert(result);
  auto assigns = llvm::to_vector(func.getBody().front().getOps<AssignOp>());
  llvm::SmallPtrSet<Value, 4> assigned;
  for (AssignOp assign : assigns)
    assigned.insert(assign.getLeaf());
  // What an assigned leaf is in this run (two that change places) is kept before any of them is written over.
  for (AssignOp assign : assigns)
    if (Value value = assign.getValue(); assigned.contains(baseOf(value))) {
      Value kept = copyOf(assign, value);
      kept.getDefiningOp()->moveAfter(value.getDefiningOp());
      assign.getValueMutable().assign(kept);
    }
  for (AssignOp assign : assigns) {
    Value value = assign.getValue();
    Operation *op = value.getDefiningOp();
    if (op && isComputeOp(op) && !llvm::isa<ConcatOp>(op) && taken.insert(value).second &&
        writesInPlace(assign))
      continue;
    // Behind all that reads the leaf.
    assign->moveBefore(terminator);
    assign.getValueMutable().assign(copyOf(assign, value));
  }
}

void heddle::separateAssigns(mlir::func::FuncOp func) {
  for (AssignOp assign : llvm::to_vector(func.getBody().front().getOps<AssignOp>())) {
    if (writesInPlace(assign))
      continue;
    assign->moveBefore(func.getBody().front().getTerminator());
    Value copy = copyOf(assign, assign.getValue());
    assign.getValueMutable().assign(copy);
    outline(GroupKind::Rows, copy.getDefiningOp(), labelOf(copy.getDefiningOp()));
  }
}

bool heddle::replacesInStep(llvm::ArrayRef<Operation *> ops, llvm::function_ref<Value(Operation *)> leafOf) {
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  auto isStep = [&](Operation *op) { return op && members.contains(op) && op->hasTrait<ElementwiseOp>(); };
  for (Operation *writer : ops) {
    Value leaf = leafOf(writer);
    if (!leaf)
      continue;
    // What works on the element that is written: elementwise ops that read each other directly.
    llvm::SmallPtrSet<Operation *, 16> aligned;
    llvm::SmallVector<Operation *> worklist{writer};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (!isStep(op) || !aligned.insert(op).second)
        continue;
      for (Value operand : op->getOperands())
        worklist.push_back(operand.getDefiningOp());
      llvm::append_range(worklist, op->getUsers());
    }
    llvm::SmallPtrSet<Value, 16> old{leaf}; // And what was computed from it.
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (old.contains(baseOf(operand))) {
          if (!old.contains(operand) || !aligned.contains(op))
            return false;
          old.insert(op->getResult(0));
        }
  }
  return true;
}

void heddle::materializeOutputs(mlir::func::FuncOp func) {
  Operation *terminator = func.getBody().front().getTerminator();
  llvm::SmallPtrSet<Value, 4> seen;
  StepPhases phases(func);
  for (mlir::OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    Operation *op = value.getDefiningOp();
    if (!op || !isComputeOp(op) || !seen.insert(value).second ||
        (!value.hasOneUse() && phases.dependsOnNothing(value)) || keptCast(value))
      operand.set(copyOf(terminator, operand.get()));
  }
}

void heddle::materializeOperands(Operation *op) {
  auto copyUnless = [&](mlir::OpOperand &operand, bool readable) {
    if (!readable)
      operand.set(copyOf(op, operand.get()));
  };
  for (Value operand : op->getOperands())
    makeReadable(operand);
  if (auto matmul = llvm::dyn_cast<MatmulOp>(op)) {
    for (mlir::OpOperand *operand : {&matmul.getLhsMutable(), &matmul.getRhsMutable()})
      copyUnless(*operand, matrixOperandReadable(matmul, operand->getOperandNumber()));
  } else if (auto attention = llvm::dyn_cast<AttentionLike>(op)) {
    // Masks and biases are last.
    unsigned extra = static_cast<bool>(attention.getMask()) + static_cast<bool>(attention.getBias());
    for (mlir::OpOperand &operand : op->getOpOperands().drop_back(extra)) {
      bool heads = operand.getOperandNumber() < attention.numHeadOperands();
      copyUnless(operand,
                 heads ? headsAccess(operand.get()).has_value() : flatVector(operand.get()).has_value());
    }
    for (mlir::OpOperand &operand : op->getOpOperands().take_back(extra))
      copyUnless(operand, scoresAccess(operand.get()).has_value());
  } else if (auto sums = llvm::dyn_cast<EmbeddingGradOp>(op)) {
    copyUnless(sums.getGradientMutable(), rowsAccess(sums.getGradient()).has_value());
    copyUnless(sums.getIndicesMutable(), flatVector(sums.getIndices()).has_value());
  }
}

/// Ops of key masks: cheap enough to be computed for each score.
static bool isKeyMaskOp(Operation *op) {
  return llvm::isa_and_nonnull<CompareOp, AndOp, OrOp, NotOp, SelectOp, CastOp, AddOp, SubOp, MulOp, NegOp>(
      op);
}

/// Whether at most `budget` such ops make the value of integers and booleans that lie in memory anyway.
static bool isKeyMask(Value value, int &budget) {
  if (splatConstant(value))
    return true;
  Operation *op = baseOf(value).getDefiningOp();
  if (isKeyMaskOp(op) && budget-- > 0)
    return llvm::all_of(op->getOperands(), [&](Value operand) { return isKeyMask(operand, budget); });
  bool discrete = hasIntElements(value.getType()) || hasBoolElements(value.getType());
  return discrete && !isKeyMaskOp(op) && !llvm::isa_and_nonnull<IotaOp>(op);
}

namespace {

/// Rebuilds a key mask with its ops above the views: f(x) seen through views is f of x seen through them.
class KeyMaskSinker {
public:
  explicit KeyMaskSinker(Operation *at) : builder_(at) {}

  /// `value` under `views`, nearest first, which end in `type` but for its elements.
  Value sink(Value value, llvm::SmallVector<Operation *> views, mlir::RankedTensorType type) {
    while (Operation *view = value.getDefiningOp()) {
      if (!view->hasTrait<ViewLike>())
        break;
      views.insert(views.begin(), view);
      value = view->getOperand(0);
    }
    Operation *op = value.getDefiningOp();
    mlir::Type element = llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType();
    if (mlir::DenseElementsAttr splat = splatConstant(value)) {
      auto to = withElementType(type, element);
      return ConstantOp::create(builder_, op->getLoc(), to, splat.resizeSplat(to));
    }
    if (isKeyMaskOp(op)) {
      llvm::SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(sink(operand, views, type));
      Operation *clone = builder_.clone(*op);
      clone->setOperands(operands);
      clone->getResult(0).setType(withElementType(type, element));
      made.push_back(clone);
      return clone->getResult(0);
    }
    for (Operation *view : views) {
      Operation *clone = builder_.clone(*view);
      auto shape = llvm::cast<mlir::RankedTensorType>(view->getResult(0).getType());
      clone->setOperand(0, value);
      clone->getResult(0).setType(withElementType(shape, element));
      value = clone->getResult(0);
    }
    makeReadable(value);
    if (scoresAccess(value))
      return value;
    return CopyOp::create(builder_, value.getLoc(), value.getType(), value);
  }

  llvm::SmallVector<Operation *> made;

private:
  mlir::OpBuilder builder_;
};

} // namespace

llvm::SmallVector<Operation *> heddle::sinkKeyMasks(AttentionLike attention) {
  constexpr int kMostOps = 8;
  KeyMaskSinker sinker(attention);
  for (mlir::MutableOperandRange range : {attention.getMaskMutable(), attention.getBiasMutable()})
    for (mlir::OpOperand &operand : range) {
      auto type = llvm::cast<mlir::RankedTensorType>(operand.get().getType());
      int budget = kMostOps;
      if (type.getDimSize(2) == 1 && isKeyMaskOp(baseOf(operand.get()).getDefiningOp()) &&
          isKeyMask(operand.get(), budget))
        operand.set(sinker.sink(operand.get(), {}, type));
    }
  return sinker.made;
}

/// `value` [B, H, S, D] with `extra` columns of zeros.
static Value withZeros(GraphBuilder &graph, Value value, int64_t extra) {
  if (extra == 0)
    return value;
  SymbolicShape one(4, SymbolicDim::fixed(1)), part = symbolicShape(typeOf(value));
  part[3] = SymbolicDim::fixed(extra);
  Value zero = graph.splat(tensorType(graph.context(), one, typeOf(value).getElementType()), 0.0);
  return graph.concat({value, graph.broadcast(zero, part)}, 3);
}

bool heddle::isHeadsResult(Value result) {
  auto number = llvm::cast<mlir::OpResult>(result).getResultNumber();
  return number < llvm::cast<AttentionLike>(result.getDefiningOp()).numHeadResults();
}

/// Gives a result `extra` more columns, which its readers do not see.
static void widen(GraphBuilder &graph, Value result, int64_t extra) {
  if (extra == 0)
    return;
  SymbolicShape wide = symbolicShape(typeOf(result));
  int64_t width = wide[3].value;
  wide[3] = SymbolicDim::fixed(width + extra);
  result.setType(tensorType(graph.context(), wide, typeOf(result).getElementType()));
  Value cut = graph.slice(result, 3, 0, width);
  result.replaceAllUsesExcept(cut, cut.getDefiningOp());
}

void heddle::padHeads(mlir::func::FuncOp func) {
  constexpr int64_t kMultiple = 8;
  llvm::DenseMap<Value, Value> wide; // The gradient reads what attention does.
  for (AttentionLike op : llvm::to_vector(func.getBody().front().getOps<AttentionLike>())) {
    auto extraOf = [&](Value value) {
      int64_t width = llvm::cast<mlir::RankedTensorType>(value.getType()).getDimSize(3);
      return llvm::alignTo(width, kMultiple) - width;
    };
    mlir::OpBuilder builder(op);
    GraphBuilder graph(builder, op.getLoc());
    // Operands first: a result's width follows from theirs.
    llvm::SmallVector<int64_t, 3> extras;
    for (Value result : op->getResults().take_front(op.numHeadResults()))
      extras.push_back(extraOf(result));
    for (mlir::OpOperand &operand : op->getOpOperands().take_front(op.numHeadOperands())) {
      Value &padded = wide[operand.get()];
      if (!padded)
        padded = withZeros(graph, operand.get(), extraOf(operand.get()));
      operand.set(padded);
    }
    builder.setInsertionPointAfter(op);
    for (auto [result, extra] : llvm::zip(op->getResults(), extras))
      widen(graph, result, extra);
  }
}

void heddle::eraseUnusedOps(mlir::func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (llvm::isa_and_nonnull<GraphDialect>(op.getDialect()) && op.use_empty() && !llvm::isa<AssignOp>(op))
      op.erase();
}
