//===- AttentionLowering.cpp - An attention group becomes skeletons -------===//
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Lowering/ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

namespace {

class AttentionLowering {
public:
  AttentionLowering(GroupOp group, const llvm::StringMap<int64_t> &symbols, std::string &reason)
      : group_(group), symbols_(symbols), reason_(reason),
        op_(*group.getBody().front().getOps<AttentionLike>().begin()) {}

  std::optional<LoweredKernel> lower(llvm::StringRef skeleton);
  std::optional<LoweredKernel> lowerZeros();

private:
  std::nullopt_t fail(std::string why) {
    reason_ = std::move(why);
    return std::nullopt;
  }

  static llvm::ArrayRef<int64_t> shapeOf(Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
  }

  /// The op's value for a buffer of a skeleton.
  Value valueOf(llvm::StringRef buffer) {
    if (auto forward = llvm::dyn_cast<AttentionOp>(op_.getOperation()))
      return llvm::StringSwitch<Value>(buffer)
          .Case("query", forward.getQuery())
          .Case("key", forward.getKey())
          .Case("value", forward.getValue())
          .Case("out", forward.getResult())
          .Case("statistics", forward.getStatistics());
    auto grad = llvm::cast<AttentionGradOp>(op_.getOperation());
    return llvm::StringSwitch<Value>(buffer)
        .Case("query", grad.getQuery())
        .Case("key", grad.getKey())
        .Case("value", grad.getValue())
        .Case("gradient", grad.getGradient())
        .Case("statistics", grad.getStatistics())
        .Case("delta", grad.getDelta())
        .Case("dquery", grad.getDquery())
        .Case("dkey", grad.getDkey())
        .Case("dvalue", grad.getDvalue())
        .Case("dbias", grad.getDbias());
  }

  /// Where a buffer of heads lies.
  std::optional<HeadsAccess> headsOf(const kernel::SkeletonOperand &operand) {
    Value of = valueOf(operand.name);
    if (!operand.written)
      return headsAccess(of);
    auto yield = llvm::cast<YieldOp>(group_.getBody().front().getTerminator());
    unsigned result = llvm::cast<mlir::OpResult>(of).getResultNumber();
    std::optional<HeadsAccess> access = headsResultAccess(of, yield.getValues()[result]);
    if (access)
      access->base = group_.getResult(result);
    return access;
  }
  static std::string unevenHeads(llvm::StringRef operand) {
    return operand.str() + ": heads do not lie evenly with contiguous vectors";
  }

  /// 0 where no window narrows what causality leaves; one as wide as the keys hides none.
  int64_t window() {
    auto window = static_cast<int64_t>(op_.getWindow().value_or(0));
    return window < shapeOf(op_.getKey())[2] ? window : 0;
  }

  bool addScore(FuncBuilder &func, mlir::Region &region, bool slope);
  bool addMask(FuncBuilder &func, mlir::Region &region);

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
  AttentionLike op_;
};

} // namespace

/// What the buffers and counts of a skeleton are named after in its kernel.
static std::string kernelName(llvm::StringRef skeleton) {
  return llvm::StringSwitch<std::string>(skeleton)
      .Case(kernel::kAttentionBackward, "attention_backward")
      .Case(kernel::kAttentionKeys, "attention_keys")
      .Case(kernel::kAttentionQueries, "attention_queries")
      .Case(kernel::kAttentionBias, "attention_bias")
      .Default("attention");
}

std::optional<LoweredKernel> AttentionLowering::lower(llvm::StringRef skeletonName) {
  SymbolicShape query = symbolicShape(llvm::cast<mlir::RankedTensorType>(op_.getQuery().getType()));
  SymbolicShape value = symbolicShape(llvm::cast<mlir::RankedTensorType>(op_.getValue().getType()));
  if (!query[3].isStatic() || !value[3].isStatic())
    return fail("head dimensions must be static");
  auto forward = llvm::dyn_cast<AttentionOp>(op_.getOperation());
  bool statistics = forward && forward.getStatistics();
  std::string name = kernelName(skeletonName) + "_d" + std::to_string(query[3].value);
  if (op_.getCausal())
    name += "_causal";
  if (window() != 0)
    name += "_window";
  if (statistics)
    name += "_statistics";
  FuncBuilder func(group_.getContext(), group_.getLoc(), name);

  llvm::ArrayRef<int64_t> keyShape = shapeOf(op_.getKey());
  bool broadcast = false;
  llvm::SmallVector<Value> buffers, counts;
  // Name and number of each count: function arguments are buffers first.
  llvm::SmallVector<std::pair<std::string, int64_t>> numbers{{"batch", query[0].value},
                                                             {"heads", query[1].value},
                                                             {"key_heads", keyShape[1]},
                                                             {"query_length", query[2].value},
                                                             {"key_length", keyShape[2]}};
  for (const kernel::SkeletonOperand &operand : kernel::skeletonOperands(skeletonName, statistics)) {
    if (operand.kind == kernel::SkeletonOperand::Turns) {
      buffers.push_back(func.turns());
      continue;
    }
    Value of = valueOf(operand.name);
    if (operand.kind != kernel::SkeletonOperand::Heads) {
      std::optional<VectorAccess> access = VectorAccess{Value(), 0};
      if (operand.written)
        access->base = group_.getResult(llvm::cast<mlir::OpResult>(of).getResultNumber());
      else
        access = flatVector(of);
      if (!access)
        return fail(operand.name.str() + ": elements do not lie one behind the other");
      buffers.push_back(func.bufferAt(access->base, access->offset, operand.name));
      if (operand.kind == kernel::SkeletonOperand::Scores) {
        numbers.emplace_back(operand.name.str() + "_batch", shapeOf(of)[0]);
        numbers.emplace_back(operand.name.str() + "_heads", shapeOf(of)[1]);
      }
      continue;
    }
    std::optional<HeadsAccess> access = headsOf(operand);
    if (!access)
      return fail(unevenHeads(operand.name));
    buffers.push_back(func.bufferAt(access->base, access->offset, operand.name));
    const std::pair<const char *, int64_t> strides[] = {{"_batch_stride", access->batch},
                                                        {"_head_stride", access->head},
                                                        {"_sequence_stride", access->sequence}};
    SymbolicShape shape = symbolicShape(llvm::cast<mlir::RankedTensorType>(of.getType()));
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      numbers.emplace_back(operand.name.str() + stride.first, stride.second);
      broadcast |= !operand.written && stride.second == 0 && !shape[dim].isOne();
    }
  }
  for (auto &[countName, number] : numbers)
    counts.push_back(func.count(countName, number));

  mlir::Type element = llvm::cast<mlir::RankedTensorType>(op_.getQuery().getType()).getElementType();
  // What legalisation sets comes after the counts.
  mlir::Operation *skeleton =
      kernel::SkeletonOp::create(func.builder(), func.loc(), skeletonName, element, query[3].value,
                                 value[3].value, op_.getScale(), op_.getCausal(), window(), buffers, counts,
                                 0, 0, 0, 0, 0, 0, broadcast, false, statistics, nullptr, nullptr);
  auto op = llvm::cast<kernel::SkeletonOp>(skeleton);
  // The gradient of a bias is that of the score after the cap.
  bool slope = !forward && skeletonName != kernel::kAttentionBias;
  if ((op_.getBias() || op_.getSoftcap()) && !addScore(func, op.getScore(), slope))
    return std::nullopt;
  if (op_.getMask() && !addMask(func, op.getMask()))
    return std::nullopt;
  return func.finish(symbols_);
}

std::optional<LoweredKernel> AttentionLowering::lowerZeros() {
  SymbolicShape query = symbolicShape(llvm::cast<mlir::RankedTensorType>(op_.getQuery().getType()));
  const kernel::SkeletonOperand operand{"dquery", kernel::SkeletonOperand::Heads, true};
  std::optional<HeadsAccess> access = headsOf(operand);
  if (!query[3].isStatic())
    return fail("head dimensions must be static");
  if (!access)
    return fail(unevenHeads(operand.name));
  FuncBuilder func(group_.getContext(), group_.getLoc(),
                   kAttentionZeros.str() + "_d" + std::to_string(query[3].value));
  mlir::OpBuilder &builder = func.builder();
  Value dquery = func.bufferAt(access->base, access->offset, operand.name), turns = func.turns();
  const Value lengths[] = {func.count("batch", query[0].value), func.count("heads", query[1].value),
                           func.count("query_length", query[2].value)};
  const Value strides[] = {func.count("batch_stride", access->batch), func.count("head_stride", access->head),
                           func.count("sequence_stride", access->sequence)};
  Value columns = func.extent(query[3]);
  auto rows = kernel::RowsOp::create(builder, func.loc(), lengths, /*parts=*/nullptr);
  mlir::Block &body = rows.getBody().emplaceBlock();
  llvm::SmallVector<Value, 4> indices;
  for (const char *name : {"b", "h", "i"})
    indices.push_back(body.addArgument(builder.getIndexType(), func.named(name)));
  builder.setInsertionPointToEnd(&body);
  auto dim = [&](unsigned position) { return builder.getAffineDimExpr(position); };
  auto symbol = [&](unsigned position) { return builder.getAffineSymbolExpr(position); };
  auto store = [&](mlir::TypedAttr zero, Value buffer, mlir::AffineExpr place, mlir::ValueRange symbols) {
    kernel::StoreOp::create(builder, func.loc(), emitConstant(builder, func.loc(), zero), buffer,
                            mlir::AffineMap::get(indices.size(), symbols.size(), place), indices, symbols,
                            nullptr);
  };
  // The counter that blocks draw their work from lies behind those of the tiles, whose number is the
  // target's: two for each row are enough for every tile.
  mlir::AffineExpr row = dim(0) * symbol(0) * symbol(1) + dim(1) * symbol(1) + dim(2);
  for (int64_t half : {0, 1})
    store(builder.getI32IntegerAttr(0), turns, row * 2 + half, {lengths[1], lengths[2]});
  auto loop = kernel::ColumnsOp::create(builder, func.loc(), columns, mlir::TypeRange(),
                                        llvm::ArrayRef<kernel::ReduceKind>());
  loop.getBody().front().getArgument(0).setLoc(func.named("col"));
  builder.setInsertionPointToStart(&loop.getBody().front());
  indices.push_back(loop.getIndex());
  store(builder.getF32FloatAttr(0), dquery,
        dim(0) * symbol(0) + dim(1) * symbol(1) + dim(2) * symbol(2) + dim(3), strides);
  kernel::YieldOp::create(builder, func.loc(), mlir::ValueRange());
  return func.finish(symbols_);
}

/// cap(score) + bias, and under a cap with `slope` its derivative.
bool AttentionLowering::addScore(FuncBuilder &func, mlir::Region &region, bool slope) {
  mlir::OpBuilder &builder = func.builder();
  mlir::Block &body = region.emplaceBlock();
  Value score = body.addArgument(builder.getF32Type(), func.named("score"));
  addIndices(body, func);
  builder.setInsertionPointToEnd(&body);
  auto number = [&](double value) {
    return emitConstant(builder, func.loc(), builder.getF32FloatAttr(static_cast<float>(value)));
  };
  llvm::SmallVector<Value, 2> yields;
  if (std::optional<llvm::APFloat> softcap = op_.getSoftcap()) {
    double cap = softcap->convertToDouble();
    // A product, and no division: the rounded reciprocal moves the score by a rounding of its own size.
    Value part = mlir::arith::MulFOp::create(builder, func.loc(), score, number(1 / cap));
    Value tanh = mlir::math::TanhOp::create(builder, func.loc(), part);
    score = mlir::arith::MulFOp::create(builder, func.loc(), tanh, number(cap));
    if (slope) { // 1 - tanh², which the two factors give without cancellation near the cap.
      Value above = mlir::arith::AddFOp::create(builder, func.loc(), number(1), tanh);
      Value below = mlir::arith::SubFOp::create(builder, func.loc(), number(1), tanh);
      yields.push_back(mlir::arith::MulFOp::create(builder, func.loc(), above, below));
    }
  }
  if (op_.getBias()) {
    Value bias = scoresOperand(func, op_.getBias(), body.getArguments().drop_front(1));
    if (!bias)
      return false;
    score = mlir::arith::AddFOp::create(builder, func.loc(), score, bias);
  }
  yields.insert(yields.begin(), score);
  kernel::YieldOp::create(builder, func.loc(), yields);
  return true;
}

bool AttentionLowering::addMask(FuncBuilder &func, mlir::Region &region) {
  mlir::Block &body = region.emplaceBlock();
  addIndices(body, func);
  func.builder().setInsertionPointToEnd(&body);
  Value mask = scoresOperand(func, op_.getMask(), body.getArguments());
  if (mask)
    kernel::YieldOp::create(func.builder(), func.loc(), mask);
  return static_cast<bool>(mask);
}

llvm::SmallVector<llvm::StringRef, 3> heddle::attentionKernels(GroupOp group, llvm::StringRef device) {
  AttentionLike op = *group.getBody().front().getOps<AttentionLike>().begin();
  auto grad = llvm::dyn_cast<AttentionGradOp>(op.getOperation());
  if (!grad)
    return {kernel::kAttentionForward};
  // What nothing reads is not computed.
  bool queries = !group.getResult(0).use_empty();
  bool keys = !group.getResult(1).use_empty() || !group.getResult(2).use_empty();
  llvm::SmallVector<llvm::StringRef, 3> kernels;
  // A GPU's float32 is bound by multiply-adds: five products in one pass, where two passes need seven.
  if (device == "cuda" && grad.getQuery().getType().getElementType().isF32()) {
    if (queries || keys)
      kernels = {kAttentionZeros, kernel::kAttentionBackward};
  } else {
    if (keys)
      kernels.push_back(kernel::kAttentionKeys);
    if (queries)
      kernels.push_back(kernel::kAttentionQueries);
  }
  if (grad.getDbias() && !group.getResult(3).use_empty())
    kernels.push_back(kernel::kAttentionBias);
  return kernels;
}

std::optional<LoweredKernel> heddle::lowerAttentionGroup(GroupOp group,
                                                         const llvm::StringMap<int64_t> &symbols,
                                                         std::string &reason, llvm::StringRef kernel) {
  AttentionLowering lowering(group, symbols, reason);
  return kernel == kAttentionZeros ? lowering.lowerZeros() : lowering.lower(kernel);
}
