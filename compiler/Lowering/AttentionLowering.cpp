//===- AttentionLowering.cpp - An attention group becomes a skeleton ------===//
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Lowering/FuncBuilder.h"
#include "compiler/Lowering/ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

namespace {

/// Strides of the four dimensions of attention's result in the buffer of what the group yields.
std::optional<HeadsAccess> resultAccess(AttentionOp attention, Value yielded, std::string &reason) {
  llvm::SmallVector<mlir::Operation *> views;
  for (Value value = yielded; value != attention.getResult(); value = value.getDefiningOp()->getOperand(0))
    views.push_back(value.getDefiningOp());
  IterationSpace space;
  TensorIndex result = space.addTensor(symbolicShape(attention.getResult().getType()));
  TensorIndex index = result;
  for (mlir::Operation *view : llvm::reverse(views)) {
    std::optional<TensorIndex> next = indexThroughView(view, index, space, &reason);
    if (!next)
      return std::nullopt;
    index = *next;
  }
  LinearForm offset;
  SymbolicShape strides =
      contiguousStrides(symbolicShape(llvm::cast<mlir::RankedTensorType>(yielded.getType())));
  for (auto [stride, product] : llvm::zip_equal(strides, index))
    offset.addScaled(stride, space.linear(space.resolve(product)));
  int64_t values[4];
  for (int dim = 0; dim < 4; ++dim) {
    std::optional<SymbolicDim> stride = strideOf(result[dim], offset, space);
    if (!stride ||
        (dim == 3 && !stride->isOne() && !symbolicShape(attention.getResult().getType())[3].isOne())) {
      reason = "the result's dimensions do not lie evenly where it is written";
      return std::nullopt;
    }
    values[dim] = stride->value;
  }
  return HeadsAccess{yielded, 0, values[0], values[1], values[2]};
}

class AttentionLowering {
public:
  AttentionLowering(GroupOp group, std::string &reason) : group_(group), reason_(reason) {}

  std::optional<LoweredKernel> lower() {
    auto yield = llvm::cast<YieldOp>(group_.getBody().front().getTerminator());
    auto attention = *group_.getBody().front().getOps<AttentionOp>().begin();
    SymbolicShape query = symbolicShape(attention.getQuery().getType());
    SymbolicShape value = symbolicShape(attention.getValue().getType());
    if (!query[3].isStatic() || !value[3].isStatic())
      return fail("head dimensions must be static");
    std::optional<HeadsAccess> accesses[4] = {
        headsAccess(attention.getQuery()), headsAccess(attention.getKey()), headsAccess(attention.getValue()),
        resultAccess(attention, yield.getValues()[0], reason_)};
    for (auto &access : accesses)
      if (!access)
        return fail("an operand's head dimension is not contiguous");

    std::string name = "attention_d" + std::to_string(query[3].value);
    if (attention.getCausal())
      name += "_causal";
    FuncBuilder func(group_.getContext(), group_.getLoc(), name);
    static constexpr const char *kNames[] = {"query", "key", "value", "out"};
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
    mlir::Operation *skeleton = kernel::SkeletonOp::create(
        func.builder(), func.loc(), "attention_forward", element, query[3].value, value[3].value,
        attention.getScale(), attention.getCausal(), buffers, counts, 0, 0, 0, 0);
    auto op = llvm::cast<kernel::SkeletonOp>(skeleton);
    mlir::OpBuilder &builder = func.builder();
    if (attention.getBias()) {
      mlir::Block &body = op.getScore().emplaceBlock();
      Value score = body.addArgument(builder.getF32Type(), func.named("score"));
      addIndices(body, func);
      builder.setInsertionPointToEnd(&body);
      Value bias = loadScores(func, attention.getBias(), body.getArguments().drop_front(1));
      if (!bias)
        return std::nullopt;
      Value sum = mlir::arith::AddFOp::create(builder, func.loc(), score, bias);
      kernel::YieldOp::create(builder, func.loc(), sum);
    }
    if (attention.getMask()) {
      mlir::Block &body = op.getMask().emplaceBlock();
      addIndices(body, func);
      builder.setInsertionPointToEnd(&body);
      Value mask = loadScores(func, attention.getMask(), body.getArguments());
      if (!mask)
        return std::nullopt;
      kernel::YieldOp::create(builder, func.loc(), mask);
    }
    return func.finish(symbolValues(group_));
  }

private:
  std::nullopt_t fail(const char *why) {
    if (reason_.empty())
      reason_ = why;
    return std::nullopt;
  }

  void addIndices(mlir::Block &body, FuncBuilder &func) {
    for (const char *name : {"b", "h", "i", "j"})
      body.addArgument(func.builder().getIndexType(), func.named(name));
  }

  /// Loads the element of a mask or bias that belongs to a score.
  Value loadScores(FuncBuilder &func, Value operand, llvm::ArrayRef<mlir::BlockArgument> indices) {
    IterationSpace space;
    SymbolicShape shape = symbolicShape(llvm::cast<mlir::RankedTensorType>(operand.getType()));
    TensorIndex index = space.addTensor(shape);
    std::optional<Access> access = resolveAccess(operand, index, space, nullptr, &reason_);
    if (!access)
      return {};
    LoopForm form;
    for (int dim = 0; dim < 4; ++dim) {
      std::optional<SymbolicDim> stride = strideOf(index[dim], access->offset, space);
      if (!stride) {
        reason_ = "mask or bias does not lie evenly";
        return {};
      }
      if (!index[dim].empty() && stride->coefficient != 0)
        form.push_back({*stride, dim});
    }
    if (int64_t start = constantOf(access->offset))
      form.push_back({SymbolicDim::fixed(start), -1});
    Value buffer = func.buffer(access->base);
    llvm::SmallVector<Value> loops(indices.begin(), indices.end());
    MapAccess place = func.access(form, loops);
    Value value = kernel::LoadOp::create(func.builder(), func.loc(),
                                         llvm::cast<kernel::BufferType>(buffer.getType()).getElementType(),
                                         buffer, place.map, place.indices, place.symbols, nullptr);
    return widen(func.builder(), func.loc(), value);
  }

  GroupOp group_;
  std::string &reason_;
};

} // namespace

std::optional<LoweredKernel> heddle::lowerAttentionGroup(GroupOp group, std::string &reason) {
  return AttentionLowering(group, reason).lower();
}
