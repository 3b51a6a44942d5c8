#include "compiler/Lowering/Decompose.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Builds formulas over one row-shaped type: float32 elements, reductions over the last dimension.
class RowFormula {
public:
  RowFormula(mlir::Operation *op) : builder_(op), loc_(op->getLoc()) {
    auto type = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
    wide_ = withElementType(type, builder_.getF32Type());
    SymbolicShape shape = symbolicShape(type);
    shape.back() = SymbolicDim::fixed(1);
    reduced_ = tensorType(builder_.getContext(), shape, builder_.getF32Type());
  }

  Value widen(Value value) { return castTo(value, wide_); }
  Value castTo(Value value, RankedTensorType type) {
    return value.getType() == type ? value : CastOp::create(builder_, loc_, type, value, /*implicit=*/true);
  }
  Value reduce(ReduceKind kind, Value value) {
    int64_t axis = wide_.getRank() - 1;
    return ReduceOp::create(builder_, loc_, reduced_, kind, value, llvm::ArrayRef<int64_t>(axis));
  }
  Value spread(Value value) { return BroadcastOp::create(builder_, loc_, wide_, value); }
  /// A vector of the last dimension's extent, for every row.
  Value spreadVector(Value vector) {
    SymbolicShape shape(wide_.getRank(), SymbolicDim::fixed(1));
    shape.back() = symbolicShape(wide_).back();
    auto vectorType = llvm::cast<RankedTensorType>(vector.getType());
    Value row = ReshapeOp::create(
        builder_, loc_, tensorType(builder_.getContext(), shape, vectorType.getElementType()), vector);
    Value rows =
        BroadcastOp::create(builder_, loc_, withElementType(wide_, vectorType.getElementType()), row);
    return widen(rows);
  }
  /// A number for every row.
  /// A value of the rows, without the last dimension, for every element.
  Value spreadRows(Value rows, mlir::Type element) {
    RankedTensorType one = withElementType(reduced_, element);
    Value column = rows.getType() == one ? rows : ReshapeOp::create(builder_, loc_, one, rows).getResult();
    return BroadcastOp::create(builder_, loc_, withElementType(wide_, element), column);
  }
  /// Whether an element's place along the last dimension is the one that `targets` names for its row.
  Value isTarget(Value targets) {
    mlir::Type element = llvm::cast<RankedTensorType>(targets.getType()).getElementType();
    Value place = IotaOp::create(builder_, loc_, withElementType(wide_, element),
                                 builder_.getI64IntegerAttr(wide_.getRank() - 1));
    return compare(Predicate::EQ, place, spreadRows(targets, element));
  }
  /// Whether a row counts, of the shape of the rows.
  Value isValid(Value targets, int64_t ignored) {
    auto type = llvm::cast<RankedTensorType>(targets.getType());
    Value none = ConstantOp::create(
        builder_, loc_,
        mlir::DenseElementsAttr::get(type, builder_.getIntegerAttr(type.getElementType(), ignored)));
    return compare(Predicate::NE, targets, none);
  }
  Value compare(Predicate predicate, Value a, Value b) {
    auto type = withElementType(llvm::cast<RankedTensorType>(a.getType()), builder_.getI1Type());
    return CompareOp::create(builder_, loc_, type, predicate, a, b);
  }
  Value select(Value condition, Value a, Value b) {
    return SelectOp::create(builder_, loc_, a.getType(), condition, a, b);
  }
  Value splat(mlir::Type type, double value) {
    auto tensor = llvm::cast<RankedTensorType>(type);
    return ConstantOp::create(
        builder_, loc_,
        mlir::DenseElementsAttr::get(tensor, builder_.getF32FloatAttr(static_cast<float>(value))));
  }
  RankedTensorType wide() const { return wide_; }
  Value asRows(Value reduced, RankedTensorType rows) {
    return ReshapeOp::create(builder_, loc_, rows, reduced);
  }
  mlir::Type i1() { return builder_.getI1Type(); }

  /// A number for every row.
  Value number(double value) {
    return ConstantOp::create(
        builder_, loc_,
        mlir::DenseElementsAttr::get(reduced_, builder_.getF32FloatAttr(static_cast<float>(value))));
  }

  template <typename Op, typename... Operands>
  Value make(Operands... operands) {
    Value first = std::get<0>(std::make_tuple(operands...));
    return Op::create(builder_, loc_, first.getType(), operands...);
  }

private:
  mlir::OpBuilder builder_;
  mlir::Location loc_;
  RankedTensorType wide_, reduced_;
};

Value writeSoftmax(SoftmaxOp op) {
  RowFormula f(op);
  Value x = f.widen(op.getOperand());
  Value e = f.make<ExpOp>(f.make<SubOp>(x, f.spread(f.reduce(ReduceKind::Max, x))));
  Value y = f.make<DivOp>(e, f.spread(f.reduce(ReduceKind::Sum, e)));
  return f.castTo(y, op.getResult().getType());
}

Value writeRmsNorm(RmsNormOp op) {
  RowFormula f(op);
  Value x = f.widen(op.getOperand());
  Value meanSquare = f.reduce(ReduceKind::Mean, f.make<MulOp>(x, x));
  Value scale = f.make<RsqrtOp>(f.make<AddOp>(meanSquare, f.number(op.getEpsilon().convertToDouble())));
  Value normal = f.make<MulOp>(x, f.spread(scale));
  Value y = f.make<MulOp>(normal, f.spreadVector(op.getWeight()));
  return f.castTo(y, op.getResult().getType());
}

Value writeLayerNorm(LayerNormOp op) {
  RowFormula f(op);
  Value x = f.widen(op.getOperand());
  Value centred = f.make<SubOp>(x, f.spread(f.reduce(ReduceKind::Mean, x)));
  Value variance = f.reduce(ReduceKind::Mean, f.make<MulOp>(centred, centred));
  Value scale = f.make<RsqrtOp>(f.make<AddOp>(variance, f.number(op.getEpsilon().convertToDouble())));
  Value normal = f.make<MulOp>(centred, f.spread(scale));
  Value y = f.make<MulOp>(normal, f.spreadVector(op.getWeight()));
  if (op.getBias())
    y = f.make<AddOp>(y, f.spreadVector(op.getBias()));
  return f.castTo(y, op.getResult().getType());
}

Value writeSoftmaxGrad(SoftmaxGradOp op) {
  RowFormula f(op);
  Value y = f.widen(op.getSoftmax()), dy = f.widen(op.getGradient());
  Value inner = f.spread(f.reduce(ReduceKind::Sum, f.make<MulOp>(dy, y)));
  return f.castTo(f.make<MulOp>(y, f.make<SubOp>(dy, inner)), op.getResult().getType());
}

Value writeCrossEntropy(CrossEntropyOp op) {
  RowFormula f(op);
  Value x = f.widen(op.getLogits()), targets = op.getTargets();
  double smoothing = op.getSmoothing().convertToDouble();
  Value most = f.reduce(ReduceKind::Max, x);
  Value sum = f.reduce(ReduceKind::Sum, f.make<ExpOp>(f.make<SubOp>(x, f.spread(most))));
  Value logsumexp = f.make<AddOp>(most, f.make<LogOp>(sum));
  Value chosen = f.reduce(ReduceKind::Sum, f.select(f.isTarget(targets), x, f.splat(f.wide(), 0.0)));
  Value loss;
  if (smoothing == 0) {
    loss = f.make<SubOp>(logsumexp, chosen);
  } else {
    Value mean = f.make<MulOp>(f.reduce(ReduceKind::Mean, x), f.number(smoothing));
    Value kept = f.make<MulOp>(chosen, f.number(1 - smoothing));
    loss = f.make<SubOp>(f.make<SubOp>(logsumexp, kept), mean);
  }
  auto rows = llvm::cast<RankedTensorType>(op.getResult().getType());
  return f.select(f.isValid(targets, op.getIgnored()), f.asRows(loss, rows), f.splat(rows, 0.0));
}

Value writeCrossEntropyGrad(CrossEntropyGradOp op) {
  RowFormula f(op);
  Value x = f.widen(op.getLogits()), targets = op.getTargets();
  double smoothing = op.getSmoothing().convertToDouble();
  Value e = f.make<ExpOp>(f.make<SubOp>(x, f.spread(f.reduce(ReduceKind::Max, x))));
  Value p = f.make<DivOp>(e, f.spread(f.reduce(ReduceKind::Sum, e)));
  Value zero = f.splat(f.wide(), 0.0);
  Value d = f.make<SubOp>(p, f.select(f.isTarget(targets), f.splat(f.wide(), 1 - smoothing), zero));
  if (smoothing != 0) {
    auto columns = static_cast<double>(f.wide().getShape().back());
    d = f.make<SubOp>(d, f.splat(f.wide(), smoothing / columns));
  }
  Value gradient = op.getGradient();
  mlir::Type element = llvm::cast<RankedTensorType>(gradient.getType()).getElementType();
  d = f.make<MulOp>(d, f.widen(f.spreadRows(gradient, element)));
  Value valid = f.spreadRows(f.isValid(targets, op.getIgnored()), f.i1());
  return f.castTo(f.select(valid, d, zero), op.getResult().getType());
}

} // namespace

void heddle::decomposeNamedOps(GroupOp group) {
  llvm::SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &op : group.getBody().front())
    ops.push_back(&op);
  for (mlir::Operation *op : ops) {
    Value written = llvm::TypeSwitch<mlir::Operation *, Value>(op)
                        .Case([](SoftmaxOp op) { return writeSoftmax(op); })
                        .Case([](RmsNormOp op) { return writeRmsNorm(op); })
                        .Case([](SoftmaxGradOp op) { return writeSoftmaxGrad(op); })
                        .Case([](CrossEntropyOp op) { return writeCrossEntropy(op); })
                        .Case([](CrossEntropyGradOp op) { return writeCrossEntropyGrad(op); })
                        .Case([](LayerNormOp op) { return writeLayerNorm(op); })
                        .Default([](mlir::Operation *) { return Value(); });
    if (!written)
      continue;
    op->getResult(0).replaceAllUsesWith(written);
    op->erase();
  }
}
