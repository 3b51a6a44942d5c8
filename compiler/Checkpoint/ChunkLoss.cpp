//===- ChunkLoss.cpp - The last product, its loss and gradients in chunks of rows --===//
#include "compiler/Checkpoint/Passes.h"
#include "compiler/Layout/Access.h"
#include "compiler/Support/Chunks.h"
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

#include <optional>

namespace heddle {
#define GEN_PASS_DEF_CHUNKLOSS
#include "compiler/Checkpoint/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

namespace {

/// What reads the logits' gradient: a product by rows, which gives rows; or a product over all rows, with the
/// gradient on the left or on the right, or a sum over them, which give a sum of what each chunk gives.
struct Reader {
  enum Kind { Rows, SumLeft, SumRight, SumRows } kind;
  Operation *op;
  bool narrow; ///< Reads the gradient's cast.

  Value result() const { return op->getResult(0); }
};

/// An op between the product and the loss: an implicit cast, or a bias that is added to each row.
struct Step {
  mlir::Type element; ///< Cast to; null for a bias.
  Value bias;         ///< One row.
  mlir::Location loc;

  bool sameAs(const Step &other) const { return element == other.element && bias == other.bias; }
};

/// How logits come from a product.
struct Logits {
  MatmulOp product;
  llvm::SmallVector<Step> steps; ///< From the product on.
};

/// What is cut into chunks.
struct Loss {
  MatmulOp product; ///< Rows of the logits.
  llvm::SmallVector<Step> steps;
  CrossEntropyOp loss; ///< Of each row.
  CrossEntropyGradOp gradient;
  CastOp narrow; ///< Of the gradient, or null.
  llvm::SmallVector<Reader> readers;

  int64_t rows() { return loss.getTargets().getType().getNumElements(); }
};

int64_t rankOf(Value value) { return typeOf(value).getRank(); }

/// The one implicit cast that an op is, or null.
CastOp implicitCast(Operation *op) {
  auto cast = llvm::dyn_cast_or_null<CastOp>(op);
  return cast && cast.getImplicit() ? cast : CastOp();
}

/// One row that is repeated, and nothing else, before it is repeated; or null.
Value repeatedRow(Value value) {
  auto repeated = value.getDefiningOp<BroadcastOp>();
  if (!repeated)
    return Value();
  Value row = repeated.getOperand();
  int64_t columns = typeOf(value).getShape().back();
  return typeOf(row).getNumElements() == columns && typeOf(row).getShape().back() == columns ? row : Value();
}

/// The step that an op is, and what it goes on from; nothing where it is none.
std::optional<std::pair<Step, Value>> stepOf(Operation *op) {
  if (CastOp cast = implicitCast(op))
    return std::pair(Step{typeOf(cast.getResult()).getElementType(), Value(), op->getLoc()},
                     cast.getOperand());
  if (auto add = llvm::dyn_cast_or_null<AddOp>(op))
    for (auto [from, other] : {std::pair(add.getLhs(), add.getRhs()), std::pair(add.getRhs(), add.getLhs())})
      if (Value row = repeatedRow(other))
        return std::pair(Step{mlir::Type(), row, op->getLoc()}, from);
  return std::nullopt;
}

std::optional<Logits> comesFrom(Value logits) {
  Logits found;
  while (auto step = stepOf(logits.getDefiningOp())) {
    found.steps.push_back(step->first);
    logits = step->second;
  }
  std::reverse(found.steps.begin(), found.steps.end());
  found.product = logits.getDefiningOp<MatmulOp>();
  return found.product ? std::optional(found) : std::nullopt;
}

/// The one loss of logits that, with all steps on the way to them, nothing but it and the gradient reads; or
/// null.
CrossEntropyOp onlyLoss(MatmulOp product, CrossEntropyGradOp gradient) {
  CrossEntropyOp found;
  llvm::SmallVector<Value> values{product.getResult()};
  while (!values.empty())
    for (Operation *user : values.pop_back_val().getUsers())
      if (auto loss = llvm::dyn_cast<CrossEntropyOp>(user); loss && !found)
        found = loss;
      else if (stepOf(user))
        values.push_back(user->getResult(0));
      else if (user != gradient)
        return CrossEntropyOp();
  return found;
}

/// A view of the gradient whose rows are its columns.
bool isTurned(Value view, int64_t columns) {
  return rankOf(view) == 2 && typeOf(view).getShape().front() == columns && view.getDefiningOp<TransposeOp>();
}

/// How an op reads the gradient through a view of it; nothing where it could not do so by chunks.
std::optional<Reader> readerOf(Operation *op, Value view, bool turned, bool narrow) {
  bool flat = rankOf(view) == 2;
  if (auto matmul = llvm::dyn_cast<MatmulOp>(op); matmul && matmul.getLhs() != matmul.getRhs()) {
    if (turned && matmul.getLhs() == view)
      return Reader{Reader::SumLeft, op, narrow};
    if (flat && !turned && matmul.getRhs() == view)
      return Reader{Reader::SumRight, op, narrow};
    if (!turned && matmul.getLhs() == view && rankOf(matmul.getRhs()) == 2)
      return Reader{Reader::Rows, op, narrow};
  }
  auto sum = llvm::dyn_cast<ReduceOp>(op);
  if (sum && !turned && sum.getKind() == ReduceKind::Sum &&
      llvm::equal(sum.getAxes(), llvm::seq<int64_t>(rankOf(view) - 1)))
    return Reader{Reader::SumRows, op, narrow};
  return std::nullopt;
}

/// Whether all that read the gradient, or its cast, do so by chunks, also through views: adds them to the
/// readers.
bool findReaders(Loss &found, Value gradient, bool narrow) {
  int64_t columns = typeOf(gradient).getShape().back();
  auto isRows = [&](Operation *op) {
    return llvm::isa<ReshapeOp>(op) && rankOf(op->getResult(0)) == 2 &&
           typeOf(op->getResult(0)).getShape().back() == columns;
  };
  llvm::SmallVector<Value> views{gradient};
  while (!views.empty()) {
    Value view = views.pop_back_val();
    bool turned = isTurned(view, columns);
    for (Operation *user : view.getUsers()) {
      CastOp cast = implicitCast(user);
      if (auto reader = readerOf(user, view, turned, narrow))
        found.readers.push_back(*reader);
      else if (isRows(user) || (llvm::isa<TransposeOp>(user) && rankOf(view) == 2 && !turned))
        views.push_back(user->getResult(0));
      else if (cast && view == gradient && !narrow && !found.narrow)
        found.narrow = cast;
      else
        return false;
    }
  }
  return true;
}

/// Ops behind a product whose logits one cross-entropy and one gradient of it read, and nothing else.
std::optional<Loss> findLoss(CrossEntropyGradOp gradient) {
  std::optional<Logits> logits = comesFrom(gradient.getLogits());
  if (!logits || rankOf(logits->product.getRhs()) != 2)
    return std::nullopt;
  CrossEntropyOp loss = onlyLoss(logits->product, gradient);
  if (!loss || loss.getTargets() != gradient.getTargets() || loss.getIgnored() != gradient.getIgnored() ||
      loss.getSmoothing() != gradient.getSmoothing())
    return std::nullopt;
  // Both may read a cast of their own.
  std::optional<Logits> read = comesFrom(loss.getLogits());
  if (!read || read->product != logits->product ||
      !llvm::equal(read->steps, logits->steps, [](const Step &a, const Step &b) { return a.sameAs(b); }))
    return std::nullopt;
  Loss found{logits->product, logits->steps, loss, gradient, {}, {}};
  // The product's own gradients: the input's by rows, the weight's and the bias's over all of them.
  if (!findReaders(found, gradient.getResult(), /*narrow=*/false) ||
      (found.narrow && !findReaders(found, found.narrow.getResult(), /*narrow=*/true)))
    return std::nullopt;
  return found;
}

/// The ops that give what each chunk reads whole: what the loss's gradient is multiplied with, and biases.
/// Nothing where one depends on the logits: a mean's gradient does not.
std::optional<llvm::DenseSet<Operation *>> knownBefore(Loss &loss) {
  llvm::SmallVector<Value> values{loss.gradient.getGradient()};
  for (const Step &step : loss.steps)
    if (step.bias)
      values.push_back(step.bias);
  llvm::DenseSet<Operation *> seen;
  while (!values.empty()) {
    Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (op == loss.product)
      return std::nullopt;
    llvm::append_range(values, op->getOperands());
  }
  return seen;
}

class Chunks {
public:
  Chunks(Loss &loss, int64_t rowsPerChunk, int64_t firstNumber)
      : loss_(loss), step_(rowsPerChunk), first_(firstNumber), builder_(loss.gradient.getContext()),
        g_(builder_, loss.loss.getLoc()) {
    builder_.setInsertionPoint(loss.gradient);
  }

  void build() {
    Value x = flat(loss_.product.getLhs()), targets = flat(loss_.loss.getTargets()),
          gradient = flat(loss_.gradient.getGradient());
    for (Step &step : loss_.steps)
      if (step.bias)
        step.bias = flat(step.bias);
    for (Reader &reader : loss_.readers)
      for (Value operand : reader.op->getOperands())
        if (!dependsOnLogits(operand))
          hoist(operand);
    llvm::SmallVector<Value> losses;
    llvm::SmallVector<llvm::SmallVector<Value>> given(loss_.readers.size());
    for (int64_t begin = 0; begin < loss_.rows(); begin += step_) {
      Operation *before = loss_.gradient->getPrevNode();
      int64_t rows = std::min(step_, loss_.rows() - begin);
      auto partOf = [&](Value value, int64_t dim) { return g_.slice(value, dim, begin, rows); };
      g_.setLocation(loss_.product.getLoc());
      Value logits = g_.matmul(partOf(x, 0), loss_.product.getRhs(), elementType(loss_.product.getResult()));
      for (const Step &step : loss_.steps) {
        g_.setLocation(step.loc);
        logits = step.bias ? g_.add(logits, g_.broadcast(step.bias, symbolicShape(typeOf(logits))))
                           : g_.cast(logits, step.element, /*implicit=*/true);
      }
      g_.setLocation(loss_.loss.getLoc());
      Value target = partOf(targets, 0);
      Value each =
          CrossEntropyOp::create(builder_, g_.location(), typeOf(target).clone(builder_.getF32Type()), logits,
                                 target, loss_.loss.getIgnored(), loss_.loss.getSmoothing());
      losses.push_back(each);
      Value down = CrossEntropyGradOp::create(builder_, g_.location(), logits.getType(), logits, target,
                                              partOf(gradient, 0), loss_.gradient.getIgnored(),
                                              loss_.gradient.getSmoothing());
      Value narrow =
          loss_.narrow ? g_.cast(down, elementType(loss_.narrow.getResult()), /*implicit=*/true) : Value();
      for (auto [reader, values] : llvm::zip_equal(loss_.readers, given)) {
        g_.setLocation(reader.op->getLoc());
        Value part = read(reader, reader.narrow ? narrow : down, partOf);
        if (reader.kind == Reader::Rows || values.empty())
          values.push_back(part);
        else
          values.front() = g_.add(part, values.front()); // The product adds what was there.
      }
      // One chunk goes through before the next: nothing of two is done together.
      auto number = builder_.getI64IntegerAttr(first_ + begin / step_);
      for (Operation *op = before->getNextNode(); op != loss_.gradient; op = op->getNextNode())
        op->setAttr(kChunkAttr, number);
    }
    g_.setLocation(loss_.loss.getLoc());
    loss_.loss.getResult().replaceAllUsesWith(together(losses, loss_.loss.getResult()));
    for (auto [reader, values] : llvm::zip_equal(loss_.readers, given)) {
      g_.setLocation(reader.op->getLoc());
      if (reader.kind == Reader::Rows)
        reader.result().replaceAllUsesWith(together(values, reader.result()));
      else
        replaceSum(reader.result(), values.front());
    }
  }

private:
  static mlir::Type elementType(Value value) { return typeOf(value).getElementType(); }

  /// Whether a view is of the gradient.
  bool dependsOnLogits(Value view) {
    Value base = baseOf(view);
    return base == loss_.gradient.getResult() || (loss_.narrow && base == loss_.narrow.getResult());
  }

  /// Brings the views of a value before the chunks.
  void hoist(Value value) {
    for (Operation *view = value.getDefiningOp();
         view && view->hasTrait<ViewLike>() && loss_.gradient->isBeforeInBlock(view);) {
      Operation *next = view->getOperand(0).getDefiningOp();
      view->moveBefore(hoisted_ ? hoisted_ : loss_.gradient);
      hoisted_ = view;
      view = next;
    }
    hoisted_ = nullptr;
  }

  /// All leading dimensions as one, of rows; of what has the targets' shape all dimensions.
  Value flat(Value value) {
    SymbolicShape shape = symbolicShape(typeOf(value));
    size_t kept = typeOf(value).getShape() == typeOf(loss_.loss.getTargets()).getShape() ? 0 : 1;
    SymbolicShape rows{elementCount(llvm::ArrayRef<SymbolicDim>(shape).drop_back(kept))};
    rows.append(shape.end() - kept, shape.end());
    return g_.reshape(value, rows);
  }

  /// What a reader gives of a chunk. Sums of chunks are float32.
  Value read(const Reader &reader, Value down, llvm::function_ref<Value(Value, int64_t)> partOf) {
    if (reader.kind == Reader::SumRows)
      return g_.reduce(ReduceKind::Sum, g_.cast(down, builder_.getF32Type(), /*implicit=*/true), {0});
    auto matmul = llvm::cast<MatmulOp>(reader.op);
    switch (reader.kind) {
    case Reader::Rows:
      return g_.matmul(down, matmul.getRhs(), elementType(matmul.getResult()));
    case Reader::SumLeft:
      return g_.matmul(g_.transpose(down, {1, 0}), partOf(matmul.getRhs(), 0), builder_.getF32Type());
    case Reader::SumRight:
      return g_.matmul(partOf(matmul.getLhs(), 1), down, builder_.getF32Type());
    case Reader::SumRows:
      break;
    }
    llvm_unreachable("covered switch");
  }

  Value together(llvm::ArrayRef<Value> parts, Value as) {
    return g_.reshape(g_.concat(parts, 0), symbolicShape(typeOf(as)));
  }

  void replaceSum(Value old, Value sum) {
    sum = g_.reshape(sum, symbolicShape(typeOf(old)));
    // Who widens the product's result takes the sum as it is.
    for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
      if (auto cast = llvm::dyn_cast<CastOp>(user);
          cast && cast.getImplicit() && elementType(cast.getResult()).isF32())
        cast.getResult().replaceAllUsesWith(sum);
    old.replaceAllUsesWith(g_.cast(sum, elementType(old), /*implicit=*/true));
  }

  Loss &loss_;
  int64_t step_, first_;
  mlir::OpBuilder builder_;
  GraphBuilder g_;
  Operation *hoisted_ = nullptr; ///< Of views of views, the one that moved last.
};

struct ChunkLossPass : public heddle::impl::ChunkLossBase<ChunkLossPass> {
  using ChunkLossBase::ChunkLossBase;

  void runOnOperation() override {
    mlir::Block &block = getOperation().getBody().front();
    bool changed = false;
    int64_t next = 0; // The number of the next chunk, of whichever loss.
    for (auto gradient : llvm::to_vector(block.getOps<CrossEntropyGradOp>())) {
      std::optional<Loss> loss = findLoss(gradient);
      auto before = loss ? knownBefore(*loss) : std::nullopt;
      if (!before)
        continue;
      int64_t bytes = bytesOf(loss->product.getResult());
      int64_t chunks = llvm::divideCeil(bytes, maxBytes);
      int64_t rows = llvm::alignTo(llvm::divideCeil(loss->rows(), chunks), kRowsStep);
      // Logits and gradient of all other chunks are saved; sums wait in float32, rows in parts and then side
      // by side.
      int64_t saved = 2 * (bytes - bytes / loss->rows() * rows);
      for (Reader &reader : loss->readers) {
        auto type = typeOf(reader.result());
        int64_t width = type.getElementTypeBitWidth();
        saved -= type.getNumElements() * (reader.kind == Reader::Rows ? width : 32 - width) / 8;
      }
      if (chunks < 2 || saved <= 0)
        continue;
      Chunks(*loss, rows, next).build();
      // Nor is anything that all chunks wait for done together with what waits for them.
      for (Operation *op : *before)
        if (!op->hasAttr(kChunkAttr)) // Else of another loss's chunk.
          op->setAttr(kChunkAttr, mlir::Builder(op->getContext()).getI64IntegerAttr(-1));
      changed = true;
      next += llvm::divideCeil(loss->rows(), rows);
      mlir::sortTopologically(&block); // What the losses go into stood before the chunks.
    }
    if (!changed)
      return;
    numChunks += next;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  }

private:
  /// Chunks of whole tiles of products.
  static constexpr int64_t kRowsStep = 128;
};

} // namespace
