//===- AttentionGrad.cpp - The gradient of attention in float64 -----------===//
//
// Query by query, by the chain rule through softmax's input:
//   p = exp(score - most) factor,  dscore = p (gradient · v - delta),  dproduct = dscore · slope
//   dq = Σ_j dproduct k,  dk = Σ_i dproduct q,  dv = Σ_i p gradient,  dbias = dscore
// Threads share out the key heads, so that each dk and dv is summed by one of them.
//
//===----------------------------------------------------------------------===//
#include "runtime/reference/AttentionScores.h"

#include <algorithm>
#include <cmath>

namespace heddle::runtime::reference {

namespace {

/// Operands q, k, v, gradient, statistics (most and factor of each row), delta, then mask and bias; results
/// dq, dk, dv and, if wanted, the bias's gradient [B or 1, H or 1, Sq, Sk].
Status attentionGrad(Context &c) {
  HEDDLE_ASSIGN_OR_RETURN(AttentionScores s, AttentionScores::make(c, 6));
  Shape rows = {s.batch, s.heads, s.queries};
  HEDDLE_RETURN_IF_ERROR(c.wantShape("gradient", c.operandShape(3), {s.batch, s.heads, s.queries, s.width}));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("statistics", c.operandShape(4), {2, s.batch, s.heads, s.queries}));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("delta", c.operandShape(5), rows));
  for (size_t i = 0; i < 3; ++i)
    HEDDLE_RETURN_IF_ERROR(c.wantShape("result " + std::to_string(i), c.resultShape(i), c.operandShape(i)));
  bool wantsBias = c.resultCount() > 3;
  Shape bias = wantsBias ? c.resultShape(3) : Shape{1, 1, 0, 0};
  if (wantsBias && (bias.size() != 4 || (bias[0] != 1 && bias[0] != s.batch) ||
                    (bias[1] != 1 && bias[1] != s.heads) || bias[2] != s.queries || bias[3] != s.keys))
    return invalidInput("result 3: wanted [" + std::to_string(s.batch) + " or 1, " + std::to_string(s.heads) +
                        " or 1, " + std::to_string(s.queries) + ", " + std::to_string(s.keys) + "], found " +
                        shapeText(bias));
  for (Tensor &result : c.results)
    std::fill(result.begin(), result.end(), 0.0);

  auto dot = [](const double *x, const double *y, int64_t count) {
    double sum = 0;
    for (int64_t d = 0; d < count; ++d)
      sum += x[d] * y[d];
    return sum;
  };
  auto addScaled = [](double *to, double factor, const double *x, int64_t count) {
    for (int64_t d = 0; d < count; ++d)
      to[d] += factor * x[d];
  };
  auto head = [&](int64_t b, int64_t h) {
    int64_t z = b * s.heads + h, kv = s.keyHead(b, h);
    for (int64_t i = 0; i < s.queries; ++i) {
      int64_t at = z * s.queries + i;
      double most = c.operand(4)[at], factor = c.operand(4)[s.batch * s.heads * s.queries + at];
      if (factor == 0)
        continue; // Sees no key.
      const double *q = c.operand(0) + at * s.depth, *gradient = c.operand(3) + at * s.width;
      for (int64_t j = 0; j < s.keys; ++j) {
        if (!s.sees(b, h, i, j))
          continue;
        const double *k = c.operand(1) + (kv * s.keys + j) * s.depth;
        const double *v = c.operand(2) + (kv * s.keys + j) * s.width;
        double product = dot(q, k, s.depth);
        double p = std::exp(s.score(product, b, h, i, j) - most) * factor;
        double byScore = p * (dot(gradient, v, s.width) - c.operand(5)[at]);
        double byProduct = byScore * s.slope(product);
        addScaled(c.result(0) + at * s.depth, byProduct, k, s.depth);
        addScaled(c.result(1) + (kv * s.keys + j) * s.depth, byProduct, q, s.depth);
        addScaled(c.result(2) + (kv * s.keys + j) * s.width, p, gradient, s.width);
        if (wantsBias)
          c.result(3)[(((bias[0] == 1 ? 0 : b) * bias[1] + (bias[1] == 1 ? 0 : h)) * s.queries + i) * s.keys +
                      j] += byScore;
      }
    }
  };
  // Heads that share a bias are summed in order by one thread, too.
  int64_t groups = s.batch * s.keyHeads, perGroup = s.heads / s.keyHeads;
  c.pool.parallelFor(wantsBias ? 1 : groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t g = wantsBias ? 0 : begin; g < (wantsBias ? groups : end); ++g)
      for (int64_t n = 0; n < perGroup; ++n)
        head(g / s.keyHeads, g % s.keyHeads * perGroup + n);
  });
  return Status::ok();
}

} // namespace

void addAttentionGrad(Handlers &handlers) { handlers.insert({{"attention_grad", {attentionGrad, 3, 4}}}); }

} // namespace heddle::runtime::reference
