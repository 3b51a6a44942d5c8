//===- AttentionLowering.cpp - An attention group becomes a skeleton ------===//
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Lowering/ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

namespace {

class AttentionLowering {
public:
  AttentionLowering(GroupOp group, const llvm::StringMap<int64_t> &symbols, std::string &reason)
      : group_(group), symbols_(symbols), reason_(reason) {}

  std::optional<LoweredKernel> lower() {
    auto yield = llvm::cast<YieldOp>(group_.getBody().front().getTerminator());
    auto attention = *group_.getBody().front().getOps<AttentionOp>().begin();
    SymbolicShape query = symbolicShape(attention.getQuery().getType());
    SymbolicShape value = symbolicShape(attention.getValue().getType());
    if (!query[3].isStatic() || !value[3].isStatic())
      return fail("head dimensions must be static");
    std::optional<HeadsAccess> accesses[4] = {
        headsAccess(attention.getQuery()), headsAccess(attention.getKey()), headsAccess(attention.getValue()),
        headsResultAccess(attention, yield.getValues()[0])};
    for (int operand = 0; operand < 4; ++operand)
      if (!accesses[operand])
        return fail(std::string(kNames[operand]) + ": heads do not lie evenly with contiguous vectors");

    std::string name = "attention_d" + std::to_string(query[3].value);
    if (attention.getCausal())
      name += "_causal";
    if (windowOf(attention) != 0)
      name += "_window";
    FuncBuilder func(group_.getContext(), group_.getLoc(), name);
    llvm::SmallVector<Value> buffers, counts;
    for (int operand = 0; operand < 4; ++operand)
      buffers.push_back(func.bufferAt(operand == 3 ? Value(group_.getResult(0)) : accesses[operand]->base,
                                      accesses[operand]->offset, kNames[operand]));
    llvm::ArrayRef<int64_t> keyShape = attention.getKey().getType().getShape();
    const std::pair<const char *, int64_t> lengths[] = {{"batch", query[0].value},
                                                        {"heads", query[1].value},
                                                        {"key_heads", keyShape[1]},
                                                        {"query_length", query[2].value},
                                                        {"key_length", keyShape[2]}};
    for (auto &[countName, number] : lengths)
      counts.push_back(func.count(countName, number));
    for (int operand = 0; operand < 4; ++operand) {
      std::string prefix = kNames[operand];
      counts.push_back(func.count(prefix + "_batch_stride", accesses[operand]->batch));
      counts.push_back(func.count(prefix + "_head_stride", accesses[operand]->head));
      counts.push_back(func.count(prefix + "_sequence_stride", accesses[operand]->sequence));
    }

    mlir::Type element = attention.getQuery().getType().getElementType();
    bool broadcast = false;
    mlir::Value read[] = {attention.getQuery(), attention.getKey(), attention.getValue()};
    for (auto [value, access] : llvm::zip(read, accesses)) { // The result comes after them.
      SymbolicShape shape = symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType()));
      const int64_t strides[] = {access->batch, access->head, access->sequence};
      for (int dim = 0; dim < 3; ++dim)
        broadcast |= strides[dim] == 0 && !shape[dim].isOne();
    }
    // What legalisation sets comes after the counts.
    mlir::Operation *skeleton = kernel::SkeletonOp::create(
        func.builder(), func.loc(), "attention_forward", element, query[3].value, value[3].value,
        attention.getScale(), attention.getCausal(), windowOf(attention), buffers, counts, 0, 0, 0, 0, 0, 0,
        broadcast, false, nullptr, nullptr);
    auto op = llvm::cast<kernel::SkeletonOp>(skeleton);
    mlir::OpBuilder &builder = func.builder();
    if (attention.getBias() || attention.getSoftcap()) {
      mlir::Block &body = op.getScore().emplaceBlock();
      Value score = body.addArgument(builder.getF32Type(), func.named("score"));
      addIndices(body, func);
      builder.setInsertionPointToEnd(&body);
      if (std::optional<llvm::APFloat> softcap = attention.getSoftcap()) {
        double number = softcap->convertToDouble();
        // A product, and no division: the rounded reciprocal moves the score by a rounding of its own size.
        Value reciprocal =
            emitConstant(builder, func.loc(), builder.getF32FloatAttr(static_cast<float>(1 / number)));
        Value part = mlir::arith::MulFOp::create(builder, func.loc(), score, reciprocal);
        Value tanh = mlir::math::TanhOp::create(builder, func.loc(), part);
        Value cap = emitConstant(builder, func.loc(), builder.getF32FloatAttr(static_cast<float>(number)));
        score = mlir::arith::MulFOp::create(builder, func.loc(), tanh, cap);
      }
      if (attention.getBias()) {
        Value bias = scoresOperand(func, attention.getBias(), body.getArguments().drop_front(1));
        if (!bias)
          return std::nullopt;
        score = mlir::arith::AddFOp::create(builder, func.loc(), score, bias);
      }
      kernel::YieldOp::create(builder, func.loc(), score);
    }
    if (attention.getMask()) {
      mlir::Block &body = op.getMask().emplaceBlock();
      addIndices(body, func);
      builder.setInsertionPointToEnd(&body);
      Value mask = scoresOperand(func, attention.getMask(), body.getArguments());
      if (!mask)
        return std::nullopt;
      kernel::YieldOp::create(builder, func.loc(), mask);
    }
    return func.finish(symbols_);
  }

private:
  static constexpr const char *kNames[] = {"query", "key", "value", "out"};

  std::nullopt_t fail(std::string why) {
    reason_ = std::move(why);
    return std::nullopt;
  }

  /// 0 where no window narrows what causality leaves; one as wide as the keys hides none.
  static int64_t windowOf(AttentionOp attention) {
    auto window = static_cast<int64_t>(attention.getWindow().value_or(0));
    return window < attention.getKey().getType().getDimSize(2) ? window : 0;
  }

  void addIndices(mlir::Block &body, FuncBuilder &func) {
    for (const char *name : {"b", "h", "i", "j"})
      body.addArgument(func.builder().getIndexType(), func.named(name));
  }

  /// The element of a mask or bias that belongs to a score: loaded, or computed by what the group holds.
  Value scoresOperand(FuncBuilder &func, Value operand, llvm::ArrayRef<mlir::BlockArgument> indices) {
    mlir::Operation *op = operand.getDefiningOp();
    if (!op || op->getParentOp() != group_ || op->hasTrait<ViewLike>())
      return loadScores(func, operand, indices);
    llvm::SmallVector<Value> inputs;
    for (Value input : op->getOperands()) {
      mlir::DenseElementsAttr constant = splatConstant(input);
      inputs.push_back(
          constant ? emitConstant(func.builder(), func.loc(), constant.getSplatValue<mlir::Attribute>())
                   : scoresOperand(func, input, indices));
      if (!inputs.back())
        return {};
    }
    Value value = emitScalar(func.builder(), func.loc(), op, inputs);
    if (!value)
      reason_ = "'" + op->getName().getStringRef().str() + "' has no scalar form in a mask or bias";
    return value;
  }

  /// Loads the element of a mask or bias that belongs to a score.
  Value loadScores(FuncBuilder &func, Value operand, llvm::ArrayRef<mlir::BlockArgument> indices) {
    std::optional<ScoresAccess> access = scoresAccess(operand);
    if (!access) {
      reason_ = "mask or bias does not lie evenly";
      return {};
    }
    LoopForm form;
    for (auto [dim, stride] : llvm::enumerate(access->strides))
      if (stride.coefficient != 0)
        form.push_back({stride, static_cast<int>(dim)});
    if (access->offset != 0)
      form.push_back({SymbolicDim::fixed(access->offset), -1});
    Value buffer = func.buffer(access->base);
    llvm::SmallVector<Value> loops(indices.begin(), indices.end());
    MapAccess place = func.access(form, loops);
    Value value = kernel::LoadOp::create(func.builder(), func.loc(),
                                         llvm::cast<kernel::BufferType>(buffer.getType()).getElementType(),
                                         buffer, place.map, place.indices, place.symbols, nullptr);
    return widen(func.builder(), func.loc(), value);
  }

  GroupOp group_;
  const llvm::StringMap<int64_t> &symbols_;
  std::string &reason_;
};

} // namespace

std::optional<LoweredKernel>
heddle::lowerAttentionGroup(GroupOp group, const llvm::StringMap<int64_t> &symbols, std::string &reason) {
  return AttentionLowering(group, symbols, reason).lower();
}
