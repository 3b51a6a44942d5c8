// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward attention in true float32 (fused multiply-adds, no tf32). Interface and formula:
// attention_common.cuh.
//
// A block of `Warps` warps computes TileM queries of one head; each warp owns 32 of them, or 16 of wide
// heads, whose sums fill the registers, from the first product to the output. Keys and values pass through
// shared memory in tiles of TileN (32, 64 or 128).
//
// Both products are made of outer products from shared memory: per step a lane reads 8 values of one operand
// and up to 8 (or 16) of the other as float4 and does 64 (or 128) multiply-adds with them. A ratio of about
// 16 multiply-adds for one 16-byte load is what keeps the arithmetic, and not shared memory, the limit. It
// needs operands that are contiguous in the dimension that is *not* summed over, so Q and K are transposed on
// their way in, and P on its way out of registers:
//
//   Q [HeadDim][TileM + 4]          floats; [c][query]
//   K [HeadDim][TileN + 4]          [c][key]
//   V [TileN][kStrideV]             as it is
//   P [Warps][TileN][32 + 4]        [key][query of the warp]; or [16 + 4]
//
// Lanes: rm = lane % 4 chooses queries 4 rm + {0..3} and (of 32) 16 + 4 rm + {0..3} of the warp's, in both
// products, so that a row's maximum and corrections stay in the registers of the eight lanes that share rm.
// kn = lane / 4 chooses in the first product keys 4 kn + {0..3}, and the same + 32, 64, 96 as far as TileN
// goes. In the second, kn = column_lane + kColumnLanes * group: one of kColumnLanes interleaved sets of value
// columns, and a share of the keys. Where ValueDim is small, the eight lanes outnumber the columns, and
// kGroups groups of lanes each take every kGroups-th block of four keys; their accumulators are added once,
// at the end.
//
// What a row sums over thousands of keys one after the other is off by many roundings, all to one side of the
// gradient: delta is that sum times dO, and shared by a whole row (docs/rationale.md, "What float32 attention
// keeps"). So some keys are summed first, and of these sums the output is made.
//
// Banks (32 of 4 bytes): a float4 read of K covers 8 lanes x 16 bytes in a row, of Q and P 4 x 16 bytes in a
// row (the other lanes read the same words): no conflicts. The transposing copies go 8 columns x 4 rows a
// warp: rows of T + 4 floats put column c into banks 4 c + row. Stores of P go 2 keys blocks x 4 chunks for
// eight lanes: key blocks are 4 x 36 (or 4 x 20) floats apart, which is 16 banks.
//
// Order in time: K of tile t + 1 is copied while P V of tile t is computed, V of tile t while Q K^T is; so
// one buffer for each is enough, with two barriers for a tile:
//   wait for K; barrier (V's buffer is free, K is there); start V; Q K^T; softmax; P
//   wait for V; barrier (K's buffer is free, V is there); start the next K; P V

#ifndef HEDDLE_DEVICE_ATTENTION_FORWARD_SIMT_CUH
#define HEDDLE_DEVICE_ATTENTION_FORWARD_SIMT_CUH

#include "async.cuh"
#include "attention_common.cuh"
#include "reduce.cuh"
#include "simt_tiles.cuh"

namespace heddle {

/// Sizes that follow from a choice of tile.
template <int HeadDim, int ValueDim, int TileM, int TileN, int Warps>
struct AttentionSimtShape {
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "columns go by eight");
  static_assert(TileM == 32 * Warps || TileM == 16 * Warps, "a warp owns 32 or 16 queries");
  static_assert(TileN == 32 || TileN == 64 || TileN == 128, "eight lanes share a row's keys by fours");

  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kWarpRows = TileM / Warps;
  static constexpr int kRows = kWarpRows / 4; // queries of a lane
  static constexpr int kKeys = TileN / 8;     // keys of a lane in the first product
  static constexpr int kColumnLanes = ValueDim <= 16 ? 2 : ValueDim <= 32 ? 4 : 8;
  static constexpr int kGroups = 8 / kColumnLanes;
  static constexpr int kColumns = round_up(ceil_div(ValueDim, kColumnLanes), 2); // value columns of a lane
  static constexpr int kColumnVector = kColumns % 4 == 0 ? 4 : 2;                // read at once
  static constexpr int kDimV = kColumnLanes * kColumns;
  // Keys of a tile that a lane sums over, and of these the ones that are summed by themselves: a sixteenth
  // of the multiply-adds are additions then, and zeros.
  static constexpr int kLaneKeys = TileN / kGroups;
  static constexpr int kSumKeys = kLaneKeys < 32 ? kLaneKeys : 32;
  // Columns that are summed at a time: their sums take the registers that the tile's scores had, and no more.
  static constexpr int kSumColumns =
      kRows * kColumns <= 80 ? kColumns : (kColumnVector == 4 ? 64 : 48) / kRows;
  static constexpr int kStrideQ = TileM + 4;
  static constexpr int kStrideK = TileN + 4;
  // Groups read rows four apart: four rows should be an odd multiple of 16 banks apart.
  static constexpr int kStrideV = kGroups > 1 && kDimV % 8 == 0 ? kDimV + 4 : kDimV;
  static constexpr int kStrideP = kWarpRows + 4;
  static constexpr int kSharedBytes =
      4 * (HeadDim * (kStrideQ + kStrideK) + TileN * kStrideV + Warps * TileN * kStrideP);
};

/// Starts copying rows [0, valid) of `Columns` floats into target[column * Stride + row], and zeros for rows
/// [valid, Rows). Eight lanes read 32 bytes of one row.
template <int Rows, int Columns, int Stride, int Threads>
__device__ inline void copy_transposed(float *target, const float *source, long long row_stride, int valid) {
  constexpr int kRowsAtOnce = Threads / 8;
  const int column = threadIdx.x % 8;
  const int first = threadIdx.x / 8;
  const float *from = source + first * row_stride + column;
  float *to = target + column * Stride + first;
#pragma unroll
  for (int r = 0; r < ceil_div(Rows, kRowsAtOnce); ++r) {
    const int row = first + r * kRowsAtOnce;
    if (Rows % kRowsAtOnce == 0 || row < Rows) {
      const float *row_from = row < valid ? from + r * kRowsAtOnce * row_stride : source;
#pragma unroll
      for (int c = 0; c < Columns; c += 8)
        cp_async_4(to + c * Stride + r * kRowsAtOnce, row_from + c, row < valid);
    }
  }
}

/// Turns a lane's scores into exponentials and brings sums and accumulators up to date.
template <bool Natural, int Rows, int Keys, int Columns>
__device__ inline void simt_softmax(float (&s)[Rows][Keys], float (&out)[Rows][Columns],
                                    RowState (&rows)[Rows], float exponent) {
  float correction[Rows];
  bool changed = false;
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    float maximum = s[r][0];
#pragma unroll
    for (int k = 1; k < Keys; ++k)
      maximum = fmaxf(maximum, s[r][k]);
    // The row's other keys are with the lanes of the same rm: strides 4, 8, 16.
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 4));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 8));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 16));
    float reference;
    correction[r] = advance_row<Natural>(rows[r], maximum * exponent, reference);
    changed |= correction[r] != 1.0f;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < Keys; ++k) {
      s[r][k] = softmax_exponential<Natural>(fmaf(s[r][k], exponent, -reference));
      sum += s[r][k];
    }
    rows[r].sum += sum;
  }
  // After the first few tiles the maxima rarely move; a factor of exactly 1 changes nothing.
  if (__any_sync(0xffffffffu, changed)) {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int c = 0; c < Columns; ++c)
        out[r][c] *= correction[r];
  }
}

/// part[r][c] = sum over kSumKeys of the lane's keys of weights[key][r] * values[key][c].
template <typename Shape, int Rows, int Columns>
__device__ inline void simt_sum_keys(float (&part)[Rows][Columns], const float *weights,
                                     const float *values) {
  constexpr int kWidth = Shape::kColumnVector;
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int c = 0; c < Columns; ++c)
      part[r][c] = 0.0f;
#pragma unroll 2
  for (int block = 0; block < Shape::kSumKeys / 4; ++block) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      float a[Rows], b[Columns];
      read_chunks<Rows, 4, 16>(a, weights + j * Shape::kStrideP);
      read_chunks<Columns, kWidth, kWidth * Shape::kColumnLanes>(b, values + j * Shape::kStrideV);
      outer_product(part, a, b);
    }
    weights += 4 * Shape::kGroups * Shape::kStrideP;
    values += 4 * Shape::kGroups * Shape::kStrideV;
  }
}

/// sums[r][First + c] += part[r][c].
template <int First, int Rows, int All, int Columns>
__device__ inline void add_columns(float (&sums)[Rows][All], const float (&part)[Rows][Columns]) {
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int c = 0; c < Columns; ++c)
      sums[r][First + c] += part[r][c];
}

/// out[r][c] += sum over the lane's keys of weights[key][r] * values[key][c], from column First on.
template <typename Shape, int First = 0, int Rows, int All>
__device__ inline void simt_add_values(float (&out)[Rows][All], const float *weights, const float *values) {
  constexpr int kColumns = All - First < Shape::kSumColumns ? All - First : Shape::kSumColumns;
  const float *columns = values + First * Shape::kColumnLanes;
#pragma unroll 1
  for (int keys = 0; keys < Shape::kLaneKeys; keys += Shape::kSumKeys) {
    float part[Rows][kColumns];
    simt_sum_keys<Shape>(part, weights + keys * Shape::kGroups * Shape::kStrideP,
                         columns + keys * Shape::kGroups * Shape::kStrideV);
    add_columns<First>(out, part);
  }
  if constexpr (First + kColumns < All)
    simt_add_values<Shape, First + kColumns>(out, weights, values);
}

/// The whole kernel. T: float.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, typename Score,
          bool Aligned = true>
__device__ inline void attention_forward(const AttentionParams<T> &p, const Score &score) {
  using Shape = AttentionSimtShape<HeadDim, ValueDim, TileM, TileN, Warps>;
  constexpr int kRows = Shape::kRows;
  constexpr int kKeys = Shape::kKeys;
  constexpr int kColumns = Shape::kColumns;
  constexpr int kWidth = Shape::kColumnVector;
  constexpr int kThreads = Shape::kThreads;
  float *shared_q = reinterpret_cast<float *>(dynamic_shared());
  float *shared_k = shared_q + HeadDim * Shape::kStrideQ;
  float *shared_v = shared_k + HeadDim * Shape::kStrideK;

  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const int rm = lane % 4;
  const int kn = lane / 4;
  const int column_lane = kn % Shape::kColumnLanes;
  const int group = kn / Shape::kColumnLanes;
  float *warp_p = shared_v + TileN * Shape::kStrideV + warp * TileN * Shape::kStrideP;

  const AttentionWork work = attention_work<T, HeadDim, ValueDim, TileM, Score::kCausal>(p, int(blockIdx.x));
  const int diagonal = p.kv_len - p.q_len;
  const int kv_head = work.head / (p.heads / p.kv_heads);
  const float *q = p.q + work.batch * p.q_batch + work.head * p.q_head + work.first_row * p.q_row;
  const float *k = p.k + work.batch * p.k_batch + kv_head * p.k_head;
  const float *v = p.v + work.batch * p.v_batch + kv_head * p.v_head;

  // Keys that the tile's last query sees, and with them every earlier one; under a window, from the first one
  // that the first query sees.
  constexpr int kWindow = AttentionWindow<Score>::kKeys;
  int keys = p.kv_len;
  if (Score::kCausal)
    keys = min(keys, min(work.first_row + TileM, p.q_len) + diagonal);
  const int tiles = keys > 0 ? ceil_div(keys, TileN) : 0;
  const int first_tile = first_key<kWindow>(work.first_row, diagonal) / TileN;

  // Value columns beyond ValueDim: no copy touches them, their sums are never stored.
  if constexpr (ValueDim < Shape::kDimV) {
    for (int i = threadIdx.x; i < TileN * (Shape::kDimV - ValueDim); i += kThreads)
      shared_v[i / (Shape::kDimV - ValueDim) * Shape::kStrideV + ValueDim + i % (Shape::kDimV - ValueDim)] =
          0.0f;
  }
  copy_transposed<TileM, HeadDim, Shape::kStrideQ, kThreads>(shared_q, q, p.q_row, p.q_len - work.first_row);
  if (tiles > first_tile) {
    const int key = first_tile * TileN;
    copy_transposed<TileN, HeadDim, Shape::kStrideK, kThreads>(shared_k, k + key * p.k_row, p.k_row,
                                                               p.kv_len - key);
  }
  cp_async_commit();

  const AttentionScale scale = attention_scale<Score, kNaturalScores<Score, T>>(p.scale);
  if (scale.q_factor != 1.0f) { // rare: the sign of a negative scale, see AttentionScale
    cp_async_wait<0>();
    __syncthreads();
    for (int i = threadIdx.x; i < HeadDim * TileM; i += kThreads)
      shared_q[i / TileM * Shape::kStrideQ + i % TileM] *= scale.q_factor;
  }

  const int first_row = work.first_row + warp * Shape::kWarpRows;
  float out[kRows][kColumns];
  RowState rows[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    rows[r] = RowState{-INFINITY, 0.0f};
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
      out[r][c] = 0.0f;
  }

  for (int tile = first_tile; tile < tiles; ++tile) {
    const int key = tile * TileN;
    cp_async_wait<0>();
    __syncthreads();
    copy_straight<TileN, ValueDim, Shape::kStrideV, kThreads, Aligned>(shared_v, v + key * p.v_row, p.v_row,
                                                                       p.kv_len - key);
    cp_async_commit();

    const TileKind kind =
        classify_tile<Score::kCausal, kWindow>(first_row, Shape::kWarpRows, key, TileN, p.kv_len, diagonal);
    if (kind != TileKind::Empty) {
      const auto kept = kept_keys<TileN>(score, work.batch, work.head, key, p.kv_len, lane);
      float s[kRows][kKeys];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int n = 0; n < kKeys; ++n)
          s[r][n] = 0.0f;
      const float *q_lane = shared_q + warp * Shape::kWarpRows + rm * 4;
      const float *k_lane = shared_k + kn * 4;
#pragma unroll 8
      for (int c = 0; c < HeadDim; ++c) {
        float a[kRows], b[kKeys];
        read_chunks<kRows, 4, 16>(a, q_lane + c * Shape::kStrideQ);
        read_chunks<kKeys, 4, 32>(b, k_lane + c * Shape::kStrideK);
        outer_product(s, a, b);
      }

      const auto apply = [&](auto edge) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          const int i = opaque(first_row + rm * 4) + r / 4 * 16 + r % 4;
          const int lane_key = opaque(key + kn * 4);
#pragma unroll
          for (int n = 0; n < kKeys; ++n)
            s[r][n] = masked_score<Score, decltype(edge)::value>(
                score, s[r][n], p.scale, work.batch, work.head, i, lane_key + n / 4 * 32 + n % 4, p.q_len,
                p.kv_len, kept.keeps(n / 4 * 32 + n % 4, kn * 4));
          // Nothing of the generated functions moves to another row: else all of a tile's loads are started,
          // and all addresses computed, at once, and the registers that wait for them spill.
          if (Score::kHasMask || Score::kHasScore)
            __syncwarp();
        }
      };
      if (kind == TileKind::Edge)
        apply(BoolConstant<true>{});
      else if constexpr (Score::kHasMask || Score::kHasScore) {
        if (Score::kHasScore || !kept.all())
          apply(BoolConstant<false>{});
      }

      simt_softmax<kNaturalScores<Score, T>>(s, out, rows, scale.exponent);
#pragma unroll
      for (int n = 0; n < kKeys; ++n) {
#pragma unroll
        for (int r = 0; r < kRows; r += 4) {
          const Vec<float, 4> chunk = {s[r][n], s[r + 1][n], s[r + 2][n], s[r + 3][n]};
          chunk.store(warp_p + (n / 4 * 32 + kn * 4 + n % 4) * Shape::kStrideP + r * 4 + rm * 4);
        }
      }
    }

    // Also orders the warp's stores of P before its reads.
    cp_async_wait<0>();
    __syncthreads();
    if (tile + 1 < tiles) {
      copy_transposed<TileN, HeadDim, Shape::kStrideK, kThreads>(shared_k, k + (key + TileN) * p.k_row,
                                                                 p.k_row, p.kv_len - key - TileN);
    }
    cp_async_commit();

    if (kind != TileKind::Empty) {
      const float *p_lane = warp_p + group * 4 * Shape::kStrideP + rm * 4;
      const float *v_lane = shared_v + group * 4 * Shape::kStrideV + column_lane * kWidth;
      simt_add_values<Shape>(out, p_lane, v_lane);
    }
  }

  // Shares of the sums lie with all eight lanes of an rm, shares of the accumulators with the groups.
  float *out_base = p.out + work.batch * p.out_batch + work.head * p.out_head + first_row * p.out_row;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
#pragma unroll
    for (int distance = 4; distance < kWarpSize; distance *= 2)
      rows[r].sum += __shfl_xor_sync(0xffffffffu, rows[r].sum, distance);
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
#pragma unroll
      for (int distance = 4 * Shape::kColumnLanes; distance < kWarpSize; distance *= 2)
        out[r][c] += __shfl_xor_sync(0xffffffffu, out[r][c], distance);

    const int row = r / 4 * 16 + rm * 4 + r % 4;
    if (first_row + row >= p.q_len || group != 0)
      continue;
    if (p.statistics && column_lane == 0)
      store_statistics<kNaturalScores<Score, T>>(p, work.batch, work.head, first_row + row, rows[r]);
    // A quotient and not a product with what the statistics round: delta is then the mean by these weights,
    // whatever their sum was rounded to.
    const float divisor = rows[r].sum == 0.0f ? 1.0f : rows[r].sum;
#pragma unroll
    for (int c = 0; c < kColumns; c += kWidth) {
      const int column = c * Shape::kColumnLanes + column_lane * kWidth;
      if (column >= ValueDim) // ValueDim is a multiple of 8, so that chunks are never cut
        continue;
      float *target = out_base + row * p.out_row + column;
      Vec<float, kWidth> chunk;
#pragma unroll
      for (int e = 0; e < kWidth; ++e)
        chunk[e] = out[r][c + e] / divisor;
      if constexpr (Aligned) {
        chunk.store(target);
      } else {
#pragma unroll
        for (int e = 0; e < kWidth; ++e)
          target[e] = chunk[e];
      }
    }
  }
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_FORWARD_SIMT_CUH
