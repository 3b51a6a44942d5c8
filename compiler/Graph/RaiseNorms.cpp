//===- RaiseNorms.cpp - Norms and softmax from written-out ops ------------===//
#include "compiler/Graph/Match.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Support/Locations.h"

#include <cmath>

namespace heddle {
#define GEN_PASS_DEF_RAISENORMS
#include "compiler/Graph/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::match;
using mlir::Operation;
using mlir::Value;

namespace {

/// mean(of * of) over the last dimension, less mean(of)^2 where `lessMean` is set: that mean.
struct SquareMean {
  Value of;
  Value lessMean;
};

/// What a match found.
struct Norm {
  Operation *end = nullptr; ///< Its result is the norm.
  Value operand;
  Value weight, bias; ///< [1, …, 1, N], or null.
  bool centred = false;
  double epsilon = 0;
};

/// Whether `factor`, a float32 or narrower constant, is 1 / count.
bool isReciprocalOf(double factor, int64_t count) {
  return static_cast<float>(factor) == static_cast<float>(1.0 / static_cast<double>(count));
}

/// The value whose mean over the last dimension `value` is; a reduction over others is a near miss.
Value meanOf(Value value, NearMiss &miss) {
  auto last = [&](ReduceOp reduce) -> Value {
    if (reducesLast(reduce))
      return reduce.getOperand();
    miss = {reduce, "reduces other dimensions than the last"};
    return {};
  };
  if (auto reduce = value.getDefiningOp<ReduceOp>())
    return reduce.getKind() == ReduceKind::Mean ? last(reduce) : Value();
  // sum * (1/N), or sum / N where 1/N is not exact.
  Operation *scale = value.getDefiningOp();
  if (!scale || !llvm::isa<MulOp, DivOp>(scale))
    return {};
  auto reduce = scale->getOperand(0).getDefiningOp<ReduceOp>();
  std::optional<double> factor = splatValue(scale->getOperand(1));
  if (!reduce || !factor || reduce.getKind() != ReduceKind::Sum)
    return {};
  int64_t count = typeOf(reduce.getOperand()).getShape().back();
  if (llvm::isa<DivOp>(scale) ? *factor == static_cast<double>(count) : isReciprocalOf(*factor, count))
    return last(reduce);
  if (!miss.op)
    miss = {scale, "does not divide the sum by the last dimension's extent " + std::to_string(count)};
  return {};
}

std::optional<SquareMean> squareMean(Value value, NearMiss &miss) {
  if (auto difference = value.getDefiningOp<SubOp>()) {
    // mean(x*x) - mean(x)*mean(x)
    auto square = difference.getRhs().getDefiningOp<MulOp>();
    std::optional<SquareMean> first = squareMean(difference.getLhs(), miss);
    if (!first || first->lessMean || !square || square.getLhs() != square.getRhs())
      return std::nullopt;
    NearMiss ignored;
    if (meanOf(square.getLhs(), ignored) != first->of)
      return std::nullopt;
    first->lessMean = square.getLhs();
    return first;
  }
  Value squares = meanOf(value, miss);
  if (!squares)
    return std::nullopt;
  auto product = squares.getDefiningOp<MulOp>();
  if (!product || product.getLhs() != product.getRhs()) {
    miss = {squares.getDefiningOp() ? squares.getDefiningOp() : value.getDefiningOp(), "is no square"};
    return std::nullopt;
  }
  return SquareMean{product.getLhs(), {}};
}

/// x where `value` is x - mean(x), else null.
Value uncentred(Value value) {
  auto difference = value.getDefiningOp<SubOp>();
  Value mean = difference ? broadcastSource(difference.getRhs()) : Value();
  NearMiss ignored;
  return mean && meanOf(mean, ignored) == difference.getLhs() ? difference.getLhs() : Value();
}

/// Whether a reduction stands behind constants: then a root is part of a norm, or nearly.
bool reductionBehind(Value value) {
  for (int step = 0; step < 4; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (llvm::isa<ReduceOp>(op))
      return true;
    if (!llvm::isa<AddOp, SubOp, MulOp, DivOp, MaximumOp, CastOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

Operation *onlyUser(Value value) { return value.hasOneUse() ? *value.user_begin() : nullptr; }

/// The other factor of a product, or null.
Value otherFactor(Operation *op, Value factor) {
  auto product = llvm::dyn_cast_or_null<MulOp>(op);
  if (!product)
    return {};
  return product.getLhs() == factor ? product.getRhs() : product.getLhs();
}

/// Extends a norm without weight by the product and sum that follow it.
void takeWeightAndBias(Norm &norm) {
  Value result = norm.end->getResult(0);
  if (!norm.weight) {
    Operation *user = onlyUser(result);
    Value factor = otherFactor(user, result);
    Value vector = factor ? stretchedVector(factor) : Value();
    if (!vector)
      return;
    norm.weight = vector;
    norm.end = user;
    result = user->getResult(0);
  }
  auto sum = llvm::dyn_cast_or_null<AddOp>(onlyUser(result));
  if (!norm.centred || !sum)
    return;
  if (Value vector = stretchedVector(sum.getLhs() == result ? sum.getRhs() : sum.getLhs())) {
    norm.bias = vector;
    norm.end = sum;
  }
}

class NormRaiser {
public:
  NormRaiser(Log &log, unsigned &matched, unsigned &missed) : log_(log), matched_(matched), missed_(missed) {}

  void visitRoot(Operation *root);
  void visitSoftmax(Operation *op);

private:
  bool raiseConsumers(Operation *root, Value factor, bool divides, const SquareMean &mean, double epsilon);
  void emit(const Norm &norm, Operation *root);
  void miss(llvm::StringRef pattern, Operation *root, const NearMiss &reason) {
    log_.missed(pattern, root, reason);
    ++missed_;
  }

  Log &log_;
  unsigned &matched_, &missed_;
};

} // namespace

void NormRaiser::emit(const Norm &norm, Operation *root) {
  mlir::OpBuilder builder(norm.end);
  GraphBuilder g(builder, commonLocation({root->getLoc(), norm.end->getLoc()}));
  mlir::RankedTensorType type = typeOf(norm.end->getResult(0));
  SymbolicDim last = symbolicShape(type).back();
  auto vectorType = tensorType(builder.getContext(), last, type.getElementType());
  Value weight = norm.weight ? asVector(g, norm.weight) : g.splat(vectorType, 1.0);
  mlir::FloatAttr epsilon = builder.getF64FloatAttr(norm.epsilon);
  Operation *made;
  if (norm.centred)
    made = LayerNormOp::create(builder, g.location(), type, norm.operand, weight,
                               norm.bias ? asVector(g, norm.bias) : Value(), epsilon);
  else
    made = RmsNormOp::create(builder, g.location(), type, norm.operand, weight, epsilon);
  norm.end->getResult(0).replaceAllUsesWith(made->getResult(0));
  log_.matched(norm.centred ? "layer_norm" : "rms_norm", made);
  ++matched_;
}

/// The products (quotients where `divides`) of x and `factor`, which stretches over the last dimension.
bool NormRaiser::raiseConsumers(Operation *root, Value factor, bool divides, const SquareMean &mean,
                                double epsilon) {
  // What is scaled: x, or x - mean(x).
  Value scaled = mean.of, operand = mean.of;
  bool centred = false;
  if (mean.lessMean) {
    centred = true;
    scaled = {}; // Any x - mean(x).
  } else if (Value x = uncentred(mean.of)) {
    centred = true;
    operand = x;
  }
  auto isScaled = [&](Value value) { return scaled ? value == scaled : uncentred(value) == operand; };

  llvm::SmallVector<Norm> norms;
  for (Operation *stretch : factor.getUsers()) {
    auto broadcast = llvm::dyn_cast<BroadcastOp>(stretch);
    if (!broadcast)
      continue;
    Value stretched = broadcast.getResult();
    for (Operation *user : stretched.getUsers()) {
      Value other;
      if (divides) {
        auto quotient = llvm::dyn_cast<DivOp>(user);
        other = quotient && quotient.getRhs() == stretched ? quotient.getLhs() : Value();
      } else {
        other = otherFactor(user, stretched);
      }
      if (!other)
        continue;
      Norm norm{user, operand, {}, {}, centred, epsilon};
      if (isScaled(other)) { // x * r, then perhaps * w
      } else if (auto product = other.getDefiningOp<MulOp>();
                 product && isScaled(product.getLhs()) && stretchedVector(product.getRhs())) {
        norm.weight = stretchedVector(product.getRhs()); // (x * w) * r
      } else if (product && isScaled(product.getRhs()) && stretchedVector(product.getLhs())) {
        norm.weight = stretchedVector(product.getLhs()); // (w * x) * r
      } else if (Value last = otherFactor(onlyUser(user->getResult(0)), user->getResult(0));
                 !divides && stretchedVector(other) && last && isScaled(last)) {
        norm.weight = stretchedVector(other); // x * (w * r)
        norm.end = onlyUser(user->getResult(0));
      } else {
        continue;
      }
      takeWeightAndBias(norm);
      norms.push_back(norm);
    }
  }
  for (const Norm &norm : norms)
    emit(norm, root);
  return !norms.empty();
}

void NormRaiser::visitRoot(Operation *root) {
  // r = 1 / sqrt(v), or q = sqrt(v).
  Value inner = root->getOperand(0);
  Value inverse, direct;
  if (llvm::isa<RsqrtOp>(root)) {
    inverse = root->getResult(0);
  } else if (llvm::isa<SqrtOp>(root)) {
    direct = root->getResult(0);
  } else {
    std::optional<double> exponent = splatValue(root->getOperand(1));
    if (exponent == -0.5)
      inverse = root->getResult(0);
    else if (exponent == 0.5)
      direct = root->getResult(0);
    else
      return;
  }
  if (!reductionBehind(inner))
    return;
  double epsilon = 0;
  Value mean = inner;
  if (auto sum = inner.getDefiningOp<AddOp>()) {
    if (std::optional<double> added = splatValue(sum.getRhs())) {
      epsilon = *added;
      mean = sum.getLhs();
    }
  }
  NearMiss reason;
  std::optional<SquareMean> square = squareMean(mean, reason);
  if (!square) {
    if (!reason.op)
      reason = {mean.getDefiningOp(), "is no mean of squares over the last dimension"};
    return miss("norm", root, reason);
  }
  bool raised = false;
  if (inverse)
    raised = raiseConsumers(root, inverse, /*divides=*/false, *square, epsilon);
  if (direct) {
    raised = raiseConsumers(root, direct, /*divides=*/true, *square, epsilon);
    for (Operation *user : llvm::make_early_inc_range(direct.getUsers()))
      if (auto reciprocal = llvm::dyn_cast<ReciprocalOp>(user))
        raised |= raiseConsumers(root, reciprocal.getResult(), /*divides=*/false, *square, epsilon);
  }
  if (raised)
    return;
  Value result = root->getResult(0);
  Operation *reader = result.use_empty() ? root : *result.user_begin();
  if (auto sum = llvm::dyn_cast<AddOp>(reader); sum && splatValue(sum.getRhs()))
    return miss("norm", root, {reader, "adds epsilon outside of the root"});
  miss("norm", root, {reader, "does not scale what the mean of squares was taken of"});
}

/// exp(x - max(x)) / sum(…), or times the sum's reciprocal.
void NormRaiser::visitSoftmax(Operation *op) {
  Value exponentials, sum;
  if (auto quotient = llvm::dyn_cast<DivOp>(op)) {
    exponentials = quotient.getLhs();
    sum = broadcastSource(quotient.getRhs());
  } else {
    auto product = llvm::cast<MulOp>(op);
    for (auto [a, b] :
         {std::pair(product.getLhs(), product.getRhs()), std::pair(product.getRhs(), product.getLhs())}) {
      Value source = broadcastSource(b);
      auto reciprocal = source ? source.getDefiningOp<ReciprocalOp>() : ReciprocalOp();
      if (!reciprocal)
        continue;
      exponentials = a;
      sum = reciprocal.getOperand();
    }
  }
  auto exp = exponentials ? exponentials.getDefiningOp<ExpOp>() : ExpOp();
  auto reduce = sum ? sum.getDefiningOp<ReduceOp>() : ReduceOp();
  if (!exp || !reduce || reduce.getKind() != ReduceKind::Sum || reduce.getOperand() != exponentials)
    return;
  if (!reducesLast(reduce))
    return miss("softmax", op, {reduce, "sums over other dimensions than the last"});
  Value x = exp.getOperand();
  if (auto difference = x.getDefiningOp<SubOp>()) {
    Value source = broadcastSource(difference.getRhs());
    auto maximum = source ? source.getDefiningOp<ReduceOp>() : ReduceOp();
    if (maximum && maximum.getKind() == ReduceKind::Max && maximum.getOperand() == difference.getLhs()) {
      // Any row constant may be subtracted, but only the maximum of the same rows is what softmax subtracts
      // itself.
      if (!reducesLast(maximum))
        return miss("softmax", op, {maximum, "takes the maximum over other dimensions than the last"});
      x = difference.getLhs();
    }
  }
  mlir::OpBuilder builder(op);
  auto made =
      SoftmaxOp::create(builder, commonLocation({exp.getLoc(), op->getLoc()}), op->getResult(0).getType(), x);
  op->getResult(0).replaceAllUsesWith(made.getResult());
  log_.matched("softmax", made);
  ++matched_;
}

namespace {
struct RaiseNorms : public heddle::impl::RaiseNormsBase<RaiseNorms> {
  using RaiseNormsBase::RaiseNormsBase;
  explicit RaiseNorms(MatchReports *reports) : reports(reports) {}

  void runOnOperation() override {
    llvm::SmallVector<Operation *> candidates;
    getOperation().walk([&](Operation *op) {
      if (llvm::isa<RsqrtOp, SqrtOp, PowOp, DivOp, MulOp>(op))
        candidates.push_back(op);
    });
    Log log(reports, remarks);
    unsigned matched = 0, missed = 0;
    NormRaiser raiser(log, matched, missed);
    for (Operation *op : candidates) {
      if (llvm::isa<DivOp, MulOp>(op))
        raiser.visitSoftmax(op);
      else
        raiser.visitRoot(op);
    }
    numMatched += matched;
    numMissed += missed;
    eraseDead(getOperation());
  }

  MatchReports *reports = nullptr;
};
} // namespace

std::unique_ptr<mlir::Pass> heddle::createRaiseNorms(MatchReports *reports) {
  return std::make_unique<RaiseNorms>(reports);
}
