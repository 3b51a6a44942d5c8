//===- DecoderSpec.h - The normalised description of a decoder --*- C++ -*-===//
//
// What every model description is brought into before a graph is built: one builder reads it, presets and
// configuration files write it. Everything that differs between models is a field here; nothing asks for a
// model's name afterwards. An encoder such as BERT is a decoder that sees both sides and has other outputs.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_DECODERSPEC_H
#define HEDDLE_COMPILER_IMPORT_DECODERSPEC_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::import {

enum class NormKind { Rms, Layer };
/// Pre: x + f(norm(x)), and a norm before the head. Post: norm(x + f(x)), and none before the head.
enum class NormPlace { Pre, Post };
enum class Activation { Silu, GeluErf, GeluTanh, Relu };
enum class Positions {
  RotaryInterleaved, ///< Pairs (0, 1), (2, 3), … of a head are rotated.
  RotaryHalfSplit,   ///< Pairs (i, i + head_dim/2) are rotated.
  Learned,           ///< A table of max_positions rows is added to the embedding.
  None,
};

/// How the frequencies of rotary positions are changed for contexts longer than those trained on.
struct RotaryScaling {
  enum class Kind {
    None,
    Linear, ///< All are divided by `factor`.
    /// Those of wavelengths above original/low are divided by `factor`, those below original/high are kept,
    /// and between the two lies a line in original/wavelength ("llama3").
    ByWavelength,
  };
  Kind kind = Kind::None;
  double factor = 1;
  double low = 1, high = 4;
  int64_t originalPositions = 0;              ///< The context trained on.
  std::optional<double> theta = std::nullopt; ///< The base, for descriptions that keep it here.
};

/// How the state dict keeps the weights of linear layers.
enum class WeightLayout {
  OutIn, ///< [out, in], y = x Wᵀ: torch.nn.Linear.
  InOut, ///< [in, out], y = x W: GPT-2's Conv1D.
};

/// Of a graph without a loss; one with a loss gives that of the logits, whatever these are.
enum class Outputs {
  Logits, ///< `logits` f32 [batch, seq, vocabulary].
  /// `last_hidden_state` f32 [batch, seq, d_model] and `pooler_output` f32 [batch, d_model], which is
  /// tanh(W x + b) of the first token.
  HiddenAndPooled,
};

/// Names in the state dict, without ".weight" or ".bias"; "{}" stands for the layer's number.
struct ParameterNames {
  std::string embed = "embed";
  std::string positions = "positions";
  std::string segments = "segments";
  std::string embedNorm = "embed_norm";
  std::string norm1 = "blocks.{}.norm1";
  std::string q = "blocks.{}.q", k = "blocks.{}.k", v = "blocks.{}.v", out = "blocks.{}.o";
  std::string qkv = "blocks.{}.qkv"; ///< Where the three are one.
  std::string norm2 = "blocks.{}.norm2";
  std::string gate = "blocks.{}.w1"; ///< The one inner projection where the MLP is not gated.
  std::string up = "blocks.{}.w3";
  std::string down = "blocks.{}.w2";
  std::string finalNorm = "norm";
  std::string headTransform = "head_transform", headNorm = "head_norm";
  std::string head = "head";     ///< The product's weight, where it has one of its own.
  std::string headBias = "head"; ///< Some families keep it in another module than the weight.
  std::string pooler = "pooler";
};

/// Names of a model's inputs. All are i32 [batch, seq].
struct InputNames {
  std::string ids = "ids";
  std::string segments = "segments";
  std::string mask = "mask";
};

/// A language model on token ids i32 [batch, seq].
struct DecoderSpec {
  std::string name = {}; ///< For locations and messages: "study:small", a path.
  /// What the description calls a field below, where that is another name: {"heads", "num_attention_heads"}.
  std::map<std::string, std::string> fieldNames = {};

  int64_t layers = 0;
  int64_t dModel = 0;
  int64_t dFf = 0;
  int64_t heads = 0;
  int64_t kvHeads = 0; ///< Divides heads; fewer than heads is grouped-query attention.
  int64_t headDim = 0;
  int64_t vocabulary = 0;

  NormKind norm = NormKind::Rms;
  NormPlace normPlace = NormPlace::Pre;
  double epsilon = 1e-5;
  bool embedNorm = false; ///< A norm behind the sum of the embeddings.

  Activation activation = Activation::Silu;
  bool gated = true; ///< down(act(gate(x)) * up(x)), else down(act(gate(x))).

  Positions positions = Positions::RotaryInterleaved;
  double theta = 10000.0; ///< Rotary base.
  RotaryScaling rotaryScaling = {};
  int64_t maxPositions = 0; ///< Rows of the learned table.
  int64_t segments = 0;     ///< Rows of the segments' table, whose input is added; 0: no such input.

  bool causal = true;
  bool paddingMask = false; ///< An input that is 1 where a token is, 0 where padding is.
  /// A query sees so many keys, its own position the last; in the layers from `windowFrom` on, or in those
  /// that `windowLayers` marks where it is not empty.
  std::optional<int64_t> window = std::nullopt;
  int64_t windowFrom = 0;
  std::vector<bool> windowLayers = {};
  bool hasWindow(int64_t layer) const {
    return window && (windowLayers.empty() ? layer >= windowFrom : windowLayers[layer]);
  }

  bool qkvBias = false, outBias = false, mlpBias = false, headBias = false;
  bool tied = false;          ///< The head multiplies by the embedding's table.
  bool headTransform = false; ///< norm(act(W x + b)), as wide as the model, before the head's product.
  Outputs outputs = Outputs::Logits;

  WeightLayout weightLayout = WeightLayout::OutIn;
  bool packedQkv = false; ///< One weight and one bias, Q before K before V.
  ParameterNames names = {};
  InputNames inputs = {};

  /// How weights are drawn when no file gives them.
  double embeddingStd = 0.02; ///< Of all tables.
  std::optional<double> linearStd =
      std::nullopt; ///< Absent: sqrt(2 / (fan_in + fan_out)), Glorot and Bengio 2010.
  double biasStd = 0;
};

/// The values of the symbolic dimensions.
struct DecoderExtents {
  int64_t batch = 0;
  int64_t seq = 0;
};

/// "12 layers, width 768, 12 heads of 64, MLP 3072 (gated), vocabulary 10000".
std::string sizesText(const DecoderSpec &spec);

/// InvalidInput naming the field, what was wanted and what was found, where no graph can be built.
runtime::Status validate(const DecoderSpec &spec, const DecoderExtents &extents);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_DECODERSPEC_H
