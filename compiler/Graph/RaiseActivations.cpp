//===- RaiseActivations.cpp - GELU and SiLU from written-out ops ----------===//
//
// Both are x times a function of x: frameworks write the factors, halves and sums in any order. So no order
// is matched: what goes into tanh, erf or the sigmoid is read as a polynomial in x, and what is made of the
// function's value f as P(x) + Q(x) f.
//
//===----------------------------------------------------------------------===//
#include "compiler/Graph/Match.h"
#include "compiler/Graph/Passes.h"
#include "compiler/Support/Locations.h"

#include "llvm/ADT/SetVector.h"

#include <array>
#include <cmath>

namespace heddle {
#define GEN_PASS_DEF_RAISEACTIVATIONS
#include "compiler/Graph/Passes.h.inc"
} // namespace heddle

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::match;
using mlir::Operation;
using mlir::Value;

namespace {

/// Coefficients of 1, x, x², x³, x⁴.
struct Polynomial {
  static constexpr int kTerms = 5;
  std::array<double, kTerms> terms{};

  static Polynomial constant(double value) { return {{value}}; }
  static Polynomial monomial(int power, double factor = 1) {
    Polynomial result;
    result.terms[power] = factor;
    return result;
  }
  Polynomial scaledBy(double factor) const {
    Polynomial result = *this;
    for (double &term : result.terms)
      term *= factor;
    return result;
  }
  Polynomial plus(const Polynomial &other) const {
    Polynomial result = *this;
    for (int power = 0; power < kTerms; ++power)
      result.terms[power] += other.terms[power];
    return result;
  }
  /// Nothing where the degree grows beyond what is kept.
  std::optional<Polynomial> times(const Polynomial &other) const {
    Polynomial result;
    for (int a = 0; a < kTerms; ++a)
      for (int b = 0; b < kTerms; ++b) {
        double product = terms[a] * other.terms[b];
        if (product != 0 && a + b >= kTerms)
          return std::nullopt;
        if (product != 0)
          result.terms[a + b] += product;
      }
    return result;
  }
  /// The same up to constants that were rounded to float32 and then multiplied.
  bool isClose(const Polynomial &wanted) const {
    for (int power = 0; power < kTerms; ++power)
      if (!(std::fabs(terms[power] - wanted.terms[power]) <= std::ldexp(std::fabs(wanted.terms[power]), -22)))
        return false;
    return true;
  }
};

/// `value` as a polynomial in `x`; nothing where it is none, or too deep.
std::optional<Polynomial> polynomialIn(Value x, Value value, int depth = 8) {
  if (value == x)
    return Polynomial::monomial(1);
  if (std::optional<double> constant = splatValue(value))
    return Polynomial::constant(*constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || !llvm::isa<AddOp, SubOp, MulOp, DivOp, NegOp, PowOp>(op))
    return std::nullopt;
  std::optional<Polynomial> lhs = polynomialIn(x, op->getOperand(0), depth - 1);
  if (!lhs)
    return std::nullopt;
  if (llvm::isa<NegOp>(op))
    return lhs->scaledBy(-1);
  if (llvm::isa<DivOp, PowOp>(op)) {
    std::optional<double> constant = splatValue(op->getOperand(1));
    if (!constant)
      return std::nullopt;
    if (llvm::isa<DivOp>(op))
      return lhs->scaledBy(1 / *constant);
    if (*constant != 2 && *constant != 3)
      return std::nullopt;
    std::optional<Polynomial> power = lhs->times(*lhs);
    return power && *constant == 3 ? power->times(*lhs) : power;
  }
  std::optional<Polynomial> rhs = polynomialIn(x, op->getOperand(1), depth - 1);
  if (!rhs)
    return std::nullopt;
  if (llvm::isa<MulOp>(op))
    return lhs->times(*rhs);
  return lhs->plus(llvm::isa<SubOp>(op) ? rhs->scaledBy(-1) : *rhs);
}

/// One way to write an activation: P + Q f(argument).
struct Form {
  const char *name;
  Polynomial argument, p, q;
  std::optional<GeluForm> gelu; ///< None: SiLU.
};

/// The forms that a function of this op takes part in.
llvm::SmallVector<Form, 2> formsOf(Operation *function) {
  // Hendrycks and Gimpel, arXiv:1606.08415: x Φ(x), and its approximations by tanh, which is 2 sigmoid(2u)
  // - 1.
  const double linear = std::sqrt(2 / M_PI), cubic = 0.044715 * linear;
  Polynomial half = Polynomial::monomial(1, 0.5), whole = Polynomial::monomial(1);
  Polynomial inner = Polynomial::monomial(1, linear).plus(Polynomial::monomial(3, cubic));
  if (llvm::isa<TanhOp>(function))
    return {{"gelu", inner, half, half, GeluForm::Tanh}};
  if (llvm::isa<ErfOp>(function))
    return {{"gelu", Polynomial::monomial(1, std::sqrt(0.5)), half, half, GeluForm::Erf}};
  return {{"silu", whole, {}, whole, std::nullopt}, {"gelu", inner.scaledBy(2), {}, whole, GeluForm::Tanh}};
}

/// What a function is applied to.
struct Argument {
  Value x;
  Form form;
  double sign; ///< -1: the form's argument, negated; tanh and erf are odd.
};

/// All readings of the argument: that of a sigmoid is always some x, and perhaps GELU's polynomial of
/// another.
llvm::SmallVector<Argument, 2> argumentsOf(Operation *function) {
  // What the argument is made of; one of them is x.
  llvm::SetVector<Value> candidates;
  candidates.insert(function->getOperand(0));
  constexpr size_t kCandidates = 16;
  for (size_t next = 0; next < candidates.size() && candidates.size() < kCandidates; ++next)
    if (Operation *op = candidates[next].getDefiningOp();
        llvm::isa_and_nonnull<AddOp, SubOp, MulOp, DivOp, NegOp, PowOp>(op))
      candidates.insert(op->operand_begin(), op->operand_end());
  llvm::SmallVector<Argument, 2> found;
  for (const Form &form : formsOf(function))
    for (Value x : candidates) {
      std::optional<Polynomial> argument =
          splatValue(x) ? std::nullopt : polynomialIn(x, function->getOperand(0));
      if (!argument)
        continue;
      if (argument->isClose(form.argument))
        found.push_back({x, form, 1});
      else if (!llvm::isa<SigmoidOp>(function) && argument->scaledBy(-1).isClose(form.argument))
        found.push_back({x, form, -1});
    }
  return found;
}

/// Follows the only readers of the function's value to the op that completes the form.
Operation *completes(Operation *function, const Argument &argument, NearMiss &miss) {
  const auto &[x, form, sign] = argument;
  Polynomial p, q = Polynomial::constant(sign);
  Value value = function->getResult(0);
  while (true) {
    if (!value.hasOneUse()) {
      miss = {value.getDefiningOp(), "is read by others as well"};
      return nullptr;
    }
    Operation *user = *value.user_begin();
    if (!llvm::isa<AddOp, SubOp, MulOp, DivOp>(user)) {
      miss = {user, "is no factor and no sum of x times the function"};
      return nullptr;
    }
    bool left = user->getOperand(0) == value;
    std::optional<Polynomial> other = polynomialIn(x, user->getOperand(left ? 1 : 0));
    std::optional<Polynomial> nextP, nextQ;
    if (other && llvm::isa<AddOp, SubOp>(user)) {
      // a - v turns v's sign, v - a turns a's.
      bool minus = llvm::isa<SubOp>(user);
      nextP = minus && !left ? other->plus(p.scaledBy(-1)) : p.plus(minus ? other->scaledBy(-1) : *other);
      nextQ = minus && !left ? q.scaledBy(-1) : q;
    } else if (other && llvm::isa<MulOp>(user)) {
      nextP = p.times(*other);
      nextQ = q.times(*other);
    } else if (other && left && other->terms[0] != 0 &&
               other->isClose(Polynomial::constant(other->terms[0]))) {
      nextP = p.scaledBy(1 / other->terms[0]);
      nextQ = q.scaledBy(1 / other->terms[0]);
    }
    if (!nextP || !nextQ) {
      miss = {user, "has an operand that is no polynomial in x"};
      return nullptr;
    }
    p = *nextP;
    q = *nextQ;
    value = user->getResult(0);
    if (p.isClose(form.p) && q.isClose(form.q))
      return user;
  }
}

struct RaiseActivations : public heddle::impl::RaiseActivationsBase<RaiseActivations> {
  using RaiseActivationsBase::RaiseActivationsBase;
  explicit RaiseActivations(MatchReports *reports) : reports(reports) {}

  void runOnOperation() override {
    llvm::SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (llvm::isa<TanhOp, ErfOp, SigmoidOp>(op))
        functions.push_back(op);
    });
    Log log(reports, remarks);
    for (Operation *function : functions)
      raise(function, log);
    eraseDead(getOperation());
  }

  void raise(Operation *function, Log &log) {
    std::optional<NearMiss> nearest;
    for (const Argument &argument : argumentsOf(function)) {
      NearMiss miss;
      Operation *end = completes(function, argument, miss);
      if (!end) {
        // The sigmoid of anything might be SiLU: that is no near miss.
        if (argument.form.gelu)
          nearest = miss;
        continue;
      }
      mlir::OpBuilder builder(end);
      mlir::Location loc = commonLocation({function->getLoc(), end->getLoc()});
      Value x = argument.x;
      Operation *made = argument.form.gelu
                            ? GeluOp::create(builder, loc, x.getType(), *argument.form.gelu, x).getOperation()
                            : SiluOp::create(builder, loc, x.getType(), x).getOperation();
      end->getResult(0).replaceAllUsesWith(made->getResult(0));
      log.matched(argument.form.name, made);
      ++numMatched;
      return;
    }
    if (nearest) {
      log.missed("gelu", function, *nearest);
      ++numMissed;
    }
  }

  MatchReports *reports = nullptr;
};
} // namespace

std::unique_ptr<mlir::Pass> heddle::createRaiseActivations(MatchReports *reports) {
  return std::make_unique<RaiseActivations>(reports);
}
