// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the forward attention skeletons (attention_forward_mma.cuh for bf16 and f16,
// attention_forward_wgmma.cuh for the same on sm_90a, attention_forward_simt.cuh for float32) share: the
// interface to generated text, and which tile a block works on.
//
// For each batch b, head h and query i, with kv head h / (heads / kv_heads):
//   s[j]   = score(scale * dot(q[i], k[j]))    where keep(i, j), otherwise -inf
//   out[i] = sum_j exp(s[j] - m[i]) * n[i] * v[j]   with n[i] = 1 / sum_j exp(s[j] - m[i])
// in one pass over the keys: memory is linear in q_len and kv_len (online softmax, Milakov and Gimelshein
// 2018, arXiv:1805.02867; tiles as in Dao 2023, arXiv:2307.08691). Sums and statistics are float32. A row
// without any key gives zeros.
//
// A generated kernel, whole:
//
//   #include "attention_forward_mma.cuh"
//   struct Score {
//     // Query i sees key j iff j <= i + kv_len - q_len; whole tiles are skipped.
//     static constexpr bool kCausal = true;
//     // May be left out. Under kCausal, query i sees key j only where also j > i + kv_len - q_len - kWindow.
//     static constexpr int kWindow = 4096;
//     // keep() is called; it narrows what kCausal leaves.
//     static constexpr bool kHasMask = false;
//     // May be left out. keep() does not look at i: a padding mask.
//     static constexpr bool kMaskOfKeys = false;
//     // score() is called, with s already multiplied by `scale`.
//     static constexpr bool kHasScore = true;
//     // Captured operands, if any.
//     const float *bias;
//     long long bias_head;
//     __device__ float score(float s, int b, int h, int i, int j) const {
//       return s + bias[h * bias_head + j];
//     }
//     __device__ bool keep(int b, int h, int i, int j) const { return true; }
//   };
//   extern "C" __global__ void __launch_bounds__(128, 2)
//   attention(const __grid_constant__ heddle::AttentionParams<heddle::bf16> params,
//             const __grid_constant__ Score score) {
//     heddle::attention_forward<heddle::bf16, 64, 64, 128, 64, 4>(params, score);
//   }
//
// launched with attention_blocks() blocks of 32 * Warps threads and the shape's kSharedBytes of dynamic
// shared memory. score() and keep() are only called with 0 <= i < q_len and 0 <= j < kv_len, so they may read
// at [i][j]; score() may return infinities and NaN, which count where keep() and kCausal let them.
//
// The template arguments are T, HeadDim, ValueDim, TileM, TileN, Warps, then optionally Score and Aligned.
// The wgmma skeleton has Stages after Warps and no Aligned, and takes maps of q, k and v after the score.
// attention_tiles.h chooses the tile, the launch bounds and the shared memory on the host. One kernel a
// program: ptxas 13.0 crashes for sm_80 on several of the float32 ones in one.

#ifndef HEDDLE_DEVICE_ATTENTION_COMMON_CUH
#define HEDDLE_DEVICE_ATTENTION_COMMON_CUH

#include "prelude.cuh"

namespace heddle {

/// Operands of one launch. Strides count elements; the innermost dimension (head_dim) is contiguous. The
/// skeleton's last template argument `Aligned` (true unless given) promises that q, k, v, out and all their
/// strides are multiples of 16 bytes, which slices of a packed QKV array are; with `false` any alignment is
/// right, and copies go by elements.
template <typename T>
struct AttentionParams {
  const T *q; // [batch, heads, q_len, HeadDim]
  const T *k; // [batch, kv_heads, kv_len, HeadDim]
  const T *v; // [batch, kv_heads, kv_len, ValueDim]
  T *out;     // [batch, heads, q_len, ValueDim]
  // [2, batch, heads, q_len], contiguous: m, the largest score or nearly so, and n, which belongs to m as it
  // was rounded; zeros for a row without keys. Null where nobody needs them.
  float *statistics;
  int batch; // >= 1
  int heads; // a multiple of kv_heads
  int kv_heads;
  int q_len;  // >= 1
  int kv_len; // >= 1
  long long q_batch, q_head, q_row;
  long long k_batch, k_head, k_row;
  long long v_batch, v_head, v_row;
  long long out_batch, out_head, out_row;
  float scale; // usually 1 / sqrt(HeadDim); zero and negative values are right, too
};

/// Blocks of a launch: one for each tile of queries, head and batch. Must be below 2^31.
__host__ __device__ constexpr long long attention_blocks(int batch, int heads, int q_len, int tile_m) {
  return (long long)batch * heads * ((q_len + tile_m - 1) / tile_m);
}

/// One block's share.
struct AttentionWork {
  int batch;
  int head;
  int first_row; // first query of the tile
};

/// Bytes of keys and values that blocks running at the same time should share: well inside the L2 cache of an
/// A100 (40 MB) or an H200 (50 MB), whose halves each keep a copy of what both use.
constexpr long long kAttentionSectionBytes = 12ll << 20;

/// A block's place among `pairs` times `tiles` tiles.
struct AttentionPlace {
  int pair;
  int turn; // which of the pair's tiles
};

/// Where block `block` works. Blocks start in the order of their index. Pairs (batch, head) are taken in
/// sections whose operands of `pair_bytes`, which all their blocks read, stay in L2 together; within a
/// section all pairs' tiles of one turn come before the next turn.
__device__ inline AttentionPlace attention_place(int pairs, int tiles, long long pair_bytes, int block) {
  const long long fitting = kAttentionSectionBytes / pair_bytes;
  const int section_pairs = fitting < 1 ? 1 : fitting < pairs ? int(fitting) : pairs;
  const int section = block / (section_pairs * tiles);
  const int within = block - section * section_pairs * tiles;
  const int left = pairs - section * section_pairs;
  const int here = left < section_pairs ? left : section_pairs;
  const int turn = within / here;
  return AttentionPlace{section * section_pairs + (within - turn * here), turn};
}

/// Which tile block `block` computes. Causal tiles come longest first, so that the last blocks to finish are
/// short ones.
template <typename T, int HeadDim, int ValueDim, int TileM, bool Causal>
__device__ inline AttentionWork attention_work(const AttentionParams<T> &p, int block) {
  const int tiles = ceil_div(p.q_len, TileM);
  const long long pair_bytes = (long long)p.kv_len * (HeadDim + ValueDim) * (long long)sizeof(T);
  const AttentionPlace place = attention_place(p.batch * p.heads, tiles, pair_bytes, block);
  AttentionWork work;
  work.batch = place.pair / p.heads;
  work.head = place.pair - work.batch * p.heads;
  work.first_row = (Causal ? tiles - 1 - place.turn : place.turn) * TileM;
  return work;
}

/// Factors of the exponent. Without a score function softmax runs in powers of two: p = 2^(s * exponent -
/// max), one fused multiply-add and one ex2 for an element; `scale` goes into the exponent's factor, which
/// must be positive for the maximum to be the maximum: `q_factor` (1, -1 or 0) carries the sign and is exact
/// on q. Generated scores stay as they are, exponent 1: p = 2^((s - max) * log2(e)). There the difference
/// comes first, because it is exact near the maximum: beside biases of 1e3, and even of 1e38, a score that
/// was multiplied and rounded before would have lost what tells it from its neighbours. So do float32's
/// scores (kNaturalScores), with `scale` as the factor: forward then hands on the very maximum that it
/// subtracts.
struct AttentionScale {
  float q_factor;
  float exponent;
};

constexpr float kLog2E = 1.4426950408889634f;
constexpr float kLn2 = 0.6931471805599453f;

template <typename Score, typename T>
constexpr bool kNaturalScores = Score::kHasScore || sizeof(T) == 4;

template <typename Score, bool Natural>
__device__ inline AttentionScale attention_scale(float scale) {
  AttentionScale result;
  if (Score::kHasScore) {
    result.q_factor = 1.0f;
    result.exponent = 1.0f;
  } else {
    result.q_factor = scale > 0.0f ? 1.0f : scale < 0.0f ? -1.0f : scale == 0.0f ? 0.0f : scale;
    result.exponent = (scale == 0.0f ? 1.0f : fabsf(scale)) * (Natural ? 1.0f : kLog2E);
  }
  return result;
}

/// A score struct's kWindow; 0, no window, where it has none.
template <typename Score, typename = void>
struct AttentionWindow {
  static constexpr int kKeys = 0;
};
template <typename Score>
struct AttentionWindow<Score, decltype(void(Score::kWindow))> {
  static constexpr int kKeys = Score::kWindow;
  static_assert(kKeys == 0 || (Score::kCausal && kKeys > 0), "a window ends at a causal query's own key");
};

/// The first key that `row`, and with it any later row, may see. `diagonal` is kv_len - q_len.
template <int Window>
__device__ inline int first_key(int row, int diagonal) {
  if constexpr (Window == 0)
    return 0;
  const int own = row + diagonal; // Compared first: the difference may not fit an int.
  return own >= Window ? own - Window + 1 : 0;
}

/// A score struct's kMaskOfKeys; false where it has none.
template <typename Score, typename = void>
struct AttentionKeyMask {
  static constexpr bool kOnly = false;
};
template <typename Score>
struct AttentionKeyMask<Score, decltype(void(Score::kMaskOfKeys))> {
  static constexpr bool kOnly = Score::kMaskOfKeys;
  static_assert(!kOnly || Score::kHasMask, "what does not exist looks at no query");
};

/// What is known of a tile's `Keys` keys before their scores are: nothing, or, where the mask is one of keys
/// alone
/// (`Only`), which of them it keeps. Then bit j % 32 of word j / 32 says so, the same in all lanes of a warp,
/// each of which has asked for one key of a word.
template <int Keys, bool Only>
struct KeptKeys {
  __device__ bool keeps(int, int) const { return true; }
  __device__ bool all() const { return false; }
};
template <int Keys>
struct KeptKeys<Keys, true> {
  static_assert(Keys % 32 == 0, "whole words");
  unsigned int words[Keys / 32];

  /// Of the tile's key first + offset; `first` is known to the compiler, and the two share a word.
  __device__ bool keeps(int first, int offset) const {
    return words[first / 32] >> (first % 32 + offset) & 1;
  }
  __device__ bool all() const {
    unsigned int both = words[0];
#pragma unroll
    for (int word = 1; word < Keys / 32; ++word)
      both &= words[word];
    return both == 0xffffffffu;
  }
};

/// Of keys [key, key + Keys); those beyond kv_len are not kept. All lanes of the warp call it. Neither query
/// nor score is needed, so that it can be asked while the product runs.
template <int Keys, typename Score>
__device__ inline KeptKeys<Keys, AttentionKeyMask<Score>::kOnly> kept_keys(const Score &score, int b, int h,
                                                                           int key, int kv_len, int lane) {
  KeptKeys<Keys, AttentionKeyMask<Score>::kOnly> result;
  if constexpr (AttentionKeyMask<Score>::kOnly) {
#pragma unroll
    for (int word = 0; word < Keys / 32; ++word) {
      const int j = key + word * 32 + lane;
      result.words[word] = __ballot_sync(0xffffffffu, j < kv_len && score.keep(b, h, 0, j));
    }
  }
  return result;
}

/// How a rectangle of scores relates to what its rows may see.
enum class TileKind {
  Empty, // every score is masked by kCausal or kWindow: nothing to do
  Full,  // every score counts, as far as those and the ends of the operands go
  Edge,  // both occur
};

/// Classifies rows [row, row + rows) against keys [key, key + keys). `diagonal` is kv_len - q_len.
template <bool Causal, int Window = 0>
__device__ inline TileKind classify_tile(int row, int rows, int key, int keys, int kv_len, int diagonal) {
  if (Causal && key > row + rows - 1 + diagonal)
    return TileKind::Empty;
  if (Window != 0 && key + keys <= first_key<Window>(row, diagonal))
    return TileKind::Empty;
  if (key + keys > kv_len || (Causal && key + keys - 1 > row + diagonal) ||
      (Window != 0 && key < first_key<Window>(row + rows - 1, diagonal)))
    return TileKind::Edge;
  return TileKind::Full;
}

/// The score that enters softmax for (i, j), from the bare product s.
/// `Edge`: i or j may be out of range, above the causal diagonal, or before the window. The generated
/// functions see the nearest index in range instead, and the result is dropped. `kept`: what KeptKeys
/// says of the key; masks that look at the query, too, are asked here.
template <typename Score, bool Edge>
__device__ inline float masked_score(const Score &score, float s, float scale, int b, int h, int i, int j,
                                     int q_len, int kv_len, bool kept) {
  // Rows beyond q_len can be in any tile of the last block; keys beyond kv_len are in edge tiles alone.
  const int i_safe = i < q_len ? i : q_len - 1;
  const int j_safe = Edge && j >= kv_len ? kv_len - 1 : j;
  if constexpr (Score::kHasScore)
    s = score.score(s * scale, b, h, i_safe, j_safe);
  bool keep = kept;
  if constexpr (Edge)
    keep = keep && j < kv_len && (!Score::kCausal || j <= i + kv_len - q_len) &&
           (AttentionWindow<Score>::kKeys == 0 || i + kv_len - q_len - j < AttentionWindow<Score>::kKeys);
  if constexpr (Score::kHasMask && !AttentionKeyMask<Score>::kOnly)
    keep = keep & score.keep(b, h, i_safe, j_safe);
  return keep ? s : -INFINITY;
}

/// Softmax statistics of one row: what has been summed so far is sum * 2^maximum, or sum * e^maximum with
/// kNaturalScores.
struct RowState {
  float maximum; // -inf until a key has been seen
  float sum;     // this thread's share; shares are added at the end
};

/// The exponential of a score that is `difference` above the reference, in the units of AttentionScale.
template <bool Natural>
__device__ inline float softmax_exponential(float difference) {
  return exp2_approx(Natural ? difference * kLog2E : difference);
}

/// Takes a tile's largest score (times the exponent factor) into the state and returns what earlier sums must
/// be multiplied by. `reference` receives the value to subtract from the exponents: the maximum, or 0 where
/// no key has been seen, so that -inf - (-inf) does not occur.
template <bool Natural>
__device__ inline float advance_row(RowState &state, float tile_maximum, float &reference) {
  const float maximum = fmaxf(state.maximum, tile_maximum);
  reference = maximum == -INFINITY ? 0.0f : maximum;
  const float correction = softmax_exponential<Natural>(state.maximum - reference);
  state.maximum = maximum;
  state.sum *= correction;
  return correction;
}

/// 1 / sum, or 0 for a row without keys.
__device__ inline float row_normaliser(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

/// Numbers of each of the statistics.
template <typename Params>
__device__ inline long long statistic_rows(const Params &p) {
  return (long long)p.batch * p.heads * p.q_len;
}

/// What a stored maximum is in the exponents of softmax_exponential.
template <bool Natural>
__device__ inline float softmax_reference(float maximum) {
  return Natural ? maximum : maximum * kLog2E;
}

/// Stores the statistics of row i of a batch and head, whose whole sum `state` has.
template <bool Natural, typename Params>
__device__ inline void store_statistics(const Params &p, int b, int h, int i, const RowState &state) {
  float maximum = state.maximum, normaliser = row_normaliser(state.sum);
  if (normaliser == 0.0f) {
    maximum = 0.0f;
  } else if (!Natural) {
    // The sum is made relative to what a reader of the rounded maximum will subtract.
    maximum *= kLn2;
    normaliser *= exp2f(softmax_reference<Natural>(maximum) - state.maximum);
  }
  float *target = p.statistics + ((long long)b * p.heads + h) * p.q_len + i;
  target[0] = maximum;
  target[statistic_rows(p)] = normaliser;
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_COMMON_CUH
