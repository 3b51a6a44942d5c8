//===- Scores.cpp - From softmax back to the product of q and k -----------===//
#include "compiler/Graph/Scores.h"
#include "compiler/Graph/IndexForm.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cmath>
#include <utility>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::match;
using mlir::Operation;
using mlir::Value;

namespace {

/// The chain below softmax as it is walked; `steps` tells which of two failed walks came further.
struct Walk {
  Scores scores;
  NearMiss miss;
  int steps = 0;
  int readers = 1; ///< Of the value that is looked at.
  bool found = false;
};

/// Whether a reshape only adds or drops extents of 1.
bool onlyUnits(Operation *reshape) {
  auto isLong = [](int64_t extent) { return extent != 1; };
  return llvm::equal(llvm::make_filter_range(typeOf(reshape->getOperand(0)).getShape(), isLong),
                     llvm::make_filter_range(typeOf(reshape->getResult(0)).getShape(), isLong));
}

/// A mask that is added: 0 where the condition holds, else at most kHidden.
std::optional<MaskTerm> addedMask(Value value, double factor) {
  Value source = value;
  mlir::RankedTensorType shape;
  for (int step = 0; step < 6; ++step) {
    Operation *op = source.getDefiningOp();
    // A cast of a mask is exact: 0, and an infinity or a type's least value.
    bool passes = op && (llvm::isa<CastOp>(op) || (llvm::isa<BroadcastOp>(op) && !shape));
    if (op && llvm::isa<ReshapeOp>(op) && onlyUnits(op)) {
      passes = true;
      if (!shape)
        shape = withElementType(typeOf(source), mlir::IntegerType::get(op->getContext(), 1));
    }
    if (!passes)
      break;
    source = op->getOperand(0);
  }
  if (auto select = source.getDefiningOp<SelectOp>()) {
    std::optional<double> whereTrue = splatValue(select.getIfTrue()),
                          whereFalse = splatValue(select.getIfFalse());
    if (!whereTrue || !whereFalse)
      return std::nullopt;
    if (*whereTrue == 0 && *whereFalse * factor <= kHidden)
      return MaskTerm{select.getCondition(), false, *whereFalse * factor, shape};
    if (*whereFalse == 0 && *whereTrue * factor <= kHidden)
      return MaskTerm{select.getCondition(), true, *whereTrue * factor, shape};
    return std::nullopt;
  }
  // cast(condition) * -3e38, and (1 - cast(condition)) * -3e38
  auto product = source.getDefiningOp<MulOp>();
  std::optional<double> fill = product ? splatValue(product.getRhs()) : std::nullopt;
  if (!fill || !std::isfinite(*fill) || *fill * factor > kHidden)
    return std::nullopt;
  Value flag = product.getLhs();
  bool negated = true;
  if (auto inverse = flag.getDefiningOp<SubOp>(); inverse && splatValue(inverse.getLhs()) == 1.0) {
    flag = inverse.getRhs();
    negated = false;
  }
  auto cast = flag.getDefiningOp<CastOp>();
  if (!cast || !hasBoolElements(cast.getOperand().getType()))
    return std::nullopt;
  return MaskTerm{cast.getOperand(), negated, *fill * factor, shape};
}

void walk(Value value, double factor, Walk &state);

/// The walk over one operand, with a bias or mask for the other.
Walk branch(const Walk &state, Value scores, double factor, llvm::function_ref<void(Scores &)> note) {
  Walk copy = state;
  note(copy.scores);
  walk(scores, factor, copy);
  return copy;
}

void walk(Value value, double factor, Walk &state) {
  constexpr int kMaxSteps = 16;
  Operation *op = value.getDefiningOp();
  if (!op || ++state.steps > kMaxSteps) {
    state.miss = {op, op ? "is too far from the softmax" : "the scores are an argument"};
    return;
  }
  if (std::distance(value.use_begin(), value.use_end()) != std::exchange(state.readers, 1)) {
    state.miss = {op, "has scores that others read as well"};
    return;
  }
  if (auto product = llvm::dyn_cast<MatmulOp>(op)) {
    state.scores.product = product;
    state.scores.scale = factor;
    state.found = true;
    return;
  }
  if (llvm::isa<MulOp, DivOp>(op)) {
    std::optional<double> constant = splatValue(op->getOperand(1));
    if (!constant) {
      state.miss = {op, "scales the scores by no constant"};
      return;
    }
    return walk(op->getOperand(0), llvm::isa<MulOp>(op) ? factor * *constant : factor / *constant, state);
  }
  if (llvm::isa<NegOp>(op))
    return walk(op->getOperand(0), -factor, state);
  if (llvm::isa<TanhOp>(op)) {
    if (state.scores.softcap) {
      state.miss = {op, "caps scores that are capped again"};
      return;
    }
    double cap = std::fabs(factor);
    if (!(cap >= AttentionOp::kLeastSoftcap && cap <= 1 / AttentionOp::kLeastSoftcap)) {
      state.miss = {op, "is multiplied by a number that is no soft cap, wanted 1e-30 to 1e30"};
      return;
    }
    // f * tanh(g * product) is c * tanh(f * g * product / c) with c = |f|: tanh is odd.
    state.scores.softcap = cap;
    return walk(op->getOperand(0), factor, state);
  }
  if (state.scores.softcap && llvm::isa<AddOp, SubOp, SelectOp>(op)) {
    state.miss = {op, llvm::isa<SelectOp>(op)
                          ? "chooses scores before their soft cap, which leaves none hidden"
                          : "adds to the scores before their soft cap, wanted after it"};
    return;
  }
  if (llvm::isa<AddOp, SubOp>(op)) {
    double sign = llvm::isa<AddOp>(op) ? 1 : -1;
    auto withTerm = [&](Value term, double termFactor) {
      return [term, termFactor](Scores &scores) {
        if (std::optional<MaskTerm> mask = addedMask(term, termFactor))
          scores.masks.push_back(*mask);
        else
          scores.biases.push_back({term, termFactor});
      };
    };
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    Walk first = branch(state, lhs, factor, withTerm(rhs, sign * factor));
    if (first.found) {
      state = std::move(first);
      return;
    }
    Walk second = branch(state, rhs, sign * factor, withTerm(lhs, factor));
    state = second.found || second.steps > first.steps ? std::move(second) : std::move(first);
    return;
  }
  if (auto select = llvm::dyn_cast<SelectOp>(op)) {
    for (auto [fill, rest, negated] : {std::tuple(select.getIfFalse(), select.getIfTrue(), false),
                                       std::tuple(select.getIfTrue(), select.getIfFalse(), true)}) {
      std::optional<double> constant = splatValue(fill);
      if (!constant)
        continue;
      if (!(*constant * factor <= kHidden)) {
        state.miss = {op, "puts " + std::to_string(*constant) +
                              " in place of hidden scores, wanted -inf or at most -1e30"};
        return;
      }
      state.scores.masks.push_back({select.getCondition(), negated, *constant * factor, {}});
      return walk(rest, factor, state);
    }
    state.miss = {op, "chooses between two tensors of scores"};
    return;
  }
  if (auto cast = llvm::dyn_cast<CastOp>(op)) {
    unsigned from = typeOf(cast.getOperand()).getElementTypeBitWidth();
    unsigned to = typeOf(cast.getResult()).getElementTypeBitWidth();
    if (!hasFloatElements(cast.getOperand().getType()) || (to <= from && !cast.getImplicit())) {
      state.miss = {op, "rounds the scores, as the user wrote"};
      return;
    }
    return walk(cast.getOperand(), factor, state);
  }
  state.miss = {op, "is no scale, soft cap, mask, bias or cast of a product"};
}

} // namespace

std::optional<Scores> match::findScores(Value value, int readers, NearMiss &miss) {
  Walk state;
  state.readers = readers;
  walk(value, 1.0, state);
  if (state.found)
    return std::move(state.scores);
  miss = state.miss;
  return std::nullopt;
}

llvm::SmallVector<Condition> match::conjunction(const MaskTerm &mask) {
  llvm::SmallVector<Condition> result;
  llvm::SmallVector<Condition> open = {{mask.condition, mask.negated, mask.shape}};
  // A condition twice is that condition; without this, conditions made of each other would take exponential
  // time.
  llvm::DenseSet<std::tuple<Value, int, mlir::Type>> seen;
  while (!open.empty()) {
    Condition next = open.pop_back_val();
    if (!seen.insert({next.value, static_cast<int>(next.negated), mlir::Type(next.shape)}).second)
      continue;
    Operation *op = next.value.getDefiningOp();
    if (op && llvm::isa<NotOp>(op)) {
      open.push_back({op->getOperand(0), !next.negated, next.shape});
    } else if (op && ((llvm::isa<AndOp>(op) && !next.negated) || (llvm::isa<OrOp>(op) && next.negated))) {
      open.push_back({op->getOperand(1), next.negated, next.shape});
      open.push_back({op->getOperand(0), next.negated, next.shape});
    } else if (op && llvm::isa<BroadcastOp>(op) && !next.shape) {
      open.push_back({op->getOperand(0), next.negated, {}});
    } else if (auto reshape = llvm::dyn_cast_or_null<ReshapeOp>(op); reshape && onlyUnits(reshape)) {
      // Only extents of 1 come and go: the same condition for each score.
      open.push_back(
          {reshape.getOperand(), next.negated, next.shape ? next.shape : typeOf(reshape.getResult())});
    } else {
      if (!next.shape)
        next.shape = typeOf(next.value);
      result.push_back(next);
    }
  }
  return result;
}

/// The least value of the form over all indices but the last dimension's, of which it takes the greatest
/// where `best`.
static std::optional<int64_t> leastOf(const Condition &condition, bool best) {
  std::optional<IndexForm> form = conditionForm(condition.value, condition.negated);
  llvm::ArrayRef<int64_t> shape = condition.shape.getShape();
  if (form)
    form = reshapedForm(*form, typeOf(condition.value).getShape(), shape);
  if (!form)
    return std::nullopt;
  int64_t least = form->constant;
  for (auto [dim, coefficient] : llvm::enumerate(form->coefficients)) {
    bool greatest = best && dim + 1 == shape.size();
    least +=
        (greatest ? std::max<int64_t>(coefficient, 0) : std::min<int64_t>(coefficient, 0)) * (shape[dim] - 1);
  }
  return least;
}

bool match::holdsAlways(const Condition &condition) {
  std::optional<int64_t> least = leastOf(condition, /*best=*/false);
  return least && *least >= 0;
}

bool match::hidesRows(const Condition &condition) {
  std::optional<int64_t> least = leastOf(condition, /*best=*/true);
  return least && *least < 0;
}

/// The constant c where the condition is sign * (query - key) + c >= 0 on scores [.., queries, keys].
static std::optional<int64_t> bandOffset(const Condition &condition, int64_t sign, int64_t queries,
                                         int64_t keys) {
  std::optional<IndexForm> form = conditionForm(condition.value, condition.negated);
  llvm::ArrayRef<int64_t> shape = condition.shape.getShape();
  if (form)
    form = reshapedForm(*form, typeOf(condition.value).getShape(), shape);
  if (!form || shape.size() < 2)
    return std::nullopt;
  for (int64_t coefficient : llvm::ArrayRef<int64_t>(form->coefficients).drop_back(2))
    if (coefficient != 0)
      return std::nullopt;
  int64_t onKey = sign * form->coefficients.back(), onQuery = sign * form->coefficients[shape.size() - 2];
  // A single query or key has index 0: its coefficient may be any.
  if (queries == 1)
    onQuery = -onKey;
  if (keys == 1)
    onKey = -onQuery;
  if (onQuery <= 0 || onKey != -onQuery)
    return std::nullopt;
  if ((queries != 1 && shape[shape.size() - 2] != queries) || (keys != 1 && shape.back() != keys))
    return std::nullopt;
  // g*i - g*j + c >= 0 is i - j + floor(c/g) >= 0.
  int64_t offset = form->constant / onQuery;
  if (form->constant % onQuery < 0)
    --offset;
  return offset;
}

bool match::isCausal(const Condition &condition, int64_t queries, int64_t keys) {
  return bandOffset(condition, 1, queries, keys) == keys - queries;
}

std::optional<int64_t> match::windowOf(const Condition &condition, int64_t queries, int64_t keys) {
  std::optional<int64_t> offset = bandOffset(condition, -1, queries, keys);
  // key - query + c >= 0 is key > query + (keys - queries) - w with w = c + 1 + keys - queries.
  if (!offset || *offset + 1 + keys - queries < 1)
    return std::nullopt;
  return *offset + 1 + keys - queries;
}
