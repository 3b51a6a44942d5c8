//===- DecoderSpec.h - The normalised description of a decoder --*- C++ -*-===//
//
// What every model description is brought into before a graph is built: one builder reads it, presets and
// (later) configuration files write it. Everything that differs between decoders is a field here; nothing
// asks for a model's name afterwards.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_DECODERSPEC_H
#define HEDDLE_COMPILER_IMPORT_DECODERSPEC_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <optional>
#include <string>

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

/// Names in the state dict, without ".weight" or ".bias"; "{}" stands for the layer's number.
struct ParameterNames {
  std::string embed = "embed";
  std::string positions = "positions";
  std::string norm1 = "blocks.{}.norm1";
  std::string q = "blocks.{}.q", k = "blocks.{}.k", v = "blocks.{}.v", out = "blocks.{}.o";
  std::string norm2 = "blocks.{}.norm2";
  std::string gate = "blocks.{}.w1"; ///< The one inner projection where the MLP is not gated.
  std::string up = "blocks.{}.w3";
  std::string down = "blocks.{}.w2";
  std::string finalNorm = "norm";
  std::string head = "head";
};

/// A decoder language model: token ids i32 [batch, seq] to logits f32 [batch, seq, vocabulary].
struct DecoderSpec {
  std::string name; ///< For locations and messages: "study:small".

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

  Activation activation = Activation::Silu;
  bool gated = true; ///< down(act(gate(x)) * up(x)), else down(act(gate(x))).

  Positions positions = Positions::RotaryInterleaved;
  double theta = 10000.0;   ///< Rotary base.
  int64_t maxPositions = 0; ///< Rows of the learned table.

  bool qkvBias = false, outBias = false, mlpBias = false, headBias = false;
  bool tied = false; ///< The head multiplies by the embedding's table.

  ParameterNames names;
  double embeddingStd = 0.02;      ///< Of the token and the position table.
  std::optional<double> linearStd; ///< Absent: sqrt(2 / (fan_in + fan_out)), Glorot and Bengio 2010.
};

/// The values of the symbolic dimensions.
struct DecoderExtents {
  int64_t batch = 0;
  int64_t seq = 0;
};

/// InvalidInput naming the field, what was wanted and what was found, where no graph can be built.
runtime::Status validate(const DecoderSpec &spec, const DecoderExtents &extents);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_DECODERSPEC_H
