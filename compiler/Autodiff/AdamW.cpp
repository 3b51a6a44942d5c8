#include "compiler/Autodiff/AdamW.h"

#include "compiler/Autodiff/States.h"
#include "dialects/Graph/OneKernel.h"

#include <limits>

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class AdamW {
public:
  explicit AdamW(mlir::OpBuilder &builder)
      : builder_(builder), g_(builder, mlir::NameLoc::get(builder.getStringAttr("optimizer"))),
        f32_(builder.getF32Type()), one_(tensorType(builder.getContext(), {SymbolicDim::fixed(1)}, f32_)) {}

  Value build(llvm::ArrayRef<Trained> trained);

private:
  Value scalar(const std::string &name, double value) {
    return scalarState(g_, StateKind::Optimizer, "adamw." + name, value);
  }
  Value moments(ParameterOp parameter, const std::string &prefix) {
    return stateLike(g_, StateKind::Optimizer, parameter, prefix);
  }
  void assign(Value leaf, Value value) { AssignOp::create(builder_, g_.location(), leaf, value); }

  Value sumOfSquares(Value gradient);
  void updateScalars(Value norm);
  void update(const Trained &trained);

  mlir::OpBuilder &builder_;
  GraphBuilder g_;
  mlir::Type f32_;
  mlir::RankedTensorType one_;
  /// What all parameters share: [1].
  Value oneMinusBeta1_, oneMinusBeta2_, rate_, decay_, rootCorrection_, epsilon_, clip_;
  Value finite_; ///< i1 [1].
};

} // namespace

/// One sum for each row, [rows]: a second stage adds up those of all parameters.
Value AdamW::sumOfSquares(Value gradient) {
  KernelScope oneKernel(builder_, newKernel(builder_.getContext()));
  Value single = g_.cast(gradient, f32_, /*implicit=*/true);
  int64_t last = typeOf(single).getRank() - 1;
  Value sums = g_.reduce(ReduceKind::Sum, g_.mul(single, single), {last});
  return g_.reshape(sums, {elementCount(symbolicShape(typeOf(sums)))});
}

void AdamW::update(const Trained &trained) {
  ParameterOp parameter = trained.parameter;
  g_.setLocation(parameter.getLoc());
  Value weight = parameter.getResult();
  SymbolicShape shape = symbolicShape(typeOf(weight));
  auto spread = [&](Value value) { return heddle::spread(g_, value, shape); };
  Value p = g_.cast(weight, f32_, /*implicit=*/true);
  // Marked as the passes of PyTorch's default (foreach): lerp_ for m, mul_ and addcmul_ for v, sqrt, div_ and
  // add_ for the root, mul_ and addcdiv_ for the weight. Clipping costs none: the first readers do it.
  mlir::MLIRContext *context = builder_.getContext();
  mlir::Attribute lerp = newKernel(context), addcmul = newKernel(context), addcdiv = newKernel(context);
  auto within = [&](mlir::Attribute kernel, auto build) {
    KernelScope scope(builder_, kernel);
    return build();
  };
  Value gradient = within(inEachReader(context), [&] {
    return g_.mul(g_.cast(trained.gradient, f32_, /*implicit=*/true), spread(clip_));
  });
  Value m = moments(parameter, "exp_avg."), v = moments(parameter, "exp_avg_sq.");
  Value nextM = within(lerp, [&] { return g_.add(m, g_.mul(g_.sub(gradient, m), spread(oneMinusBeta1_))); });
  Value nextV = within(addcmul, [&] {
    Value away = within(newKernel(context), [&] { return g_.sub(g_.mul(gradient, gradient), v); });
    return g_.add(v, g_.mul(away, spread(oneMinusBeta2_)));
  });
  Value root = g_.add(g_.div(g_.unary<SqrtOp>(nextV), spread(rootCorrection_)), spread(epsilon_));
  Value next = within(addcdiv, [&] {
    Value change = g_.div(g_.mul(nextM, spread(rate_)), root);
    if (shape.size() > 1)
      change = g_.add(change, g_.mul(p, spread(decay_)));
    return g_.cast(g_.sub(p, change), typeOf(weight).getElementType(), /*implicit=*/true);
  });
  Value finite = spread(finite_);
  auto keep = [&](mlir::Attribute kernel, Value leaf, Value value) {
    assign(leaf, within(kernel, [&] { return g_.select(finite, value, leaf); }));
  };
  keep(lerp, m, nextM);
  keep(addcmul, v, nextV);
  keep(addcdiv, weight, next);
}

Value AdamW::build(llvm::ArrayRef<Trained> trained) {
  llvm::SmallVector<Value> squares;
  for (const Trained &each : trained)
    squares.push_back(sumOfSquares(each.gradient));
  Value all = squares.size() == 1 ? squares.front() : g_.concat(squares, 0);
  Value norm = g_.unary<SqrtOp>(g_.reduce(ReduceKind::Sum, all, {0}));

  {
    // One kernel for all scalars, which PyTorch keeps on the host.
    KernelScope oneKernel(builder_, newKernel(builder_.getContext()));
    updateScalars(norm);
  }
  for (const Trained &each : trained)
    update(each);
  return g_.reshape(norm, {});
}

/// What all parameters share.
void AdamW::updateScalars(Value norm) {
  Value rate = scalar("lr", 1e-3), decay = scalar("weight_decay", 1e-2), limit = scalar("max_norm", 1e30);
  oneMinusBeta1_ = scalar("one_minus_beta1", 0.1);
  oneMinusBeta2_ = scalar("one_minus_beta2", 0.001);
  epsilon_ = scalar("epsilon", 1e-8);
  finite_ = g_.compare(Predicate::LT, norm, g_.splat(one_, kInfinity));
  clip_ = g_.binary<MinimumOp>(g_.div(limit, g_.add(norm, 1e-6)), g_.splat(one_, 1.0));
  auto advance = [&](const std::string &name, Value rest) {
    Value correction = scalar(name, 0.0);
    Value next = g_.add(correction, g_.mul(rest, g_.sub(g_.splat(one_, 1.0), correction)));
    assign(correction, g_.select(finite_, next, correction));
    return next;
  };
  Value correction1 = advance("correction1", oneMinusBeta1_),
        correction2 = advance("correction2", oneMinusBeta2_);
  rate_ = g_.div(rate, correction1);
  rootCorrection_ = g_.unary<SqrtOp>(correction2);
  decay_ = g_.mul(rate, decay);
  Value step = scalar("step", 0.0), skipped = scalar("skipped", 0.0);
  Value counted = g_.cast(finite_, f32_);
  assign(step, g_.add(step, counted));
  assign(skipped, g_.add(skipped, g_.sub(g_.splat(one_, 1.0), counted)));
}

Value heddle::buildAdamW(mlir::OpBuilder &builder, llvm::ArrayRef<Trained> trained) {
  return AdamW(builder).build(trained);
}
