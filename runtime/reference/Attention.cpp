//===- Attention.cpp - Scaled dot-product attention in float64 ------------===//
#include "runtime/reference/Ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::runtime::reference {

namespace {

/// An operand that broadcasts to [B, H, Sq, Sk]: its rank is at most 4, counted from the last axis.
struct Broadcast4 {
  const double *data = nullptr;
  int64_t strides[4] = {};

  static StatusOr<Broadcast4> make(const Context &c, size_t operand, const Shape &to) {
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
  double at(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return data[b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3]];
  }
};

/// softmax(cap(scale · q·kᵀ) + bias, where the mask and causality allow) · v, for q [B, H, Sq, D], k [B, Hkv,
/// Sk, D] and v [B, Hkv, Sk, Dv]; query head h uses key head h / (H / Hkv). cap(s) = softcap · tanh(s /
/// softcap), or s where there is none. Causality is anchored at the last key: query i sees key j where
/// j <= i + Sk - Sq, and with a window only where also j > i + Sk - Sq - window. A row that sees no key is
/// zero.
Status attention(Context &c) {
  bool hasMask = c.integerOr("has_mask", 0) != 0, hasBias = c.integerOr("has_bias", 0) != 0;
  size_t count = 3 + hasMask + hasBias;
  HEDDLE_RETURN_IF_ERROR(c.wantOperands(count, count));
  const Shape &q = c.operandShape(0), &k = c.operandShape(1), &v = c.operandShape(2);
  for (size_t i = 0; i < 3; ++i)
    if (c.operandShape(i).size() != 4)
      return invalidInput("operand " + std::to_string(i) + ": wanted rank 4, found " +
                          shapeText(c.operandShape(i)));
  int64_t batch = q[0], heads = q[1], queries = q[2], depth = q[3], keyHeads = k[1], keys = k[2],
          width = v[3];
  if (keyHeads == 0 || heads % keyHeads != 0)
    return invalidInput("heads: " + std::to_string(heads) + " of q are no multiple of " +
                        std::to_string(keyHeads) + " of k");
  HEDDLE_RETURN_IF_ERROR(c.wantShape("k", k, {batch, keyHeads, keys, depth}));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("v", v, {batch, keyHeads, keys, width}));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), {batch, heads, queries, width}));
  HEDDLE_ASSIGN_OR_RETURN(double scale, c.real("scale"));
  bool causal = c.integerOr("causal", 0) != 0;
  bool capped = c.operation.floats.count("softcap") != 0;
  double cap = 1;
  if (capped) {
    HEDDLE_ASSIGN_OR_RETURN(cap, c.real("softcap"));
    if (!(cap > 0) || std::isinf(cap))
      return invalidInput("softcap: wanted a positive number, found " + std::to_string(cap));
  }
  int64_t window = c.integerOr("window", keys + queries); // Without one, wider than any distance.
  if (window < 1)
    return invalidInput("window: wanted at least 1, found " + std::to_string(window));
  Broadcast4 mask, bias;
  Shape scores = {batch, heads, queries, keys};
  if (hasMask) {
    HEDDLE_ASSIGN_OR_RETURN(mask, Broadcast4::make(c, 3, scores));
  }
  if (hasBias) {
    HEDDLE_ASSIGN_OR_RETURN(bias, Broadcast4::make(c, 3 + hasMask, scores));
  }
  std::fill(c.out.begin(), c.out.end(), 0.0);
  constexpr int64_t tile = 48; // Queries at a time: scores of a tile, and never all of them.
  int64_t tiles = (queries + tile - 1) / tile;
  c.pool.parallelFor(batch * heads * tiles, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(tile * keys));
    for (int64_t t = begin; t < end; ++t) {
      int64_t z = t / tiles, b = z / heads, h = z % heads, first = t % tiles * tile;
      int64_t rows = std::min(tile, queries - first), kv = b * keyHeads + h / (heads / keyHeads);
      std::fill(row.begin(), row.end(), 0.0);
      multiplyAdd(c.operand(0) + (z * queries + first) * depth, depth, c.operand(1) + kv * keys * depth,
                  depth, true, row.data(), keys, rows, keys, depth);
      for (int64_t r = 0; r < rows; ++r) {
        double *score = row.data() + r * keys, most = -std::numeric_limits<double>::infinity(), sum = 0;
        int64_t i = first + r, own = i + keys - queries; // The key that the query is aligned with.
        for (int64_t j = 0; j < keys; ++j) {
          bool sees = (!causal || (j <= own && j > own - window)) && (!hasMask || mask.at(b, h, i, j) != 0);
          double scaled = scale * score[j];
          if (capped)
            scaled = cap * std::tanh(scaled / cap);
          score[j] =
              sees ? scaled + (hasBias ? bias.at(b, h, i, j) : 0) : -std::numeric_limits<double>::infinity();
          most = std::max(most, score[j]);
        }
        for (int64_t j = 0; j < keys; ++j)
          sum += score[j] = std::isinf(score[j]) && score[j] < 0 ? 0 : std::exp(score[j] - most);
        for (int64_t j = 0; j < keys && sum != 0; ++j)
          score[j] /= sum;
      }
      multiplyAdd(row.data(), keys, c.operand(2) + kv * keys * width, width, false,
                  c.result() + (z * queries + first) * width, width, rows, width, keys);
    }
  });
  return Status::ok();
}

} // namespace

void addAttention(Handlers &handlers) { handlers.insert({{"attention", attention}}); }

} // namespace heddle::runtime::reference
