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

} // namespace

void heddle::decomposeNamedOps(GroupOp group) {
  llvm::SmallVector<mlir::Operation *> ops;
  for (mlir::Operation &op : group.getBody().front())
    ops.push_back(&op);
  for (mlir::Operation *op : ops) {
    Value written = llvm::TypeSwitch<mlir::Operation *, Value>(op)
                        .Case([](SoftmaxOp op) { return writeSoftmax(op); })
                        .Case([](RmsNormOp op) { return writeRmsNorm(op); })
                        .Case([](LayerNormOp op) { return writeLayerNorm(op); })
                        .Default([](mlir::Operation *) { return Value(); });
    if (!written)
      continue;
    op->getResult(0).replaceAllUsesWith(written);
    op->erase();
  }
}
