#include "compiler/Lowering/Decompose.h"
#include "dialects/Graph/GraphBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Formulas over one row-shaped type: float32 elements, reductions over the last dimension.
class RowFormula : public GraphBuilder {
public:
  RowFormula(mlir::OpBuilder &builder, mlir::Operation *op) : GraphBuilder(builder, op->getLoc()) {
    RankedTensorType type = typeOf(op->getOperand(0));
    wide_ = withElementType(type, builder.getF32Type());
    SymbolicShape shape = symbolicShape(type);
    shape.back() = SymbolicDim::fixed(1);
    reduced_ = tensorType(context(), shape, builder.getF32Type());
  }

  RankedTensorType wide() const { return wide_; }
  Value widen(Value value) { return rounded(value, wide_); }
  /// In the elements of `type`, which has the value's shape.
  Value rounded(Value value, RankedTensorType type) {
    return cast(value, type.getElementType(), /*implicit=*/true);
  }
  Value reduceRow(ReduceKind kind, Value value) { return reduce(kind, value, {wide_.getRank() - 1}); }
  Value spread(Value value) { return broadcast(value, symbolicShape(wide_)); }
  /// A vector of the last dimension's extent, for every row.
  Value spreadVector(Value vector) { return widen(spread(vector)); }
  /// A value of the rows, without the last dimension, for every element.
  Value spreadRows(Value rows) { return spread(reshape(rows, symbolicShape(reduced_))); }
  /// Whether an element's place along the last dimension is the one that `targets` names for its row.
  Value isTarget(Value targets) {
    Value place = iota(withElementType(wide_, typeOf(targets).getElementType()), wide_.getRank() - 1);
    return compare(Predicate::EQ, place, spreadRows(targets));
  }
  /// Whether a row counts, of the shape of the rows.
  Value isValid(Value targets, int64_t ignored) {
    RankedTensorType type = typeOf(targets);
    Value none = constant(
        mlir::DenseElementsAttr::get(type, builder().getIntegerAttr(type.getElementType(), ignored)));
    return compare(Predicate::NE, targets, none);
  }
  /// One number for every row.
  Value number(double value) { return splat(reduced_, value); }

private:
  RankedTensorType wide_, reduced_;
};

Value writeSoftmax(mlir::OpBuilder &builder, SoftmaxOp op) {
  RowFormula f(builder, op);
  Value x = f.widen(op.getOperand());
  Value e = f.unary<ExpOp>(f.sub(x, f.spread(f.reduceRow(ReduceKind::Max, x))));
  Value y = f.div(e, f.spread(f.reduceRow(ReduceKind::Sum, e)));
  return f.rounded(y, op.getResult().getType());
}

Value writeRmsNorm(mlir::OpBuilder &builder, RmsNormOp op) {
  RowFormula f(builder, op);
  Value x = f.widen(op.getOperand());
  Value meanSquare = f.reduceRow(ReduceKind::Mean, f.mul(x, x));
  Value scale = f.unary<RsqrtOp>(f.add(meanSquare, f.number(op.getEpsilon().convertToDouble())));
  Value normal = f.mul(x, f.spread(scale));
  Value y = f.mul(normal, f.spreadVector(op.getWeight()));
  return f.rounded(y, op.getResult().getType());
}

Value writeLayerNorm(mlir::OpBuilder &builder, LayerNormOp op) {
  RowFormula f(builder, op);
  Value x = f.widen(op.getOperand());
  Value centred = f.sub(x, f.spread(f.reduceRow(ReduceKind::Mean, x)));
  Value variance = f.reduceRow(ReduceKind::Mean, f.mul(centred, centred));
  Value scale = f.unary<RsqrtOp>(f.add(variance, f.number(op.getEpsilon().convertToDouble())));
  Value normal = f.mul(centred, f.spread(scale));
  Value y = f.mul(normal, f.spreadVector(op.getWeight()));
  if (op.getBias())
    y = f.add(y, f.spreadVector(op.getBias()));
  return f.rounded(y, op.getResult().getType());
}

Value writeSoftmaxGrad(mlir::OpBuilder &builder, SoftmaxGradOp op) {
  RowFormula f(builder, op);
  Value y = f.widen(op.getSoftmax()), product = f.widen(op.getProduct());
  Value sum = f.spread(f.reduceRow(ReduceKind::Sum, product));
  return f.rounded(f.sub(product, f.mul(y, sum)), op.getResult().getType());
}

Value writeCrossEntropy(mlir::OpBuilder &builder, CrossEntropyOp op) {
  RowFormula f(builder, op);
  Value x = f.widen(op.getLogits()), targets = op.getTargets();
  double smoothing = op.getSmoothing().convertToDouble();
  Value most = f.reduceRow(ReduceKind::Max, x);
  Value sum = f.reduceRow(ReduceKind::Sum, f.unary<ExpOp>(f.sub(x, f.spread(most))));
  Value logsumexp = f.add(most, f.unary<LogOp>(sum));
  Value chosen = f.reduceRow(ReduceKind::Sum, f.select(f.isTarget(targets), x, f.splat(f.wide(), 0.0)));
  Value loss;
  if (smoothing == 0) {
    loss = f.sub(logsumexp, chosen);
  } else {
    Value mean = f.mul(f.reduceRow(ReduceKind::Mean, x), f.number(smoothing));
    Value kept = f.mul(chosen, f.number(1 - smoothing));
    loss = f.sub(f.sub(logsumexp, kept), mean);
  }
  RankedTensorType rows = op.getResult().getType();
  return f.select(f.isValid(targets, op.getIgnored()), f.reshape(loss, symbolicShape(rows)),
                  f.splat(rows, 0.0));
}

Value writeCrossEntropyGrad(mlir::OpBuilder &builder, CrossEntropyGradOp op) {
  RowFormula f(builder, op);
  Value x = f.widen(op.getLogits()), targets = op.getTargets();
  double smoothing = op.getSmoothing().convertToDouble();
  Value e = f.unary<ExpOp>(f.sub(x, f.spread(f.reduceRow(ReduceKind::Max, x))));
  Value p = f.div(e, f.spread(f.reduceRow(ReduceKind::Sum, e)));
  Value zero = f.splat(f.wide(), 0.0);
  Value d = f.sub(p, f.select(f.isTarget(targets), f.splat(f.wide(), 1 - smoothing), zero));
  if (smoothing != 0) {
    auto columns = static_cast<double>(f.wide().getShape().back());
    d = f.sub(d, f.splat(f.wide(), smoothing / columns));
  }
  d = f.mul(d, f.widen(f.spreadRows(op.getGradient())));
  Value valid = f.spreadRows(f.isValid(targets, op.getIgnored()));
  return f.rounded(f.select(valid, d, zero), op.getResult().getType());
}

} // namespace

void heddle::decomposeNamedOps(GroupOp group) {
  llvm::SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &op : group.getBody().front())
    ops.push_back(&op);
  for (mlir::Operation *op : ops) {
    mlir::OpBuilder builder(op);
    Value written = llvm::TypeSwitch<mlir::Operation *, Value>(op)
                        .Case([&](SoftmaxOp op) { return writeSoftmax(builder, op); })
                        .Case([&](RmsNormOp op) { return writeRmsNorm(builder, op); })
                        .Case([&](SoftmaxGradOp op) { return writeSoftmaxGrad(builder, op); })
                        .Case([&](CrossEntropyOp op) { return writeCrossEntropy(builder, op); })
                        .Case([&](CrossEntropyGradOp op) { return writeCrossEntropyGrad(builder, op); })
                        .Case([&](LayerNormOp op) { return writeLayerNorm(builder, op); })
                        .Default([](mlir::Operation *) { return Value(); });
    if (!written)
      continue;
    op->getResult(0).replaceAllUsesWith(written);
    op->erase();
  }
}
