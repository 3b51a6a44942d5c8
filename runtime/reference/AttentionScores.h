//===- AttentionScores.h - The scores of attention in float64 ---*- C++ -*-===//
//
// What attention and its gradient agree on: shapes, which query sees which key, and what a product of the two
// becomes before softmax.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_REFERENCE_ATTENTIONSCORES_H
#define HEDDLE_RUNTIME_REFERENCE_ATTENTIONSCORES_H

#include "runtime/reference/Ops.h"

namespace heddle::runtime::reference {

/// An operand that broadcasts to [B, H, Sq, Sk]: its rank is at most 4, counted from the last axis.
struct Broadcast4 {
  const double *data = nullptr;
  int64_t strides[4] = {};

  static StatusOr<Broadcast4> make(const Context &c, size_t operand, const Shape &to);
  double at(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return data[b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3]];
  }
};

/// cap(scale · q·k) + bias, for q [B, H, Sq, D], k [B, Hkv, Sk, D] and v [B, Hkv, Sk, Dv], operands 0 to 2;
/// query head h uses key head h / (H / Hkv). cap(s) = softcap · tanh(s / softcap), or s where there is none.
/// Causality is anchored at the last key: query i sees key j where j <= i + Sk - Sq, and with a window only
/// where also j > i + Sk - Sq - window.
struct AttentionScores {
  int64_t batch = 0, heads = 0, queries = 0, depth = 0, keyHeads = 0, keys = 0, width = 0;

  /// `first`: the operand that is the mask, or the bias where there is no mask; both are last.
  static StatusOr<AttentionScores> make(const Context &c, size_t first);

  int64_t keyHead(int64_t b, int64_t h) const { return b * keyHeads + h / (heads / keyHeads); }
  bool sees(int64_t b, int64_t h, int64_t i, int64_t j) const;
  /// Of the bare product q·k.
  double score(double product, int64_t b, int64_t h, int64_t i, int64_t j) const;
  /// The derivative of the score by the bare product.
  double slope(double product) const;

private:
  double scale_ = 1, cap_ = 0; ///< 0: no cap.
  bool causal_ = false, hasMask_ = false, hasBias_ = false;
  int64_t window_ = 0;
  Broadcast4 mask_, bias_;
};

} // namespace heddle::runtime::reference

#endif // HEDDLE_RUNTIME_REFERENCE_ATTENTIONSCORES_H
