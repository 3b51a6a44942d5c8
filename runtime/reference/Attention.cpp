//===- Attention.cpp - Scaled dot-product attention in float64 ------------===//
#include "runtime/reference/AttentionScores.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::runtime::reference {

namespace {

/// softmax(score) · v, v being [B, Hkv, Sk, Dv], and where they are wanted each row's largest score and what
/// its exponentials are multiplied by, [2, B, H, Sq]. A row that sees no key has zeros.
Status attention(Context &c) {
  HEDDLE_ASSIGN_OR_RETURN(AttentionScores s, AttentionScores::make(c, 3));
  HEDDLE_RETURN_IF_ERROR(c.wantShape("result", c.resultShape(), {s.batch, s.heads, s.queries, s.width}));
  bool wantsStatistics = c.resultCount() > 1;
  if (wantsStatistics)
    HEDDLE_RETURN_IF_ERROR(c.wantShape("statistics", c.resultShape(1), {2, s.batch, s.heads, s.queries}));
  std::fill(c.out.begin(), c.out.end(), 0.0);
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  constexpr int64_t tile = 48; // Queries at a time: scores of a tile, and never all of them.
  int64_t tiles = (s.queries + tile - 1) / tile;
  c.pool.parallelFor(s.batch * s.heads * tiles, 1, [&](int64_t begin, int64_t end) {
    std::vector<double> row(static_cast<size_t>(tile * s.keys));
    for (int64_t t = begin; t < end; ++t) {
      int64_t z = t / tiles, b = z / s.heads, h = z % s.heads, first = t % tiles * tile;
      int64_t rows = std::min(tile, s.queries - first), kv = s.keyHead(b, h);
      std::fill(row.begin(), row.end(), 0.0);
      multiplyAdd(c.operand(0) + (z * s.queries + first) * s.depth, s.depth,
                  c.operand(1) + kv * s.keys * s.depth, s.depth, true, row.data(), s.keys, rows, s.keys,
                  s.depth);
      for (int64_t r = 0; r < rows; ++r) {
        double *score = row.data() + r * s.keys, most = lowest, sum = 0;
        int64_t i = first + r;
        for (int64_t j = 0; j < s.keys; ++j)
          most = std::max(most, score[j] = s.sees(b, h, i, j) ? s.score(score[j], b, h, i, j) : lowest);
        for (int64_t j = 0; j < s.keys; ++j)
          sum += score[j] = std::isinf(score[j]) && score[j] < 0 ? 0 : std::exp(score[j] - most);
        for (int64_t j = 0; j < s.keys && sum != 0; ++j)
          score[j] /= sum;
        if (wantsStatistics) {
          c.result(1)[z * s.queries + i] = sum == 0 ? 0 : most;
          c.result(1)[(s.batch * s.heads + z) * s.queries + i] = sum == 0 ? 0 : 1 / sum;
        }
      }
      multiplyAdd(row.data(), s.keys, c.operand(2) + kv * s.keys * s.width, s.width, false,
                  c.result() + (z * s.queries + first) * s.width, s.width, rows, s.width, s.keys);
    }
  });
  return Status::ok();
}

} // namespace

void addAttention(Handlers &handlers) { handlers.insert({{"attention", {attention, 1, 2}}}); }

} // namespace heddle::runtime::reference
