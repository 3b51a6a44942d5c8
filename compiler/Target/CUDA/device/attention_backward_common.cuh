// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attention backward skeletons (attention_backward_simt.cuh for float32, attention_backward_mma.cuh
// for bf16 and f16) share: operands, and the interface to generated text.
//
// Forward (attention_common.cuh) gave out, m and n. Backward takes m, n, the gradient dout of out, and
// delta[i] = dot(dout[i], out[i]), which whoever launches has computed. For each batch b, head h, query i and
// key j that i sees:
//   p[i][j]     = exp(score(scale * dot(q[i], k[j])) - m[i]) * n[i]
//   dscore      = p[i][j] * (dot(dout[i], v[j]) - delta[i])     the gradient of what score() returned
//   ds          = dscore * score'(scale * dot(q[i], k[j]))      1 where there is no score function
//   dv[j]       = sum_i p[i][j] * dout[i]
//   dk[j]       = scale * sum_i ds * q[i]                       over all heads of a kv head's group
//   dq[i]       = scale * sum_j ds * k[j]
// (Dao 2023, arXiv:2307.08691.) Memory is linear in q_len and kv_len: scores are computed again. All sums are
// float32 and in an order that depends on the sizes alone; no floating atomics. A query that sees no key has
// gradients of zero, never NaN; so has a key that no query sees.
//
// Forward's statistics are two numbers: one, m - log(n), is rounded, and every p of a row would be wrong by
// one factor that out does not have.
//
// The generated struct is forward's. Under kHasScore it may say also, but for the bias kernel, which gives
// the gradient of what score() returns:
//
//   // score' is not 1: score() takes one more argument, which receives the derivative of the result with
//   // respect to s (finite wherever the key is kept). A cap: 1 - tanh(s / cap)^2, by the tanh that the score
//   // has computed. A bias alone needs none.
//   static constexpr bool kHasSlope = true;
//   __device__ float score(float s, int b, int h, int i, int j, float &slope) const {
//     const float t = tanhf(s * (1.0f / 30.0f));
//     slope = 1.0f - t * t;
//     return 30.0f * t + bias[h * bias_head + j];
//   }
//
// Kernels of one backward pass, in any order or at once. `Params` is AttentionBackwardParams<T, Out>, `Sizes`
// are HeadDim, ValueDim, TileM, TileN, Warps, and of the mma skeleton Stages:
//
//   keys     attention_backward_keys<T, Sizes, Score, Aligned>(params, score): dk and dv; in float32 dq, too
//   queries  attention_backward_queries<T, Sizes, Score, Aligned>(params, score): dq, bf16 and f16 alone
//   bias     attention_backward_bias<T, Sizes, Score, Aligned>(params, bias, score): the gradient of an
//            additive bias, if wanted
//
// Each header's end says blocks, threads and shared memory; attention_tiles.h chooses tiles. Of float32 dq
// and `turns`, int32 of attention_turns(), must hold zeros before each launch of keys: its blocks add to the
// one and count in the other.

#ifndef HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH
#define HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH

#include "attention_common.cuh"

namespace heddle {

/// Operands of one backward pass. Strides count elements; the innermost dimension is contiguous. `Aligned`
/// promises what it does in forward, of all seven tensors with strides. Out: float, or T.
template <typename T, typename Out = T>
struct AttentionBackwardParams {
  const T *q;                                // [batch, heads, q_len, HeadDim]
  const T *k;                                // [batch, kv_heads, kv_len, HeadDim]
  const T *v;                                // [batch, kv_heads, kv_len, ValueDim]
  const T *dout;                             // [batch, heads, q_len, ValueDim]
  Out *dq, *dk, *dv;                         // shaped as q, k and v
  const float *statistics;                   // [2, batch, heads, q_len], contiguous: m and n of forward
  const float *delta;                        // [batch, heads, q_len], contiguous
  int *turns;                                // attention_turns() zeros; float32 alone
  int batch, heads, kv_heads, q_len, kv_len; // as in forward
  long long q_batch, q_head, q_row;
  long long k_batch, k_head, k_row;
  long long v_batch, v_head, v_row;
  long long dout_batch, dout_head, dout_row;
  long long dq_batch, dq_head, dq_row;
  long long dk_batch, dk_head, dk_row;
  long long dv_batch, dv_head, dv_row;
  float scale;
};

/// The gradient of a bias [batch | 1, heads | 1, q_len, kv_len] that score() adds to its result: dscore,
/// summed over the batches and heads that share an element. Everything is written, zeros where no key is
/// seen.
struct AttentionBiasGradient {
  float *data;
  int batch; // 1, or the batch of the operands
  int heads; // 1, or the heads of the operands
  long long batch_stride, head_stride, row_stride;
};

/// A score struct's kHasSlope; false where it has none.
template <typename Score, typename = void>
struct AttentionSlope {
  static constexpr bool kValue = false;
};
template <typename Score>
struct AttentionSlope<Score, decltype(void(Score::kHasSlope))> {
  static constexpr bool kValue = Score::kHasSlope;
};

/// Numbers in `turns`: a counter for each tile of queries, and last the one that blocks draw their work from.
__host__ __device__ constexpr long long attention_turns(int batch, int heads, int q_len, int tile_m) {
  return (long long)batch * heads * ((q_len + tile_m - 1) / tile_m) + 1;
}

/// Tiles of queries that see any of the keys [key, key + keys), keys within kv_len: [first, end).
struct QueryTiles {
  int first, end;
};
template <typename Score, int TileM>
__device__ inline QueryTiles query_tiles(int key, int keys, int q_len, int kv_len) {
  constexpr int kWindow = AttentionWindow<Score>::kKeys;
  QueryTiles tiles{0, ceil_div(q_len, TileM)};
  const int diagonal = kv_len - q_len;
  if (Score::kCausal && key > diagonal)
    tiles.first = (key - diagonal) / TileM;
  if constexpr (kWindow != 0) {
    const long long last = (long long)key + keys - 1 + kWindow - 1 - diagonal; // query that sees the last key
    if (last < 0)
      tiles.end = 0;
    else if (last / TileM + 1 < tiles.end)
      tiles.end = int(last / TileM + 1);
  }
  return tiles;
}

/// What a block of the bias kernel computes: a tile of one matrix of the gradient, which it sums over the
/// batches and heads [first, end).
struct AttentionBiasTile {
  int query, key;
  int first_batch, end_batch, first_head, end_head;
};
template <int TileM, int TileN, typename Params>
__device__ inline AttentionBiasTile bias_tile(const Params &p, const AttentionBiasGradient &bias, int block) {
  const int key_tiles = ceil_div(p.kv_len, TileN);
  const int query_tiles = ceil_div(p.q_len, TileM);
  const int row = block / key_tiles;
  const int pair = row / query_tiles;
  AttentionBiasTile tile;
  tile.key = (block - row * key_tiles) * TileN;
  tile.query = (row - pair * query_tiles) * TileM;
  tile.first_batch = pair / bias.heads;
  tile.first_head = pair - tile.first_batch * bias.heads;
  tile.end_batch = bias.batch == 1 ? p.batch : tile.first_batch + 1;
  tile.end_head = bias.heads == 1 ? p.heads : tile.first_head + 1;
  return tile;
}

/// classify_tile for backward, where rows beyond q_len count as masked.
template <typename Score>
__device__ inline TileKind classify_scores(int row, int rows, int key, int keys, int q_len, int kv_len) {
  if (row >= q_len)
    return TileKind::Empty;
  const TileKind kind = classify_tile<Score::kCausal, AttentionWindow<Score>::kKeys>(row, rows, key, keys,
                                                                                     kv_len, kv_len - q_len);
  return kind == TileKind::Full && row + rows > q_len ? TileKind::Edge : kind;
}

/// p[i][j] from the bare product s; `slope` receives score', 0 where the key is masked. `exponent` is
/// scale, or scale * log2(e) without `Natural`, `reference` softmax_reference() of m[i]. `Edge` as for
/// masked_score.
template <typename Score, bool Natural, bool Edge>
__device__ inline float probability(const Score &score, float s, float scale, float exponent, float reference,
                                    float normaliser, int b, int h, int i, int j, int q_len, int kv_len,
                                    float &slope) {
  const int i_safe = Edge && i >= q_len ? q_len - 1 : i;
  const int j_safe = Edge && j >= kv_len ? kv_len - 1 : j;
  slope = 1.0f;
  float p;
  if constexpr (AttentionSlope<Score>::kValue)
    p = exp2_approx((score.score(s * scale, b, h, i_safe, j_safe, slope) - reference) * kLog2E);
  else if constexpr (Score::kHasScore)
    p = exp2_approx((score.score(s * scale, b, h, i_safe, j_safe) - reference) * kLog2E);
  else
    p = softmax_exponential<Natural>(fmaf(s, exponent, -reference));
  bool keep = true;
  if constexpr (Edge)
    keep = i < q_len && j < kv_len && (!Score::kCausal || j <= i + kv_len - q_len) &&
           (AttentionWindow<Score>::kKeys == 0 || i + kv_len - q_len - j < AttentionWindow<Score>::kKeys);
  if constexpr (Score::kHasMask)
    keep = keep & score.keep(b, h, i_safe, j_safe);
  slope = keep ? slope : 0.0f;
  return keep ? p * normaliser : 0.0f;
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH
