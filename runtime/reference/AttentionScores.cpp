#include "runtime/reference/AttentionScores.h"

#include <cmath>

namespace heddle::runtime::reference {

StatusOr<Broadcast4> Broadcast4::make(const Context &c, size_t operand, const Shape &to) {
  const Shape &shape = c.operandShape(operand);
  Shape strides = stridesOf(shape);
  Broadcast4 result;
  result.data = c.operand(operand);
  bool fits = shape.size() <= 4;
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    size_t axis = 4 - shape.size() + i;
    fits = shape[i] == to[axis] || shape[i] == 1;
    result.strides[axis] = shape[i] == 1 ? 0 : strides[i];
  }
  if (!fits)
    return invalidInput("operand " + std::to_string(operand) + ": " + shapeText(shape) +
                        " does not broadcast to " + shapeText(to));
  return result;
}

StatusOr<AttentionScores> AttentionScores::make(const Context &c, size_t first) {
  AttentionScores s;
  s.hasMask_ = c.integerOr("has_mask", 0) != 0;
  s.hasBias_ = c.integerOr("has_bias", 0) != 0;
  size_t count = first + s.hasMask_ + s.hasBias_;
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(count, count));
  const Shape &q = c.operandShape(0), &k = c.operandShape(1), &v = c.operandShape(2);
  for (size_t i = 0; i < 3; ++i)
    if (c.operandShape(i).size() != 4)
      return invalidInput("operand " + std::to_string(i) + ": wanted rank 4, found " +
                          shapeText(c.operandShape(i)));
  s.batch = q[0], s.heads = q[1], s.queries = q[2], s.depth = q[3];
  s.keyHeads = k[1], s.keys = k[2], s.width = v[3];
  if (s.keyHeads == 0 || s.heads % s.keyHeads != 0)
    return invalidInput("heads: " + std::to_string(s.heads) + " of q are no multiple of " +
                        std::to_string(s.keyHeads) + " of k");
  HEDDLE_RETURN_IF_ERROR(c.wantShape("k", k, {s.batch, s.keyHeads, s.keys, s.depth}));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("v", v, {s.batch, s.keyHeads, s.keys, s.width}));
  HEDDLE_ASSIGN_OR_RETURN(s.scale_, c.real("scale"));
  s.causal_ = c.integerOr("causal", 0) != 0;
  if (c.operation.floats.count("softcap") != 0) {
    HEDDLE_ASSIGN_OR_RETURN(s.cap_, c.real("softcap"));
    if (!(s.cap_ > 0) || std::isinf(s.cap_))
      return invalidInput("softcap: wanted a positive number, found " + std::to_string(s.cap_));
  }
  s.window_ = c.integerOr("window", s.keys + s.queries); // Without one, wider than any distance.
  if (s.window_ < 1)
    return invalidInput("window: wanted at least 1, found " + std::to_string(s.window_));
  Shape scores = {s.batch, s.heads, s.queries, s.keys};
  if (s.hasMask_) {
    HEDDLE_ASSIGN_OR_RETURN(s.mask_, Broadcast4::make(c, first, scores));
  }
  if (s.hasBias_) {
    HEDDLE_ASSIGN_OR_RETURN(s.bias_, Broadcast4::make(c, first + s.hasMask_, scores));
  }
  return s;
}

bool AttentionScores::sees(int64_t b, int64_t h, int64_t i, int64_t j) const {
  int64_t own = i + keys - queries; // The key that the query is aligned with.
  return (!causal_ || (j <= own && j > own - window_)) && (!hasMask_ || mask_.at(b, h, i, j) != 0);
}

double AttentionScores::score(double product, int64_t b, int64_t h, int64_t i, int64_t j) const {
  double score = scale_ * product;
  if (cap_ != 0)
    score = cap_ * std::tanh(score / cap_);
  return hasBias_ ? score + bias_.at(b, h, i, j) : score;
}

double AttentionScores::slope(double product) const {
  if (cap_ == 0)
    return scale_;
  double cosine = std::cosh(scale_ * product / cap_); // 1 - tanh² = 1 / cosh²; infinite far outside the cap.
  return scale_ / (cosine * cosine);
}

} // namespace heddle::runtime::reference
