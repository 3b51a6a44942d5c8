// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attention backward skeletons (attention_backward_simt.cuh for float32, attention_backward_mma.cuh
// for bf16 and f16) share: operands, the interface to generated text, and the sums of rows that come first.
//
// Forward (attention_common.cuh) gave out and lse, which backward takes with the gradient dout of out. For
// each batch b, head h, query i and key j that i sees:
//   p[i][j]     = exp(score(scale * dot(q[i], k[j])) - lse[i])
//   delta[i]    = dot(dout[i], out[i])
//   dscore      = p[i][j] * (dot(dout[i], v[j]) - delta[i])     the gradient of what score() returned
//   ds          = dscore * score'(scale * dot(q[i], k[j]))      1 where there is no score function
//   dv[j]       = sum_i p[i][j] * dout[i]
//   dk[j]       = scale * sum_i ds * q[i]                       over all heads of a kv head's group
//   dq[i]       = scale * sum_j ds * k[j]
// (Dao 2023, arXiv:2307.08691.) Memory is linear in q_len and kv_len: scores are computed again. All sums are
// float32 and in an order that depends on the sizes alone; no floating atomics. A query that sees no key has
// lse = -inf, and gradients of zero, never NaN; so has a key that no query sees.
//
// lse is one float32 number: where scores are as large as 1e4, its rounding is a relative error of 5e-4 in p,
// and where they are 1e38 (a finite bias that swallows every score) p is 1 for each of the swallowed keys.
//
// The generated struct is forward's. Under kHasScore it may say also
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
// Kernels of one backward pass, in the order of their launches in one stream. `Params` is
// AttentionBackwardParams<T, Out>, `Sizes` are HeadDim, ValueDim, TileM, TileN, Warps:
//
//   1. delta    attention_backward_delta<T, Out, HeadDim, ValueDim, Turns, Aligned>(params)
//               kDeltaThreads threads, attention_delta_blocks() blocks, no dynamic shared memory. Turns: true
//               before the float32 skeleton, false before the other.
//   2. keys     attention_backward_keys<T, Sizes, Score, Aligned>(params, score): dk and dv; in float32 dq,
//   too
//   3. queries  attention_backward_queries<...>(params, score): dq, bf16 and f16 alone
//   4. bias     attention_backward_bias<...>(params, bias, score): the gradient of an additive bias, if
//   wanted
//
// Each header's end says blocks, threads and shared memory of 2 to 4; attention_tiles.h chooses tiles.
// Scratch is `delta`, float32 of batch * heads * q_len, and in float32 `turns`, int32 of attention_turns().

#ifndef HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH
#define HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH

#include "attention_common.cuh"
#include "reduce.cuh"

namespace heddle {

/// Operands of one backward pass. Strides count elements; the innermost dimension is contiguous. `Aligned`
/// promises what it does in forward, of all eight tensors with strides. Out: float, or T.
template <typename T, typename Out = T>
struct AttentionBackwardParams {
  const T *q;                                // [batch, heads, q_len, HeadDim]
  const T *k;                                // [batch, kv_heads, kv_len, HeadDim]
  const T *v;                                // [batch, kv_heads, kv_len, ValueDim]
  const T *out;                              // [batch, heads, q_len, ValueDim], of forward
  const T *dout;                             // [batch, heads, q_len, ValueDim]
  Out *dq, *dk, *dv;                         // shaped as q, k and v
  const float *lse;                          // [batch, heads, q_len], contiguous, of forward
  float *delta;                              // scratch: [batch, heads, q_len], contiguous
  int *turns;                                // scratch: attention_turns() numbers; float32 alone
  int batch, heads, kv_heads, q_len, kv_len; // as in forward
  int group;                                 // float32 alone, see attention_backward_group
  long long q_batch, q_head, q_row;
  long long k_batch, k_head, k_row;
  long long v_batch, v_head, v_row;
  long long out_batch, out_head, out_row;
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

/// A score struct without its slope, for the gradient of what score() returns.
template <typename Score>
struct WithoutSlope {
  static constexpr bool kCausal = Score::kCausal;
  static constexpr int kWindow = AttentionWindow<Score>::kKeys;
  static constexpr bool kHasMask = Score::kHasMask;
  static constexpr bool kHasScore = Score::kHasScore;
  const Score &of;
  __device__ float score(float s, int b, int h, int i, int j) const {
    if constexpr (AttentionSlope<Score>::kValue) {
      float slope;
      return of.score(s, b, h, i, j, slope);
    } else {
      return of.score(s, b, h, i, j);
    }
  }
  __device__ bool keep(int b, int h, int i, int j) const { return of.keep(b, h, i, j); }
};

constexpr int kDeltaThreads = 128;
constexpr int kDeltaLanes = 8; // of a row

__host__ __device__ constexpr long long attention_delta_blocks(int batch, int heads, int q_len) {
  return ((long long)batch * heads * q_len * kDeltaLanes + kDeltaThreads - 1) / kDeltaThreads;
}

/// Numbers in `turns`: a counter for each tile of queries, and one that blocks draw their work from.
__host__ __device__ constexpr long long attention_turns(int batch, int heads, int q_len, int tile_m) {
  return (long long)batch * heads * ((q_len + tile_m - 1) / tile_m) + 1;
}

/// Kernel 1: delta. With `Turns` it also zeroes dq and as many counters as there can be.
template <typename T, typename Out, int HeadDim, int ValueDim, int TileM, bool Turns, bool Aligned = true>
__device__ inline void attention_backward_delta(const AttentionBackwardParams<T, Out> &p) {
  const long long thread = (long long)blockIdx.x * kDeltaThreads + threadIdx.x;
  const long long rows = (long long)p.batch * p.heads * p.q_len;
  const long long row = thread / kDeltaLanes;
  const int lane = threadIdx.x % kDeltaLanes;
  const bool valid = row < rows;
  const int i = valid ? int(row % p.q_len) : 0;
  const long long pair = valid ? row / p.q_len : 0;
  const int h = int(pair % p.heads), b = int(pair / p.heads);
  const T *out = p.out + b * p.out_batch + h * p.out_head + i * p.out_row;
  const T *dout = p.dout + b * p.dout_batch + h * p.dout_head + i * p.dout_row;
  constexpr int kWidth = Aligned ? kVectorWidth<T> : 1;
  float sum = 0.0f;
#pragma unroll
  for (int c = lane * kWidth; c < ValueDim; c += kDeltaLanes * kWidth) {
    const auto a = Vec<T, kWidth>::load(out + c), d = Vec<T, kWidth>::load(dout + c);
#pragma unroll
    for (int e = 0; e < kWidth; ++e)
      sum = fmaf(to_float(a[e]), to_float(d[e]), sum);
  }
  sum = warp_reduce<Add, kDeltaLanes>(sum);
  if (valid && lane == 0)
    p.delta[row] = sum;
  if constexpr (Turns) {
    if (thread < attention_turns(p.batch, p.heads, p.q_len, TileM))
      p.turns[thread] = 0;
    if (valid) {
      Out *dq = p.dq + b * p.dq_batch + h * p.dq_head + i * p.dq_row;
      for (int c = lane; c < HeadDim; c += kDeltaLanes)
        dq[c] = Out{};
    }
  }
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

/// What lse[i] becomes in an exponent; of a row without keys infinity, so that its probabilities are zero.
template <typename Score>
__device__ inline float softmax_reference(float lse) {
  return lse == -INFINITY ? INFINITY : Score::kHasScore ? lse : lse * kLog2E;
}

/// p[i][j] from the bare product s; `slope` receives score', 0 where the key is masked. `exponent` is
/// scale * log2(e). `Edge` as for masked_score.
template <typename Score, bool Edge>
__device__ inline float probability(const Score &score, float s, float scale, float exponent, float reference,
                                    int b, int h, int i, int j, int q_len, int kv_len, float &slope) {
  const int i_safe = Edge && i >= q_len ? q_len - 1 : i;
  const int j_safe = Edge && j >= kv_len ? kv_len - 1 : j;
  slope = 1.0f;
  float p;
  if constexpr (AttentionSlope<Score>::kValue)
    p = exp2_approx((score.score(s * scale, b, h, i_safe, j_safe, slope) - reference) * kLog2E);
  else if constexpr (Score::kHasScore)
    p = exp2_approx((score.score(s * scale, b, h, i_safe, j_safe) - reference) * kLog2E);
  else
    p = exp2_approx(fmaf(s, exponent, -reference));
  bool keep = true;
  if constexpr (Edge)
    keep = i < q_len && j < kv_len && (!Score::kCausal || j <= i + kv_len - q_len) &&
           (AttentionWindow<Score>::kKeys == 0 || i + kv_len - q_len - j < AttentionWindow<Score>::kKeys);
  if constexpr (Score::kHasMask)
    keep = keep & score.keep(b, h, i_safe, j_safe);
  slope = keep ? slope : 0.0f;
  return keep ? p : 0.0f;
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_BACKWARD_COMMON_CUH
