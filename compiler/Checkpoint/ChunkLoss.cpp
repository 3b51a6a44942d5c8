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

/// A product that reads the logits' gradient: by rows, which gives rows; or over all rows, which gives a sum
/// of what each chunk gives, with the gradient on the left or on the right.
struct Reader {
  enum Kind { Rows, SumLeft, SumRight } kind;
  MatmulOp matmul;
};

/// What is cut into chunks.
struct Loss {
  MatmulOp product;    ///< Rows of the logits.
  CastOp wide;         ///< To float32, or null; forward's.
  CrossEntropyOp loss; ///< Of each row.
  CrossEntropyGradOp gradient;
  CastOp narrow; ///< Of the gradient, or null.
  llvm::SmallVector<Reader> readers;

  int64_t rows() { return loss.getTargets().getType().getNumElements(); }
};

int64_t rankOf(Value value) { return typeOf(value).getRank(); }

/// The one implicit cast that a value comes from, or null.
CastOp implicitCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getImplicit() ? cast : CastOp();
}

/// Ops behind a product whose logits one cross-entropy and one gradient of it read, and nothing else.
std::optional<Loss> findLoss(CrossEntropyGradOp gradient) {
  Loss found{{}, implicitCast(gradient.getLogits()), {}, gradient, {}, {}};
  Value logits = found.wide ? found.wide.getOperand() : gradient.getLogits();
  found.product = logits.getDefiningOp<MatmulOp>();
  if (!found.product || rankOf(found.product.getRhs()) != 2)
    return std::nullopt;
  // Both may read a cast of their own.
  llvm::SmallVector<Value> readings{logits};
  for (Operation *user : logits.getUsers())
    if (CastOp cast = implicitCast(user->getNumResults() ? user->getResult(0) : Value()); found.wide && cast)
      readings.push_back(cast.getResult());
  for (Value reading : readings)
    for (Operation *user : reading.getUsers())
      if (auto loss = llvm::dyn_cast<CrossEntropyOp>(user); loss && !found.loss)
        found.loss = loss;
      else if (user != gradient &&
               !llvm::is_contained(readings, user->getNumResults() ? user->getResult(0) : Value()))
        return std::nullopt;
  if (!found.loss || found.loss.getTargets() != gradient.getTargets() ||
      found.loss.getIgnored() != gradient.getIgnored() ||
      found.loss.getSmoothing() != gradient.getSmoothing())
    return std::nullopt;
  Value result = gradient.getResult();
  if (result.hasOneUse())
    if (auto cast = llvm::dyn_cast<CastOp>(*result.user_begin()); cast && cast.getImplicit()) {
      found.narrow = cast;
      result = cast.getResult();
    }
  // The product's own gradients: the input's by rows, the weight's over all of them.
  int64_t columns = typeOf(result).getShape().back();
  llvm::SmallVector<Value> values{result};
  while (!values.empty()) {
    Value value = values.pop_back_val();
    for (Operation *user : value.getUsers()) {
      auto matmul = llvm::dyn_cast<MatmulOp>(user);
      bool flat = rankOf(value) == 2;
      bool turned = flat && typeOf(value).getShape().front() == columns && value.getDefiningOp<TransposeOp>();
      if (matmul && matmul.getLhs() == matmul.getRhs())
        return std::nullopt;
      if (matmul && turned && matmul.getLhs() == value)
        found.readers.push_back({Reader::SumLeft, matmul});
      else if (matmul && flat && !turned && matmul.getRhs() == value)
        found.readers.push_back({Reader::SumRight, matmul});
      else if (matmul && !turned && matmul.getLhs() == value && rankOf(matmul.getRhs()) == 2)
        found.readers.push_back({Reader::Rows, matmul});
      else if (llvm::isa<ReshapeOp>(user) && rankOf(user->getResult(0)) == 2 &&
               typeOf(user->getResult(0)).getShape().back() == columns)
        values.push_back(user->getResult(0));
      else if (llvm::isa<TransposeOp>(user) && flat && !turned)
        values.push_back(user->getResult(0));
      else
        return std::nullopt;
    }
  }
  return found;
}

/// The ops that give what the loss's gradient is multiplied with, or nothing where that depends on the
/// logits: a mean's does not.
std::optional<llvm::DenseSet<Operation *>> knownBefore(Loss &loss) {
  llvm::SmallVector<Value> values{loss.gradient.getGradient()};
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
  Chunks(Loss &loss, int64_t rowsPerChunk)
      : loss_(loss), step_(rowsPerChunk), builder_(loss.gradient.getContext()),
        g_(builder_, loss.loss.getLoc()) {
    builder_.setInsertionPoint(loss.gradient);
  }

  void build() {
    Value x = flat(loss_.product.getLhs()), targets = flat(loss_.loss.getTargets()),
          gradient = flat(loss_.gradient.getGradient());
    for (Reader &reader : loss_.readers)
      for (Value operand : reader.matmul->getOperands())
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
      g_.setLocation(loss_.loss.getLoc());
      if (loss_.wide)
        logits = g_.cast(logits, elementType(loss_.wide.getResult()), /*implicit=*/true);
      Value target = partOf(targets, 0);
      Value each =
          CrossEntropyOp::create(builder_, g_.location(), typeOf(target).clone(builder_.getF32Type()), logits,
                                 target, loss_.loss.getIgnored(), loss_.loss.getSmoothing());
      losses.push_back(each);
      Value down = CrossEntropyGradOp::create(builder_, g_.location(), logits.getType(), logits, target,
                                              partOf(gradient, 0), loss_.gradient.getIgnored(),
                                              loss_.gradient.getSmoothing());
      if (loss_.narrow)
        down = g_.cast(down, elementType(loss_.narrow.getResult()), /*implicit=*/true);
      for (auto [reader, values] : llvm::zip_equal(loss_.readers, given)) {
        g_.setLocation(reader.matmul.getLoc());
        Value part = read(reader, down, partOf);
        if (reader.kind == Reader::Rows || values.empty())
          values.push_back(part);
        else
          values.front() = g_.add(part, values.front()); // The product adds what was there.
      }
      // One chunk goes through before the next: nothing of two is done together.
      auto number = builder_.getI64IntegerAttr(begin / step_);
      for (Operation *op = before->getNextNode(); op != loss_.gradient; op = op->getNextNode())
        op->setAttr(kChunkAttr, number);
    }
    g_.setLocation(loss_.loss.getLoc());
    replace(loss_.loss.getResult(), together(losses, loss_.loss.getResult()));
    for (auto [reader, values] : llvm::zip_equal(loss_.readers, given)) {
      g_.setLocation(reader.matmul.getLoc());
      if (reader.kind == Reader::Rows)
        replace(reader.matmul.getResult(), together(values, reader.matmul.getResult()));
      else
        replaceSum(reader.matmul.getResult(), values.front());
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

  /// All leading dimensions as one.
  Value flat(Value value) {
    SymbolicShape shape = symbolicShape(typeOf(value));
    size_t kept = typeOf(value).getNumElements() == loss_.rows() ? 0 : 1; // A column of the targets, or rows.
    SymbolicShape rows{elementCount(llvm::ArrayRef<SymbolicDim>(shape).drop_back(kept))};
    rows.append(shape.end() - kept, shape.end());
    return g_.reshape(value, rows);
  }

  /// What a product gives of a chunk. Sums of chunks are float32.
  Value read(const Reader &reader, Value down, llvm::function_ref<Value(Value, int64_t)> partOf) {
    MatmulOp matmul = reader.matmul;
    switch (reader.kind) {
    case Reader::Rows:
      return g_.matmul(down, matmul.getRhs(), elementType(matmul.getResult()));
    case Reader::SumLeft:
      return g_.matmul(g_.transpose(down, {1, 0}), partOf(matmul.getRhs(), 0), builder_.getF32Type());
    case Reader::SumRight:
      return g_.matmul(partOf(matmul.getLhs(), 1), down, builder_.getF32Type());
    }
    llvm_unreachable("covered switch");
  }

  Value together(llvm::ArrayRef<Value> parts, Value as) {
    return g_.reshape(g_.concat(parts, 0), symbolicShape(typeOf(as)));
  }

  void replace(Value old, Value by) { old.replaceAllUsesWith(by); }

  void replaceSum(Value old, Value sum) {
    // Who widens the product's result takes the sum as it is.
    for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
      if (auto cast = llvm::dyn_cast<CastOp>(user);
          cast && cast.getImplicit() && elementType(cast.getResult()).isF32())
        replace(cast.getResult(), sum);
    replace(old, g_.cast(sum, elementType(old), /*implicit=*/true));
  }

  Loss &loss_;
  int64_t step_;
  mlir::OpBuilder builder_;
  GraphBuilder g_;
  Operation *hoisted_ = nullptr; ///< Of views of views, the one that moved last.
};

struct ChunkLossPass : public heddle::impl::ChunkLossBase<ChunkLossPass> {
  using ChunkLossBase::ChunkLossBase;

  void runOnOperation() override {
    mlir::Block &block = getOperation().getBody().front();
    bool changed = false;
    for (auto gradient : llvm::to_vector(block.getOps<CrossEntropyGradOp>())) {
      std::optional<Loss> loss = findLoss(gradient);
      auto before = loss ? knownBefore(*loss) : std::nullopt;
      if (!before)
        continue;
      auto logits = typeOf(loss->product.getResult());
      int64_t bytes = logits.getNumElements() * logits.getElementTypeBitWidth() / 8;
      int64_t chunks = llvm::divideCeil(bytes, maxBytes);
      int64_t rows = llvm::alignTo(llvm::divideCeil(loss->rows(), chunks), kRowsStep);
      // Logits and gradient of all other chunks are saved; sums wait in float32.
      int64_t saved = 2 * (bytes - bytes / loss->rows() * rows);
      for (Reader &reader : loss->readers)
        if (auto sum = typeOf(reader.matmul.getResult()); reader.kind != Reader::Rows)
          saved -= sum.getNumElements() * (32 - sum.getElementTypeBitWidth()) / 8;
      if (chunks < 2 || saved <= 0)
        continue;
      Chunks(*loss, rows).build();
      // Nor is anything that all chunks wait for done together with what waits for them.
      for (Operation *op : *before)
        op->setAttr(kChunkAttr, mlir::Builder(op->getContext()).getI64IntegerAttr(-1));
      changed = true;
      numChunks += llvm::divideCeil(loss->rows(), rows);
    }
    if (!changed)
      return;
    mlir::sortTopologically(&block); // What the losses go into stood before the chunks.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (mlir::isOpTriviallyDead(&op))
        op.erase();
  }

private:
  /// Chunks of whole tiles of products.
  static constexpr int64_t kRowsStep = 128;
};

} // namespace
