//===- RaiseAttention.cpp - Attention from written-out ops ----------------===//
#include "compiler/Graph/Passes.h"
#include "compiler/Graph/Scores.h"
#include "compiler/Support/Locations.h"

#include <algorithm>
#include <cmath>

namespace heddle {
#define GEN_PASS_DEF_RAISEATTENTION
#include "compiler/Graph/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::match;
using mlir::Operation;
using mlir::Value;

namespace {

/// The weights of the values: probabilities, or exponentials whose sum divides the second product.
struct Weights {
  Operation *root = nullptr; ///< For reports: the softmax, or the exponentials.
  Value scores;
  int readers = 1;          ///< Of the scores: the exponentials, and perhaps their maximum.
  MatmulOp product;         ///< The second product.
  Operation *end = nullptr; ///< Its result is attention's.
};

/// A key or value tensor as [.., G, S, D] where each head was repeated, else as it was.
struct Heads {
  Value source;                           ///< Before the repetition.
  llvm::SmallVector<int64_t> permutation; ///< From `source` without its repeated dimension to [.., G, S, D].
  int64_t repeatedDim = -1; ///< The dimension of extent 1 that is dropped from `source`; -1: none.
  bool repeated = false;
};

} // namespace

/// x or cast(x) where the cast only takes probabilities to the type of the values: the product's operands
/// have one type, so that this rounding is the product's.
static Value behindCast(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && value.hasOneUse() && hasFloatElements(cast.getOperand().getType()) ? cast.getOperand()
                                                                                    : value;
}

/// softmax(scores) times values.
static std::optional<Weights> weightsOfSoftmax(SoftmaxOp softmax, NearMiss &miss) {
  Value probabilities = softmax.getResult();
  if (!probabilities.hasOneUse()) {
    miss = {softmax, "has probabilities that " +
                         std::to_string(std::distance(probabilities.use_begin(), probabilities.use_end())) +
                         " ops read, wanted one product"};
    return std::nullopt;
  }
  Operation *reader = *probabilities.user_begin();
  if (auto cast = llvm::dyn_cast<CastOp>(reader); cast && behindCast(cast.getResult()) == probabilities) {
    probabilities = cast.getResult();
    reader = *probabilities.user_begin();
  }
  auto product = llvm::dyn_cast<MatmulOp>(reader);
  if (!product || product.getLhs() != probabilities || product.getRhs() == probabilities) {
    miss = {reader, "reads the probabilities and is no product with values on its right"};
    return std::nullopt;
  }
  return Weights{softmax, softmax.getOperand(), 1, product, product};
}

/// (exp(scores - max) times values) / sum: the division came last.
static std::optional<Weights> weightsOfExponentials(MatmulOp product) {
  Value exponentials = product.getLhs();
  auto exp = exponentials.getDefiningOp<ExpOp>();
  if (!exp || !product->hasOneUse())
    return std::nullopt;
  Operation *end = *product->user_begin();
  Value sum;
  if (auto quotient = llvm::dyn_cast<DivOp>(end); quotient && quotient.getLhs() == product.getResult()) {
    sum = broadcastSource(quotient.getRhs());
  } else if (auto scaled = llvm::dyn_cast<MulOp>(end)) {
    Value source =
        broadcastSource(scaled.getLhs() == product.getResult() ? scaled.getRhs() : scaled.getLhs());
    auto reciprocal = source ? source.getDefiningOp<ReciprocalOp>() : ReciprocalOp();
    sum = reciprocal ? reciprocal.getOperand() : Value();
  }
  auto reduce = sum ? sum.getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || reduce.getKind() != ReduceKind::Sum || reduce.getOperand() != exponentials ||
      !reducesLast(reduce))
    return std::nullopt;
  // Nobody but the product and the sum may read the exponentials.
  if (std::distance(exponentials.use_begin(), exponentials.use_end()) != 2)
    return std::nullopt;
  Value scores = exp.getOperand();
  int readers = 1;
  if (auto difference = scores.getDefiningOp<SubOp>()) {
    Value source = broadcastSource(difference.getRhs());
    auto maximum = source ? source.getDefiningOp<ReduceOp>() : ReduceOp();
    if (maximum && maximum.getKind() == ReduceKind::Max && maximum.getOperand() == difference.getLhs() &&
        reducesLast(maximum)) {
      scores = difference.getLhs();
      readers = 2;
    }
  }
  return Weights{exp, scores, readers, product, end};
}

/// Finds the repetition of heads in `value`, whose dimension d is dimension permutation[d] of what it was
/// made from.
static Heads headsOf(Value value, llvm::SmallVector<int64_t> permutation) {
  auto rank = static_cast<int64_t>(permutation.size());
  int64_t headDim = rank - 3; // In [.., H, S, D].
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    for (int64_t &source : permutation)
      source = transpose.getPermutation()[source];
    value = transpose.getOperand();
  }
  Heads heads{value, permutation, -1, false};
  if (headDim < 0)
    return heads;
  int64_t inner = permutation[headDim]; // The heads' dimension in `value`.
  if (auto broadcast = value.getDefiningOp<BroadcastOp>()) {
    // One head for all: [.., 1, S, D] repeated.
    mlir::RankedTensorType from = typeOf(broadcast.getOperand()), to = typeOf(value);
    bool only = from.getDimSize(inner) == 1;
    for (int64_t dim = 0; dim < rank; ++dim)
      only &= dim == inner || from.getDimSize(dim) == to.getDimSize(dim);
    if (only)
      return {broadcast.getOperand(), permutation, -1, true};
    return heads;
  }
  // [.., G, 1, ..] repeated to [.., G, R, ..] and reshaped to [.., G*R, ..].
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto broadcast = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!broadcast)
    return heads;
  llvm::ArrayRef<int64_t> wide = typeOf(broadcast.getResult()).getShape();
  llvm::ArrayRef<int64_t> narrow = typeOf(broadcast.getOperand()).getShape();
  llvm::ArrayRef<int64_t> merged = typeOf(value).getShape();
  if (wide.size() != merged.size() + 1)
    return heads;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t want = dim < inner ? wide[dim] : dim == inner ? wide[dim] * wide[dim + 1] : wide[dim + 1];
    if (merged[dim] != want)
      return heads;
  }
  for (int64_t dim = 0; dim <= rank; ++dim)
    if (dim == inner + 1 ? narrow[dim] != 1 : narrow[dim] != wide[dim])
      return heads;
  return {broadcast.getOperand(), permutation, inner + 1, true};
}

/// The tensor in [.., G, S, D] order.
static Value materialize(GraphBuilder &g, const Heads &heads) {
  Value value = heads.source;
  if (heads.repeatedDim >= 0) {
    SymbolicShape shape = symbolicShape(typeOf(value));
    shape.erase(shape.begin() + heads.repeatedDim);
    value = g.reshape(value, shape);
  }
  bool identity = true;
  for (auto [dim, source] : llvm::enumerate(heads.permutation))
    identity &= static_cast<int64_t>(dim) == source;
  return identity ? value : g.transpose(value, heads.permutation);
}

/// [M, N] → [1, 1, M, N]; [L, M, N] → [1, L, M, N] where the leading dimension holds heads, else [L, 1, M,
/// N].
static Value lifted(GraphBuilder &g, Value value, bool leadingIsHeads) {
  SymbolicShape shape = symbolicShape(typeOf(value));
  if (shape.size() == 3 && !leadingIsHeads)
    shape.insert(shape.begin() + 1, SymbolicDim::fixed(1));
  while (shape.size() < 4)
    shape.insert(shape.begin(), SymbolicDim::fixed(1));
  return g.reshape(value, shape);
}

/// A mask or bias without the dimensions along which it is only repeated.
static Value compact(Value value) {
  Value source = broadcastSource(value);
  return source ? source : value;
}

/// a op b after stretching both to the larger extents.
template <typename OpTy>
static Value joined(GraphBuilder &g, Value a, Value b) {
  if (!a)
    return b;
  SymbolicShape shape = symbolicShape(typeOf(a));
  for (auto [mine, theirs] : llvm::zip_equal(shape, symbolicShape(typeOf(b))))
    if (mine.isOne())
      mine = theirs;
  return g.binary<OpTy>(g.broadcast(a, shape), g.broadcast(b, shape));
}

namespace {

/// A mask term taken apart.
struct Hidden {
  llvm::SmallVector<Condition> conditions; ///< All that hide something.
  llvm::SmallVector<Condition> windows,
      others;                    ///< Those of them that are windows, and neither that nor causal.
  std::optional<int64_t> window; ///< The narrowest one.
  bool causal = false;
  Operation *hiding = nullptr; ///< What hides every key from a query, by arithmetic alone.
  double fill = 0;

  bool rowsSeeKeys() const { return others.empty() && !hiding; }
};

} // namespace

static Hidden hiddenBy(const MaskTerm &term, int64_t queries, int64_t keys) {
  Hidden hidden;
  hidden.fill = term.fill;
  hidden.conditions = conjunction(term);
  llvm::erase_if(hidden.conditions, holdsAlways);
  for (const Condition &condition : hidden.conditions) {
    if (!hidden.hiding && hidesRows(condition))
      hidden.hiding = condition.value.getDefiningOp();
    if (isCausal(condition, queries, keys)) {
      hidden.causal = true;
    } else if (std::optional<int64_t> window = windowOf(condition, queries, keys)) {
      hidden.windows.push_back(condition);
      hidden.window = hidden.window ? std::min(*hidden.window, *window) : *window;
    } else {
      hidden.others.push_back(condition);
    }
  }
  return hidden;
}

namespace {

/// Builds graph.attention in front of a match's end.
class Emitter {
public:
  Emitter(const Weights &weights, const Scores &scores, mlir::OpBuilder &builder)
      : weights_(weights), scores_(scores),
        g_(builder,
           commonLocation({scores.product->getLoc(), weights.root->getLoc(), weights.product->getLoc()})) {}

  /// Null where the match is a near miss after all.
  Operation *emit(NearMiss &miss);

private:
  bool masks(NearMiss &miss);
  Value conditionValue(const Condition &condition) {
    SymbolicShape shape = symbolicShape(condition.shape);
    Value value = lifted(g_, compact(g_.reshape(condition.value, shape)), leadingIsHeads_);
    return condition.negated ? g_.unary<NotOp>(value) : value;
  }

  const Weights &weights_;
  Scores scores_;
  GraphBuilder g_;
  bool leadingIsHeads_ = false;
  bool causal_ = false;
  std::optional<int64_t> window_; ///< Only with causal_.
  Value mask_, bias_;
};

} // namespace

bool Emitter::masks(NearMiss &miss) {
  llvm::ArrayRef<int64_t> shape = typeOf(scores_.product.getResult()).getShape();
  int64_t keys = shape.back(), queries = shape[shape.size() - 2];
  // Decide first: a near miss leaves no ops behind.
  llvm::SmallVector<Hidden> terms;
  // Causality is said in one term, and a window that narrows it perhaps in another. Of one query it hides
  // nothing.
  bool causal = queries == 1;
  for (const MaskTerm &term : scores_.masks) {
    terms.push_back(hiddenBy(term, queries, keys));
    causal |= terms.back().causal && (!std::isfinite(term.fill) || terms.back().rowsSeeKeys());
  }
  llvm::SmallVector<Condition> visible;
  llvm::SmallVector<const Hidden *> finite;
  for (Hidden &term : terms) {
    // The written-out form has NaN in rows that see no key, and graph.attention zeros. (Where only the data
    // can tell, as with a mask that is an input, zeros it is.)
    if (term.hiding && !std::isfinite(term.fill)) {
      miss = {term.hiding, "hides all keys from some queries"};
      return false;
    }
    if (!causal && term.window) {
      term.window.reset();
      llvm::append_range(term.others, term.windows);
    }
    // Where the fill is finite such rows have equal weights: only a bias says the same. Under causality, and
    // a window that narrows it, every row sees a key.
    if (std::isfinite(term.fill) && !term.rowsSeeKeys()) {
      finite.push_back(&term);
      continue;
    }
    causal_ |= term.causal;
    if (term.window) {
      causal_ = true;
      window_ = window_ ? std::min(*window_, *term.window) : *term.window;
    }
    llvm::append_range(visible, term.others);
  }
  for (const Condition &condition : visible)
    mask_ = joined<AndOp>(g_, mask_, conditionValue(condition));
  for (const Hidden *term : finite) {
    Value seen;
    for (const Condition &condition : term->conditions)
      seen = joined<AndOp>(g_, seen, conditionValue(condition));
    auto type = withElementType(typeOf(seen), g_.builder().getF32Type());
    bias_ = joined<AddOp>(g_, bias_, g_.select(seen, g_.splat(type, 0.0), g_.splat(type, term->fill)));
  }
  for (const BiasTerm &term : scores_.biases) {
    Value value = lifted(g_, compact(term.value), leadingIsHeads_);
    value = g_.cast(value, g_.builder().getF32Type(), /*implicit=*/true);
    if (term.factor != 1)
      value = term.factor == -1 ? g_.unary<NegOp>(value) : g_.binary<MulOp>(value, term.factor);
    bias_ = joined<AddOp>(g_, bias_, value);
  }
  return true;
}

Operation *Emitter::emit(NearMiss &miss) {
  MatmulOp first = scores_.product, second = weights_.product;
  mlir::RankedTensorType query = typeOf(first.getLhs()), key = typeOf(first.getRhs());
  mlir::RankedTensorType value = typeOf(second.getRhs()), result = typeOf(weights_.end->getResult(0));
  int64_t rank = query.getRank();
  if (rank > 4) {
    miss = {first, "has rank " + std::to_string(rank) + ", wanted at most 4"};
    return nullptr;
  }
  if (key.getRank() != rank || value.getRank() != rank) {
    miss = {key.getRank() != rank ? first : second,
            "has a right-hand side that all leading dimensions share"};
    return nullptr;
  }
  mlir::Type element = query.getElementType();
  if (value.getElementType() != element || result.getElementType() != element) {
    miss = {second, "has values or a result of other elements than the query"};
    return nullptr;
  }

  // Scales of the query and of the key are scales of the scores.
  Value q = first.getLhs(), transposedKey = first.getRhs();
  auto takeScale = [&](Value from) {
    Operation *op = from.getDefiningOp();
    std::optional<double> factor =
        op && llvm::isa<MulOp, DivOp>(op) ? splatValue(op->getOperand(1)) : std::optional<double>();
    if (!factor)
      return from;
    scores_.scale = llvm::isa<MulOp>(op) ? scores_.scale * *factor : scores_.scale / *factor;
    return op->getOperand(0);
  };
  q = takeScale(q);

  auto swapped = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  auto straight = swapped;
  std::swap(swapped[rank - 1], swapped[rank - 2]);
  // The right-hand side is [.., D, keys] whatever made it: its transpose is the key, and where it was a
  // transpose the two cancel. Equal extents cannot mislead.
  if (auto transpose = transposedKey.getDefiningOp<TransposeOp>()) {
    Value scaled = takeScale(transpose.getOperand());
    if (scaled != transpose.getOperand())
      transposedKey = g_.transpose(scaled, transpose.getPermutation());
  } else {
    transposedKey = takeScale(transposedKey);
  }
  Heads keys = headsOf(transposedKey, swapped), values = headsOf(second.getRhs(), straight);
  auto groupsOf = [&](const Heads &heads) {
    llvm::ArrayRef<int64_t> shape = typeOf(heads.source).getShape();
    return shape[heads.permutation[rank - 3]];
  };
  if (rank >= 3 &&
      (keys.repeated != values.repeated || (keys.repeated && groupsOf(keys) != groupsOf(values)))) {
    keys = {transposedKey, swapped, -1, false};
    values = {second.getRhs(), straight, -1, false};
  }
  leadingIsHeads_ = rank == 3 && keys.repeated;
  if (!masks(miss))
    return nullptr;

  Value k = lifted(g_, materialize(g_, keys), leadingIsHeads_);
  Value v = lifted(g_, materialize(g_, values), leadingIsHeads_);
  q = lifted(g_, q, leadingIsHeads_);
  SymbolicShape shape = symbolicShape(typeOf(q));
  shape.back() = symbolicShape(typeOf(v)).back();
  mlir::OpBuilder &builder = g_.builder();
  auto attention = AttentionOp::create(
      builder, g_.location(), tensorType(builder.getContext(), shape, element),
      /*statistics=*/mlir::Type(), q, k, v, mask_, bias_, builder.getF64FloatAttr(scores_.scale),
      scores_.softcap ? builder.getF64FloatAttr(*scores_.softcap) : mlir::FloatAttr(),
      causal_ ? builder.getUnitAttr() : nullptr,
      window_ ? builder.getI64IntegerAttr(*window_) : mlir::IntegerAttr());
  Value restored = g_.reshape(attention.getResult(), symbolicShape(result));
  weights_.end->getResult(0).replaceAllUsesWith(restored);
  return attention;
}

namespace {
struct RaiseAttention : public heddle::impl::RaiseAttentionBase<RaiseAttention> {
  using RaiseAttentionBase::RaiseAttentionBase;
  explicit RaiseAttention(MatchReports *reports) : reports(reports) {}

  void runOnOperation() override {
    Log log(reports, remarks);
    llvm::SmallVector<Operation *> candidates;
    getOperation().walk([&](Operation *op) {
      if (llvm::isa<SoftmaxOp, MatmulOp>(op))
        candidates.push_back(op);
    });
    for (Operation *op : candidates) {
      NearMiss miss;
      std::optional<Weights> weights;
      if (auto softmax = llvm::dyn_cast<SoftmaxOp>(op))
        weights = weightsOfSoftmax(softmax, miss);
      else
        weights = weightsOfExponentials(llvm::cast<MatmulOp>(op));
      if (!weights && !miss.op)
        continue; // A product like any other.
      Operation *made = weights ? raise(*weights, miss) : nullptr;
      if (made) {
        log.matched("attention", made);
        ++numMatched;
      } else {
        log.missed("attention", op, miss);
        ++numMissed;
      }
    }
    eraseDead(getOperation());
  }

  static Operation *raise(const Weights &weights, NearMiss &miss) {
    std::optional<Scores> scores = findScores(weights.scores, weights.readers, miss);
    if (!scores)
      return nullptr;
    mlir::OpBuilder builder(weights.end);
    return Emitter(weights, *scores, builder).emit(miss);
  }

  MatchReports *reports = nullptr;
};
} // namespace

std::unique_ptr<mlir::Pass> heddle::createRaiseAttention(MatchReports *reports) {
  return std::make_unique<RaiseAttention>(reports);
}
