//===- DecoderBuilder.cpp - From a decoder's description to a graph -------===//
#include "compiler/Import/DecoderBuilder.h"
#include "dialects/Graph/GraphBuilder.h"
#include "dialects/Graph/GraphModule.h"
#include "runtime/base/Dropout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace heddle;
using namespace heddle::graph;
using namespace heddle::import;
using mlir::RankedTensorType;
using mlir::Value;

namespace {

/// Targets of this value are left out of the loss, as in PyTorch.
constexpr int64_t kIgnoredTarget = -100;

class DecoderBuilder {
public:
  DecoderBuilder(mlir::MLIRContext *context, const DecoderSpec &spec, const DecoderExtents &extents,
                 const DecoderTraining &training)
      : spec_(spec), loss_(training.loss), dropout_(training.dropout), builder_(context),
        g_(builder_, mlir::UnknownLoc::get(context)),
        source_(mlir::NameLoc::get(builder_.getStringAttr(spec.name))), f32_(builder_.getF32Type()),
        batch_(SymbolicDim::symbol("batch", extents.batch)), seq_(SymbolicDim::symbol("seq", extents.seq)) {}

  mlir::OwningOpRef<mlir::ModuleOp> build();

private:
  /// What attention needs of positions and masks, computed once for all layers.
  struct Tables {
    Value cos, sin;     ///< f32 [seq, head_dim / 2]; null without rotary positions.
    Value mask, window; ///< i1 [seq, seq], true where the key is seen; null where all are.
    Value padding;      ///< i1 [batch, 1, 1, seq], true where the key is a token; null where all are.
  };

  void at(const std::string &path) {
    g_.setLocation(mlir::NameLoc::get(builder_.getStringAttr(scope_ + path), source_));
  }
  static SymbolicDim fixed(int64_t extent) { return SymbolicDim::fixed(extent); }
  RankedTensorType type(llvm::ArrayRef<SymbolicDim> shape, mlir::Type element) {
    return tensorType(builder_.getContext(), shape, element);
  }
  std::string nameOf(const std::string &pattern) const {
    std::string name = pattern;
    if (size_t place = name.find("{}"); place != std::string::npos)
      name.replace(place, 2, std::to_string(layer_));
    return name;
  }

  Value weight(const std::string &name, llvm::ArrayRef<int64_t> shape, InitKind init, double scale);
  Value biasVector(const std::string &name, int64_t extent);
  Value linear(Value x, const std::string &pattern, int64_t outputs, bool bias);
  Value addBias(Value y, const std::string &name);
  Value norm(Value x, const std::string &pattern);
  Value rotary(Value x, const Tables &tables);
  Value splitHeads(Value x, int64_t heads);
  Value repeatHeads(Value x);
  Value attention(Value x, const Tables &tables);
  Value activate(Value x);
  Value dropped(Value x);
  Value mlp(Value x);
  Value residual(Value x, const std::string &part, const std::string &name, const std::string &pattern,
                 llvm::function_ref<Value(Value)> f);
  llvm::SmallVector<float> frequencies() const;
  Tables tables();
  Value hideScores(Value scores, const Tables &tables);
  Value embed();
  Value logits(Value x);
  llvm::SmallVector<Value> outputs(Value x);
  Value meanLoss(Value logits);
  mlir::func::FuncOp openMain();

  const DecoderSpec &spec_;
  bool loss_;
  double dropout_;
  int64_t dropouts_ = 0; ///< Made so far: each is a layer of its own.
  mlir::OpBuilder builder_;
  GraphBuilder g_;
  mlir::Location source_;
  mlir::Type f32_;
  SymbolicDim batch_, seq_;
  /// Inputs; all but the first only where the model has them.
  Value ids_, segments_, tokens_, targets_, dropoutKey_;
  Value table_; ///< Of the embedding.
  int64_t layer_ = 0;
  std::string scope_; ///< Put in front of every location.
};

} // namespace

Value DecoderBuilder::weight(const std::string &name, llvm::ArrayRef<int64_t> shape, InitKind init,
                             double scale) {
  SymbolicShape dims;
  for (int64_t extent : shape)
    dims.push_back(fixed(extent));
  auto part = PartAttr::get(builder_.getContext(), name, shape, init, builder_.getF64FloatAttr(scale));
  return g_.parameter(part, type(dims, f32_));
}

/// y = x Wᵀ + b with W [out, in], or x W + b with W [in, out]: as the state dict has it.
Value DecoderBuilder::linear(Value x, const std::string &pattern, int64_t outputs, bool bias) {
  int64_t inputs = typeOf(x).getShape().back();
  double std = spec_.linearStd.value_or(std::sqrt(2.0 / static_cast<double>(inputs + outputs)));
  std::string name = nameOf(pattern);
  Value y;
  if (spec_.weightLayout == WeightLayout::OutIn)
    y = g_.matmul(x,
                  g_.transpose(weight(name + ".weight", {outputs, inputs}, InitKind::Normal, std), {1, 0}));
  else
    y = g_.matmul(x, weight(name + ".weight", {inputs, outputs}, InitKind::Normal, std));
  return bias ? addBias(y, name) : y;
}

Value DecoderBuilder::addBias(Value y, const std::string &name) {
  Value b = biasVector(name + ".bias", typeOf(y).getShape().back());
  return g_.binary<AddOp>(y, g_.broadcast(b, symbolicShape(typeOf(y))));
}

Value DecoderBuilder::biasVector(const std::string &name, int64_t extent) {
  return weight(name, {extent}, spec_.biasStd == 0 ? InitKind::Constant : InitKind::Normal, spec_.biasStd);
}

Value DecoderBuilder::norm(Value x, const std::string &pattern) {
  std::string name = nameOf(pattern);
  Value w = weight(name + ".weight", {spec_.dModel}, InitKind::Constant, 1.0);
  if (spec_.norm == NormKind::Layer) {
    Value b = biasVector(name + ".bias", spec_.dModel);
    return LayerNormOp::create(builder_, g_.location(), x.getType(), x, w, b,
                               builder_.getF64FloatAttr(spec_.epsilon));
  }
  SymbolicShape shape = symbolicShape(typeOf(x));
  int64_t last = static_cast<int64_t>(shape.size()) - 1;
  Value mean = g_.reduce(ReduceKind::Mean, g_.binary<PowOp>(x, 2.0), {last});
  Value scale = g_.unary<RsqrtOp>(g_.binary<AddOp>(mean, spec_.epsilon));
  Value scaled = g_.binary<MulOp>(x, g_.broadcast(scale, shape));
  return g_.binary<MulOp>(scaled, g_.broadcast(w, shape));
}

/// theta^(-2i/head_dim), scaled; computed in float64 and rounded once.
llvm::SmallVector<float> DecoderBuilder::frequencies() const {
  const RotaryScaling &scaling = spec_.rotaryScaling;
  llvm::SmallVector<float> result;
  for (int64_t i = 0; i < spec_.headDim / 2; ++i) {
    double frequency =
        std::pow(spec_.theta, -2.0 * static_cast<double>(i) / static_cast<double>(spec_.headDim));
    double kept = 1; // The share that is not divided by the factor.
    if (scaling.kind == RotaryScaling::Kind::Linear)
      kept = 0;
    if (scaling.kind == RotaryScaling::Kind::ByWavelength) {
      constexpr double kPi = 3.141592653589793;
      double turns = static_cast<double>(scaling.originalPositions) * frequency / (2 * kPi);
      kept = std::clamp((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0);
    }
    result.push_back(static_cast<float>(kept * frequency + (1 - kept) * frequency / scaling.factor));
  }
  return result;
}

/// Angles are float32 positions times float32 frequencies: at long context a lower precision would turn pairs
/// by radians.
DecoderBuilder::Tables DecoderBuilder::tables() {
  Tables tables;
  mlir::Type i32 = builder_.getI32Type();
  if (spec_.positions == Positions::RotaryInterleaved || spec_.positions == Positions::RotaryHalfSplit) {
    at("rotary");
    int64_t pairs = spec_.headDim / 2;
    llvm::SmallVector<float> values = frequencies();
    Value frequency =
        g_.constant(mlir::DenseElementsAttr::get(type({fixed(pairs)}, f32_), llvm::ArrayRef<float>(values)));
    Value position = g_.cast(g_.iota(type({seq_}, i32), 0), f32_);
    SymbolicDim shape[] = {seq_, fixed(pairs)};
    Value angle = g_.binary<MulOp>(g_.broadcast(g_.reshape(position, {seq_, fixed(1)}), shape),
                                   g_.broadcast(frequency, shape));
    tables.cos = g_.unary<CosOp>(angle);
    tables.sin = g_.unary<SinOp>(angle);
  }
  at("mask");
  RankedTensorType square = type({seq_, seq_}, i32);
  if (spec_.causal)
    tables.mask = g_.compare(Predicate::GE, g_.iota(square, 0), g_.iota(square, 1));
  if (spec_.window) {
    at("window");
    Value first = g_.binary<SubOp>(g_.iota(square, 0), static_cast<double>(*spec_.window));
    Value near = g_.compare(Predicate::GT, g_.iota(square, 1), first);
    tables.window = tables.mask ? g_.binary<AndOp>(tables.mask, near) : near;
  }
  if (tokens_) {
    at("padding");
    Value isToken = g_.compare(Predicate::NE, tokens_, g_.splat(typeOf(tokens_), 0));
    tables.padding = g_.reshape(isToken, {batch_, fixed(1), fixed(1), seq_});
  }
  return tables;
}

/// scores.masked_fill(~mask, -inf) for each mask of the layer.
Value DecoderBuilder::hideScores(Value scores, const Tables &tables) {
  SymbolicShape shape = symbolicShape(typeOf(scores));
  bool near = spec_.hasWindow(layer_);
  const std::pair<const char *, Value> masks[] = {{"attention.mask", near ? tables.window : tables.mask},
                                                  {"attention.padding", tables.padding}};
  for (auto [path, mask] : masks) {
    if (!mask)
      continue;
    at(path);
    Value hidden = g_.broadcast(g_.unary<NotOp>(mask), shape);
    Value lowest = g_.splat(typeOf(scores), -std::numeric_limits<double>::infinity());
    scores = g_.select(hidden, lowest, scores);
  }
  return scores;
}

Value DecoderBuilder::rotary(Value x, const Tables &tables) {
  if (!tables.cos)
    return x;
  SymbolicShape shape = symbolicShape(typeOf(x)), half = shape;
  int64_t last = static_cast<int64_t>(shape.size()) - 1, pairs = spec_.headDim / 2;
  half.back() = fixed(pairs);
  bool interleaved = spec_.positions == Positions::RotaryInterleaved;
  Value a = interleaved ? g_.slice(x, last, 0, pairs, 2) : g_.slice(x, last, 0, pairs);
  Value b = interleaved ? g_.slice(x, last, 1, pairs, 2) : g_.slice(x, last, pairs, pairs);
  Value cos = g_.broadcast(tables.cos, half), sin = g_.broadcast(tables.sin, half);
  Value first = g_.binary<SubOp>(g_.binary<MulOp>(a, cos), g_.binary<MulOp>(b, sin));
  Value second = g_.binary<AddOp>(g_.binary<MulOp>(a, sin), g_.binary<MulOp>(b, cos));
  if (!interleaved)
    return g_.concat({first, second}, last);
  // torch.stack((first, second), -1).flatten(-2)
  SymbolicShape stacked = half;
  stacked.push_back(fixed(1));
  return g_.reshape(g_.concat({g_.reshape(first, stacked), g_.reshape(second, stacked)}, last + 1), shape);
}

/// [batch, seq, heads * head_dim] to [batch, heads, seq, head_dim].
Value DecoderBuilder::splitHeads(Value x, int64_t heads) {
  return g_.transpose(g_.reshape(x, {batch_, seq_, fixed(heads), fixed(spec_.headDim)}), {0, 2, 1, 3});
}

/// Each key or value head serves heads / kv_heads query heads.
Value DecoderBuilder::repeatHeads(Value x) {
  int64_t groups = spec_.kvHeads, repeat = spec_.heads / groups;
  if (repeat == 1)
    return x;
  Value expanded = g_.reshape(x, {batch_, fixed(groups), fixed(1), seq_, fixed(spec_.headDim)});
  Value repeated = g_.broadcast(expanded, {batch_, fixed(groups), fixed(repeat), seq_, fixed(spec_.headDim)});
  return g_.reshape(repeated, {batch_, fixed(spec_.heads), seq_, fixed(spec_.headDim)});
}

Value DecoderBuilder::attention(Value x, const Tables &tables) {
  int64_t width = spec_.heads * spec_.headDim, kvWidth = spec_.kvHeads * spec_.headDim;
  Value q, k, v;
  if (spec_.packedQkv) {
    at("attention.qkv");
    Value packed = linear(x, spec_.names.qkv, width + 2 * kvWidth, spec_.qkvBias);
    q = splitHeads(g_.slice(packed, 2, 0, width), spec_.heads);
    k = splitHeads(g_.slice(packed, 2, width, kvWidth), spec_.kvHeads);
    v = splitHeads(g_.slice(packed, 2, width + kvWidth, kvWidth), spec_.kvHeads);
  } else {
    at("attention.q");
    q = splitHeads(linear(x, spec_.names.q, width, spec_.qkvBias), spec_.heads);
    at("attention.k");
    k = splitHeads(linear(x, spec_.names.k, kvWidth, spec_.qkvBias), spec_.kvHeads);
    at("attention.v");
    v = splitHeads(linear(x, spec_.names.v, kvWidth, spec_.qkvBias), spec_.kvHeads);
  }
  at("attention.rotary_q");
  q = rotary(q, tables);
  at("attention.rotary_k");
  k = repeatHeads(rotary(k, tables));
  at("attention.v");
  v = repeatHeads(v);
  at("attention.scores");
  Value scores =
      g_.binary<DivOp>(g_.matmul(q, g_.transposeLast(k)), std::sqrt(static_cast<double>(spec_.headDim)));
  scores = hideScores(scores, tables);
  at("attention.softmax");
  Value probabilities = g_.unary<SoftmaxOp>(scores);
  at("attention.context");
  Value y = g_.matmul(probabilities, v);
  at("attention.out");
  y = g_.reshape(g_.transpose(y, {0, 2, 1, 3}), {batch_, seq_, fixed(width)});
  return dropped(linear(y, spec_.names.out, spec_.dModel, spec_.outBias));
}

Value DecoderBuilder::dropped(Value x) {
  return dropoutKey_ ? g_.dropout(x, dropoutKey_, dropouts_++, dropout_) : x;
}

Value DecoderBuilder::activate(Value x) {
  switch (spec_.activation) {
  case Activation::Silu:
    return g_.unary<SiluOp>(x);
  case Activation::Relu:
    return g_.unary<ReluOp>(x);
  case Activation::GeluErf:
    return GeluOp::create(builder_, g_.location(), x.getType(), GeluForm::Erf, x);
  case Activation::GeluTanh:
    return GeluOp::create(builder_, g_.location(), x.getType(), GeluForm::Tanh, x);
  }
  llvm_unreachable("all activations are listed");
}

Value DecoderBuilder::mlp(Value x) {
  at(spec_.gated ? "mlp.gate" : "mlp.up");
  Value inner = linear(x, spec_.names.gate, spec_.dFf, spec_.mlpBias);
  at("mlp.activation");
  inner = activate(inner);
  if (spec_.gated) {
    at("mlp.up");
    Value up = linear(x, spec_.names.up, spec_.dFf, spec_.mlpBias);
    at("mlp.product");
    inner = g_.binary<MulOp>(inner, up);
  }
  at("mlp.down");
  return dropped(linear(inner, spec_.names.down, spec_.dModel, spec_.mlpBias));
}

Value DecoderBuilder::residual(Value x, const std::string &part, const std::string &name,
                               const std::string &pattern, llvm::function_ref<Value(Value)> f) {
  if (spec_.normPlace == NormPlace::Pre) {
    at(name);
    Value y = f(norm(x, pattern));
    at(part + ".residual");
    return g_.binary<AddOp>(x, y);
  }
  Value y = f(x);
  at(part + ".residual");
  Value sum = g_.binary<AddOp>(x, y);
  at(name);
  return norm(sum, pattern);
}

Value DecoderBuilder::embed() {
  at("embed");
  SymbolicDim hidden[] = {batch_, seq_, fixed(spec_.dModel)};
  auto tableOf = [&](const std::string &name, int64_t rows) {
    return weight(name + ".weight", {rows, spec_.dModel}, InitKind::Normal, spec_.embeddingStd);
  };
  table_ = tableOf(spec_.names.embed, spec_.vocabulary);
  Value x = EmbeddingOp::create(builder_, g_.location(), type(hidden, f32_), table_, ids_);
  if (segments_) {
    at("segments");
    Value rows = tableOf(spec_.names.segments, spec_.segments);
    x = g_.binary<AddOp>(
        x, EmbeddingOp::create(builder_, g_.location(), type(hidden, f32_), rows, segments_).getResult());
  }
  if (spec_.positions == Positions::Learned) {
    at("positions");
    Value rows = tableOf(spec_.names.positions, spec_.maxPositions);
    Value position = g_.iota(type({seq_}, builder_.getI32Type()), 0);
    Value added =
        EmbeddingOp::create(builder_, g_.location(), type({seq_, fixed(spec_.dModel)}, f32_), rows, position);
    x = g_.binary<AddOp>(x, g_.broadcast(added, hidden));
  }
  if (spec_.embedNorm) {
    at("embed_norm");
    x = norm(x, spec_.names.embedNorm);
  }
  return dropped(x);
}

/// f32 [batch, seq, vocabulary].
Value DecoderBuilder::logits(Value x) {
  if (spec_.headTransform) {
    at("head.transform");
    x = activate(linear(x, spec_.names.headTransform, spec_.dModel, /*bias=*/true));
    at("head.norm");
    x = norm(x, spec_.names.headNorm);
  }
  at("head");
  Value logits = spec_.tied ? g_.matmul(x, g_.transpose(table_, {1, 0}))
                            : linear(x, spec_.names.head, spec_.vocabulary, /*bias=*/false);
  return spec_.headBias ? addBias(logits, spec_.names.headBias) : logits;
}

llvm::SmallVector<Value> DecoderBuilder::outputs(Value x) {
  if (loss_) {
    Value scores = logits(x);
    at("loss");
    return {meanLoss(scores)};
  }
  if (spec_.outputs == Outputs::Logits)
    return {logits(x)};
  at("pooler");
  Value first = g_.reshape(g_.slice(x, 1, 0, 1), {batch_, fixed(spec_.dModel)});
  return {x, g_.unary<TanhOp>(linear(first, spec_.names.pooler, spec_.dModel, /*bias=*/true))};
}

/// The mean over the targets that are not ignored, as torch.nn.functional.cross_entropy gives it.
Value DecoderBuilder::meanLoss(Value logits) {
  Value losses =
      CrossEntropyOp::create(builder_, g_.location(), type({batch_, seq_}, f32_), logits, targets_,
                             builder_.getI64IntegerAttr(kIgnoredTarget), builder_.getF64FloatAttr(0.0));
  Value valid = g_.compare(Predicate::NE, targets_, g_.splat(typeOf(targets_), kIgnoredTarget));
  Value sum = g_.reduce(ReduceKind::Sum, losses, {0, 1});
  Value count = g_.reduce(ReduceKind::Sum, g_.cast(valid, f32_), {0, 1});
  return g_.reshape(g_.binary<DivOp>(sum, count), {});
}

/// @main with the model's inputs and outputs, and an empty block.
mlir::func::FuncOp DecoderBuilder::openMain() {
  struct Input {
    const std::string &name;
    int64_t bound; ///< Values are in [0, bound).
    Value *value;
    std::optional<int64_t> ignored = std::nullopt; ///< A further value.
    mlir::Type type = {};                          ///< i32 [batch, seq] where it is null.
  };
  llvm::SmallVector<Input> inputs = {{spec_.inputs.ids, spec_.vocabulary, &ids_}};
  if (spec_.paddingMask)
    inputs.push_back({spec_.inputs.mask, 2, &tokens_});
  if (spec_.segments > 0)
    inputs.push_back({spec_.inputs.segments, spec_.segments, &segments_});
  static const std::string kTargets = "targets";
  if (loss_)
    inputs.push_back({kTargets, spec_.vocabulary, &targets_, kIgnoredTarget});
  static const std::string kKey = runtime::kDropoutInput;
  if (dropout_ > 0)
    inputs.push_back(
        {kKey, runtime::kDropoutKeys, &dropoutKey_, std::nullopt, type({fixed(1)}, builder_.getI64Type())});
  llvm::SmallVector<std::pair<const char *, mlir::Type>> outputs;
  SymbolicDim width = fixed(spec_.dModel);
  if (loss_)
    outputs = {{kLossName.data(), type({}, f32_)}};
  else if (spec_.outputs == Outputs::Logits)
    outputs = {{"logits", type({batch_, seq_, fixed(spec_.vocabulary)}, f32_)}};
  else
    outputs = {{"last_hidden_state", type({batch_, seq_, width}, f32_)},
               {"pooler_output", type({batch_, width}, f32_)}};

  llvm::SmallVector<mlir::Type> inputTypes;
  for (const Input &input : inputs)
    inputTypes.push_back(input.type ? input.type : type({batch_, seq_}, builder_.getI32Type()));
  llvm::SmallVector<mlir::Type> outputTypes = llvm::to_vector(llvm::make_second_range(outputs));
  auto main = mlir::func::FuncOp::create(builder_, source_, "main",
                                         builder_.getFunctionType(inputTypes, outputTypes));
  mlir::Block *body = main.addEntryBlock();
  for (auto [index, input] : llvm::enumerate(inputs)) {
    main.setArgAttr(index, kNameAttr, builder_.getStringAttr(input.name));
    main.setArgAttr(index, kBoundAttr, builder_.getI64IntegerAttr(input.bound));
    if (input.ignored)
      main.setArgAttr(index, kIgnoredAttr, builder_.getI64IntegerAttr(*input.ignored));
    *input.value = body->getArgument(index);
  }
  for (auto [index, output] : llvm::enumerate(outputs))
    main.setResultAttr(index, kNameAttr, builder_.getStringAttr(output.first));
  builder_.setInsertionPointToStart(body);
  return main;
}

mlir::OwningOpRef<mlir::ModuleOp> DecoderBuilder::build() {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(source_, spec_.name);
  builder_.setInsertionPointToEnd(module->getBody());
  openMain();
  Tables shared = tables();
  Value x = embed();
  for (layer_ = 0; layer_ < spec_.layers; ++layer_) {
    scope_ = "blocks." + std::to_string(layer_) + ".";
    x = residual(x, "attention", "norm1", spec_.names.norm1, [&](Value h) { return attention(h, shared); });
    x = residual(x, "mlp", "norm2", spec_.names.norm2, [&](Value h) { return mlp(h); });
  }
  scope_.clear();
  if (spec_.normPlace == NormPlace::Pre) {
    at("norm");
    x = norm(x, spec_.names.finalNorm);
  }
  mlir::func::ReturnOp::create(builder_, g_.location(), outputs(x));
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> heddle::import::buildDecoder(mlir::MLIRContext *context,
                                                               const DecoderSpec &spec,
                                                               const DecoderExtents &extents,
                                                               const DecoderTraining &training) {
  context->loadDialect<GraphDialect, mlir::func::FuncDialect>();
  return DecoderBuilder(context, spec, extents, training).build();
}
