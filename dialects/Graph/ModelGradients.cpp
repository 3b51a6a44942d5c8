//===- ModelGradients.cpp - Gradients of products and named model ops -----===//
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/OneKernel.h"

#include <optional>

using namespace heddle::graph;
using llvm::ArrayRef;
using llvm::BitVector;
using llvm::LogicalResult;
using llvm::MutableArrayRef;
using mlir::OpBuilder;
using mlir::success;
using mlir::Value;

/// [..., K] as [rows, K].
static Value asRows(GraphBuilder &g, Value value) {
  SymbolicShape shape = symbolicShape(typeOf(value));
  SymbolicDim rows = elementCount(ArrayRef<SymbolicDim>(shape).drop_back());
  return g.reshape(value, {rows, shape.back()});
}

/// Whether a value is a matrix that was transposed: then the gradient of the matrix itself is what is wanted.
static bool isTransposedMatrix(Value value) {
  auto transpose = value.getDefiningOp<TransposeOp>();
  if (!transpose)
    return false;
  int64_t rank = static_cast<int64_t>(transpose.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(transpose.getPermutation().drop_back(2)))
    if (static_cast<int64_t>(to) != from)
      return false;
  return transpose.getPermutation().take_back(2) == ArrayRef<int64_t>{rank - 1, rank - 2};
}

/// y = a b: da = dy bᵀ, db = aᵀ dy. A matrix that all leading dimensions share sums over them.
LogicalResult MatmulOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                 MutableArrayRef<Value> operands) {
  GraphBuilder g(builder, getLoc());
  Value a = getLhs(), b = getRhs();
  mlir::Type element = typeOf(a).getElementType();
  Value dy = g.cast(results[0], element, /*implicit=*/true);
  if (wanted[0])
    operands[0] = g.matmul(dy, g.transposeLast(b));
  if (!wanted[1])
    return success();
  if (typeOf(b).getRank() == 2) {
    a = asRows(g, a);
    dy = asRows(g, dy);
  }
  operands[1] = isTransposedMatrix(b) ? g.transposeLast(g.matmul(g.transposeLast(dy), a))
                                      : g.matmul(g.transposeLast(a), dy);
  return success();
}

LogicalResult SoftmaxOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                  MutableArrayRef<Value> operands) {
  Value product = GraphBuilder(builder, getLoc()).mul(results[0], getResult());
  operands[0] = SoftmaxGradOp::create(builder, getLoc(), getType(), getResult(), product);
  return success();
}

namespace {

/// The norms share their algebra: y = n w (+ b) with n = c s, where c is x or x - mean(x), and s the
/// reciprocal root. Written in float32, as the statistics are. PyTorch has two kernels: the gradient by x,
/// here with the statistics, and those by weight and bias; neither finds n in memory.
struct NormGradient : GraphBuilder {
  NormGradient(OpBuilder &builder, mlir::Operation *op, Value x, Value weight, Value dy)
      : GraphBuilder(builder, op->getLoc()), element(typeOf(x).getElementType()),
        shape(symbolicShape(typeOf(x))), last(static_cast<int64_t>(shape.size()) - 1), x(single(x)),
        weight(weight), dy(single(dy)), byInput(newKernel(context())), byVectors(newKernel(context())) {}

  Value single(Value value) { return cast(value, builder().getF32Type(), /*implicit=*/true); }
  Value rowMean(Value value) { return reduce(ReduceKind::Mean, value, {last}); }
  Value spread(Value value) { return broadcast(value, shape); }
  /// n and s.
  std::pair<Value, Value> normal(bool centred, double epsilon) {
    KernelScope statistics(builder(), byInput);
    auto inReader = [&](auto build) {
      KernelScope scope(builder(), inEachReader(context()));
      return build();
    };
    Value c = x;
    if (centred) {
      Value mean = rowMean(x);
      c = inReader([&] { return sub(x, spread(mean)); });
    }
    Value s = unary<RsqrtOp>(add(rowMean(mul(c, c)), epsilon));
    return {inReader([&] { return mul(c, spread(s)); }), s};
  }
  /// By x: s (g - n mean(g n)), less mean(g) where it was centred, with g = dy w.
  Value ofInput(Value n, Value s, bool centred) {
    KernelScope scope(builder(), byInput);
    Value g = mul(dy, spread(single(weight)));
    Value inner = mul(n, spread(rowMean(mul(g, n))));
    Value centre = centred ? sub(g, spread(rowMean(g))) : g;
    return cast(mul(spread(s), sub(centre, inner)), element, /*implicit=*/true);
  }
  /// By a vector: dy, times n where it is the weight, summed over all rows, in `like`'s type.
  Value ofVector(Value like, std::optional<Value> n = {}) {
    KernelScope scope(builder(), byVectors);
    Value rows = n ? mul(dy, *n) : dy;
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, last));
    Value sum = axes.empty() ? rows : reduce(ReduceKind::Sum, rows, axes);
    return cast(reshape(sum, {shape.back()}), typeOf(like).getElementType(), /*implicit=*/true);
  }

  mlir::Type element;
  SymbolicShape shape;
  int64_t last;
  Value x, weight, dy;
  mlir::Attribute byInput, byVectors; ///< The two kernels' marks.
};

} // namespace

LogicalResult RmsNormOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                  MutableArrayRef<Value> operands) {
  NormGradient norm(builder, *this, getOperand(), getWeight(), results[0]);
  auto [n, s] = norm.normal(/*centred=*/false, getEpsilon().convertToDouble());
  if (wanted[0])
    operands[0] = norm.ofInput(n, s, /*centred=*/false);
  if (wanted[1])
    operands[1] = norm.ofVector(getWeight(), n);
  return success();
}

LogicalResult LayerNormOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &wanted,
                                    MutableArrayRef<Value> operands) {
  NormGradient norm(builder, *this, getOperand(), getWeight(), results[0]);
  auto [n, s] = norm.normal(/*centred=*/true, getEpsilon().convertToDouble());
  if (wanted[0])
    operands[0] = norm.ofInput(n, s, /*centred=*/true);
  if (wanted[1])
    operands[1] = norm.ofVector(getWeight(), n);
  if (getBias() && wanted[2])
    operands[2] = norm.ofVector(getBias());
  return success();
}

LogicalResult EmbeddingOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                    MutableArrayRef<Value> operands) {
  operands[0] = EmbeddingGradOp::create(builder, getLoc(), getTable().getType(), results[0], getIndices());
  return success();
}

LogicalResult CrossEntropyOp::buildVjp(OpBuilder &builder, ArrayRef<Value> results, const BitVector &,
                                       MutableArrayRef<Value> operands) {
  operands[0] = CrossEntropyGradOp::create(builder, getLoc(), getLogits().getType(), getLogits(),
                                           getTargets(), results[0], getIgnoredAttr(), getSmoothingAttr());
  return success();
}
