// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward attention for bf16 and f16 on the tensor cores through mma.sync (sm_80 and later), in two passes:
// keys (dv, dk) and queries (dq), seven products for a tile of scores. Interface and formulas:
// attention_backward_common.cuh.
//
// Both passes are one procedure. A block owns rows of one side, 16 or 32 a warp, and the rows of the other
// side stream through shared memory, two stages deep, `stream` rows at a time:
//
//                          keys                              queries
//   owned   rows 0, 1      K, V                              Q, dO
//   stream  rows 0, 1      Q, dO of all heads of the group   K, V
//   x = owned 0 . stream 0   S^T                             S
//   P = exp(x - m) n       dV += P^T dO  (stream 1)
//   y = owned 1 . stream 1   dP^T                            dP
//   dS = P (y - delta)     dK += dS^T Q  (stream 0)          dQ += dS K  (stream 0)
//
// so that P and dS never leave the warp: the accumulators of the first products, rounded to T, are the left
// fragments of the second ones. A warp goes through the streamed rows by kStep, which leaves its sums
// registers; where there are enough, the fragments of what it owns stay in them, too.
// Above 128 columns the sums of dv and dk are not held together: different blocks compute them, each its own
// scores.
//
// Shared memory, elements of T; rows padded by 16 bytes, as in forward:
//   owned 0 [kOwned][kStrideK], owned 1 [kOwned][kStrideV]
//   stream 0 [kStages][kStream][kStrideK], stream 1 [kStages][kStream][kStrideV]
//   float m, n, delta [kStages][kStream]   keys alone
//   MmaBackwardWork
//
// The bias kernel sums P (y - delta) itself, over batches and heads; nothing streams, and it has one stage.

#ifndef HEDDLE_DEVICE_ATTENTION_BACKWARD_MMA_CUH
#define HEDDLE_DEVICE_ATTENTION_BACKWARD_MMA_CUH

#include "attention_backward_common.cuh"
#include "mma_tiles.cuh"

namespace heddle {

/// Sizes that follow from a choice of tile. `Stages`: buffers of streamed rows.
template <int HeadDim, int ValueDim, int Owned, int Stream, int Warps, int Stages>
struct AttentionBackwardMmaShape {
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "rows of 16-byte chunks");
  static_assert(Owned == 16 * Warps || Owned == 32 * Warps, "a warp owns 16 or 32 rows");
  static_assert(Stream % 16 == 0, "the second products take rows by 16");

  static constexpr int kHeadDim = HeadDim, kValueDim = ValueDim;
  static constexpr int kOwned = Owned, kStream = Stream, kStages = Stages;
  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kRowBlocks = Owned / (16 * Warps);
  static constexpr int kDimK = round_up(HeadDim, 16);
  static constexpr int kDimV = round_up(ValueDim, 16);
  static constexpr int kStrideK = kDimK + 8;
  static constexpr int kStrideV = kDimV + 8;
  static constexpr int kElements = (Owned + Stages * Stream) * (kStrideK + kStrideV);
  static constexpr int kSharedBytes = 2 * kElements + 12 * Stages * Stream + 32; // and MmaBackwardWork
};

/// Which sums a pass makes: P times stream 1 (dv), dS times stream 0 (dk or dq).
template <bool Values, bool Keys>
struct MmaSums {
  static constexpr bool kValues = Values;
  static constexpr bool kKeys = Keys;
};

/// How a warp spends its registers.
template <typename Shape, typename Sums, bool Generated>
struct MmaBackwardPlan {
  static constexpr int kSums =
      Shape::kRowBlocks * ((Sums::kValues ? Shape::kDimV / 2 : 0) + (Sums::kKeys ? Shape::kDimK / 2 : 0));
  // x, y, and P or dS rounded.
  __host__ __device__ static constexpr int cost(int step) { return Shape::kRowBlocks * step * 5 / 4; }
  static constexpr int kLimit = Generated ? 176 : 208;
  __host__ __device__ static constexpr bool fits(int step) {
    return Shape::kStream % step == 0 && kSums + cost(step) <= kLimit;
  }
  static constexpr int kStep = fits(64) ? 64 : fits(32) ? 32 : 16;
  static constexpr bool kOwnedInRegisters =
      kSums + cost(kStep) + Shape::kRowBlocks * (Shape::kDimK + (Sums::kKeys ? Shape::kDimV : 0)) / 4 <=
      kLimit - 16;
};

/// What a block owns and which streamed tiles it meets. With sums filling the registers, it waits in shared
/// memory.
struct alignas(16) MmaBackwardWork {
  int batch;
  int head;       // of the queries, or the kv head of the keys
  int row;        // first owned
  int first, end; // streamed tiles of a head

  __device__ int of_head() const { return end > first ? end - first : 0; }
};

/// Shared memory of a block.
template <typename T, typename Shape>
struct MmaBackwardTiles {
  T *owned0, *owned1, *stream0, *stream1;
  float *maximum, *normaliser, *delta;
  MmaBackwardWork *work;
  __device__ MmaBackwardTiles()
      : owned0(reinterpret_cast<T *>(dynamic_shared())), owned1(owned0 + Shape::kOwned * Shape::kStrideK),
        stream0(owned1 + Shape::kOwned * Shape::kStrideV),
        stream1(stream0 + Shape::kStages * Shape::kStream * Shape::kStrideK),
        maximum(reinterpret_cast<float *>(owned0 + Shape::kElements)),
        normaliser(maximum + Shape::kStages * Shape::kStream),
        delta(normaliser + Shape::kStages * Shape::kStream),
        work(reinterpret_cast<MmaBackwardWork *>(delta + Shape::kStages * Shape::kStream)) {
    static_assert(sizeof(MmaBackwardWork) <= 32 && Shape::kElements % 8 == 0, "kSharedBytes counts 32 bytes");
  }

  __device__ void zero_columns() const {
    constexpr int kStreamed = Shape::kStages * Shape::kStream;
    zero_padding<Shape::kHeadDim, Shape::kDimK, Shape::kStrideK, Shape::kThreads>(owned0, Shape::kOwned);
    zero_padding<Shape::kValueDim, Shape::kDimV, Shape::kStrideV, Shape::kThreads>(owned1, Shape::kOwned);
    zero_padding<Shape::kHeadDim, Shape::kDimK, Shape::kStrideK, Shape::kThreads>(stream0, kStreamed);
    zero_padding<Shape::kValueDim, Shape::kDimV, Shape::kStrideV, Shape::kThreads>(stream1, kStreamed);
  }
};

/// Starts copying queries from `row` on of one head and their gradients.
template <typename Shape, int Rows, bool Aligned, typename T, typename Out>
__device__ inline void mma_copy_queries(T *q, T *dout, const AttentionBackwardParams<T, Out> &p, int b, int h,
                                        int row) {
  copy_rows<Rows, Shape::kHeadDim, Shape::kStrideK, Shape::kThreads, Aligned>(
      q, p.q + b * p.q_batch + h * p.q_head + row * p.q_row, p.q_row, p.q_len - row);
  copy_rows<Rows, Shape::kValueDim, Shape::kStrideV, Shape::kThreads, Aligned>(
      dout, p.dout + b * p.dout_batch + h * p.dout_head + row * p.dout_row, p.dout_row, p.q_len - row);
}

/// The same for keys and values.
template <typename Shape, int Rows, bool Aligned, typename T, typename Out>
__device__ inline void mma_copy_keys(T *k, T *v, const AttentionBackwardParams<T, Out> &p, int b, int kv_head,
                                     int row) {
  copy_rows<Rows, Shape::kHeadDim, Shape::kStrideK, Shape::kThreads, Aligned>(
      k, p.k + b * p.k_batch + kv_head * p.k_head + row * p.k_row, p.k_row, p.kv_len - row);
  copy_rows<Rows, Shape::kValueDim, Shape::kStrideV, Shape::kThreads, Aligned>(
      v, p.v + b * p.v_batch + kv_head * p.v_head + row * p.v_row, p.v_row, p.kv_len - row);
}

/// What a lane needs of the statistics of a warp's queries: by owned row, or in shared memory by streamed
/// row.
template <bool OwnsKeys, int RowBlocks>
struct MmaRowStatistics {
  float reference[RowBlocks][2], normaliser[RowBlocks][2], delta[RowBlocks][2];

  template <typename Score, typename Params>
  __device__ void load(const Params &p, int b, int h, int first_row) {
#pragma unroll
    for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = first_row + r * 16 + half * 8 + int(threadIdx.x) % kWarpSize / 4;
        const long long at = ((long long)b * p.heads + h) * p.q_len + i;
        reference[r][half] = i < p.q_len ? softmax_reference<Score::kHasScore>(p.statistics[at]) : 0.0f;
        normaliser[r][half] = i < p.q_len ? p.statistics[statistic_rows(p) + at] : 0.0f;
        delta[r][half] = i < p.q_len ? p.delta[at] : 0.0f;
      }
  }
};
template <int RowBlocks>
struct MmaRowStatistics<true, RowBlocks> {
  const float *maximum, *normaliser, *delta;
};

/// Turns scores into exponentials: `rounded` receives P in T, as left fragments, and x P times the slope of
/// the score. Owned and streamed rows are those of x's first element of the warp.
template <bool OwnsKeys, typename Score, typename T, int RowBlocks, int Blocks, typename Params>
__device__ inline void mma_probabilities(float (&x)[RowBlocks][Blocks][4],
                                         unsigned int (&rounded)[RowBlocks][Blocks / 2][4],
                                         const Score &score, const Params &p,
                                         const MmaRowStatistics<OwnsKeys, RowBlocks> &statistics,
                                         TileKind kind, int b, int h, int owned_row, int stream_row) {
  const int lane = opaque(threadIdx.x) % kWarpSize;
  const float exponent = p.scale * kLog2E;
  const auto apply = [&](auto edge) {
#pragma unroll
    for (int n = 0; n < Blocks; ++n) {
      float references[2];
      Vec<float, 2> normalisers;
      if constexpr (OwnsKeys) {
        const int at = n * 8 + lane % 4 * 2;
        const Vec<float, 2> maxima = Vec<float, 2>::load(statistics.maximum + at);
        references[0] = softmax_reference<Score::kHasScore>(maxima[0]);
        references[1] = softmax_reference<Score::kHasScore>(maxima[1]);
        normalisers = Vec<float, 2>::load(statistics.normaliser + at);
      }
      const int owned = opaque(owned_row + lane / 4);
      const int stream = opaque(stream_row + lane % 4 * 2) + n * 8;
#pragma unroll
      for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float weights[2];
#pragma unroll
          for (int pair = 0; pair < 2; ++pair) {
            if constexpr (!OwnsKeys) {
              references[pair] = statistics.reference[r][half];
              normalisers[pair] = statistics.normaliser[r][half];
            }
            const int own = owned + r * 16 + half * 8, other = stream + pair;
            float &s = x[r][n][2 * half + pair];
            float slope;
            weights[pair] = probability<Score, Score::kHasScore, decltype(edge)::value>(
                score, s, p.scale, exponent, references[pair], normalisers[pair], b, h,
                OwnsKeys ? other : own, OwnsKeys ? own : other, p.q_len, p.kv_len, slope);
            s = AttentionSlope<Score>::kValue ? weights[pair] * slope : weights[pair];
          }
          rounded[r][n / 2][n % 2 * 2 + half] = pack_pair<T>(weights[0], weights[1]);
        }
      // As in forward: not all of a tile's loads at once.
      if (Score::kHasMask || Score::kHasScore)
        __syncwarp();
    }
  };
  if (kind == TileKind::Edge)
    apply(BoolConstant<true>{});
  else
    apply(BoolConstant<false>{});
}

/// x *= y - delta.
template <bool OwnsKeys, int RowBlocks, int Blocks>
__device__ inline void mma_score_gradients(float (&x)[RowBlocks][Blocks][4],
                                           const float (&y)[RowBlocks][Blocks][4],
                                           const MmaRowStatistics<OwnsKeys, RowBlocks> &statistics) {
  const int lane = opaque(threadIdx.x) % kWarpSize;
#pragma unroll
  for (int n = 0; n < Blocks; ++n) {
    float deltas[2];
    if constexpr (OwnsKeys) {
      const Vec<float, 2> pair = Vec<float, 2>::load(statistics.delta + n * 8 + lane % 4 * 2);
      deltas[0] = pair[0];
      deltas[1] = pair[1];
    }
#pragma unroll
    for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        if constexpr (!OwnsKeys)
          deltas[e % 2] = statistics.delta[r][e / 2];
        x[r][n][e] *= y[r][n][e] - deltas[e % 2];
      }
  }
}

/// Hands out a warp's sums times `factor`: rows [0, valid) of `Columns`.
template <int Columns, bool Aligned, typename Out, int RowBlocks, int Blocks>
__device__ inline void mma_store_sums(const float (&sums)[RowBlocks][Blocks][4], float factor, Out *target,
                                      long long row_stride, int valid) {
  const int lane = opaque(threadIdx.x) % kWarpSize;
#pragma unroll
  for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = r * 16 + half * 8 + lane / 4;
      if (row >= valid)
        continue;
      Out *to = target + row * row_stride + lane % 4 * 2;
#pragma unroll
      for (int n = 0; n < Columns / 8; ++n) {
        Vec<Out, 2> pair;
        pair[0] = from_float<Out>(sums[r][n][2 * half] * factor);
        pair[1] = from_float<Out>(sums[r][n][2 * half + 1] * factor);
        if constexpr (Aligned) {
          pair.store(to + n * 8);
        } else {
          to[n * 8] = pair[0];
          to[n * 8 + 1] = pair[1];
        }
      }
    }
}

/// The keys kernel and the queries kernel.
template <bool OwnsKeys, typename Sums, typename Shape, typename Score, bool Aligned, typename T,
          typename Out>
__device__ inline void mma_backward(const AttentionBackwardParams<T, Out> &p, const Score &score,
                                    const MmaBackwardWork &given) {
  using Plan = MmaBackwardPlan<Shape, Sums, Score::kHasMask || Score::kHasScore>;
  constexpr int kRowBlocks = Shape::kRowBlocks;
  constexpr int kStep = Plan::kStep;
  constexpr int kStream = Shape::kStream;
  const MmaBackwardTiles<T, Shape> tiles;
  const int warp_row = int(threadIdx.x) / kWarpSize * kRowBlocks * 16;
  const MmaBackwardWork &work = *tiles.work;
  if (threadIdx.x == 0)
    *tiles.work = given;
  tiles.zero_columns();
  if constexpr (OwnsKeys)
    mma_copy_keys<Shape, Shape::kOwned, Aligned>(tiles.owned0, tiles.owned1, p, given.batch, given.head,
                                                 given.row);
  else
    mma_copy_queries<Shape, Shape::kOwned, Aligned>(tiles.owned0, tiles.owned1, p, given.batch, given.head,
                                                    given.row);
  const auto load_step = [&](int step, const MmaBackwardWork &work) {
    const int group = p.heads / p.kv_heads;
    const int of_head = work.of_head();
    const int stage = step % Shape::kStages;
    T *rows0 = tiles.stream0 + stage * kStream * Shape::kStrideK;
    T *rows1 = tiles.stream1 + stage * kStream * Shape::kStrideV;
    const int head = step / of_head;
    const int row = (work.first + step - head * of_head) * kStream;
    if constexpr (OwnsKeys) {
      const int h = work.head * group + head;
      mma_copy_queries<Shape, kStream, Aligned>(rows0, rows1, p, work.batch, h, row);
      for (int i = threadIdx.x; i < kStream; i += Shape::kThreads) {
        const bool valid = row + i < p.q_len;
        const long long at = ((long long)work.batch * p.heads + h) * p.q_len + (valid ? row + i : row);
        cp_async_4(tiles.maximum + stage * kStream + i, p.statistics + at, valid);
        cp_async_4(tiles.normaliser + stage * kStream + i, p.statistics + statistic_rows(p) + at, valid);
        cp_async_4(tiles.delta + stage * kStream + i, p.delta + at, valid);
      }
    } else {
      mma_copy_keys<Shape, kStream, Aligned>(rows0, rows1, p, work.batch, work.head / group, row);
    }
  };
  const int steps = given.of_head() * (OwnsKeys ? p.heads / p.kv_heads : 1);
  if (steps > 0)
    load_step(0, given);
  cp_async_commit();

  // An array that a pass does not use takes no registers.
  float values[kRowBlocks][Shape::kDimV / 8][4], keys[kRowBlocks][Shape::kDimK / 8][4];
#pragma unroll
  for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int n = 0; n < Shape::kDimV / 8; ++n)
        values[r][n][e] = 0.0f;
#pragma unroll
      for (int n = 0; n < Shape::kDimK / 8; ++n)
        keys[r][n][e] = 0.0f;
    }
  MmaRowStatistics<OwnsKeys, kRowBlocks> statistics;
  if constexpr (!OwnsKeys)
    statistics.template load<Score>(p, given.batch, given.head, given.row + warp_row);
  const T *owned0 = tiles.owned0 + warp_row * Shape::kStrideK;
  const T *owned1 = tiles.owned1 + warp_row * Shape::kStrideV;
  unsigned int left0[kRowBlocks][Shape::kDimK / 16][4], left1[kRowBlocks][Shape::kDimV / 16][4];

  for (int step = 0; step < steps; ++step) {
    // This thread's copies are in; after the barrier everybody's are, and nobody reads the other stage.
    cp_async_wait<0>();
    __syncthreads();
    if (step + 1 < steps)
      load_step(step + 1, work);
    cp_async_commit();
    if (Plan::kOwnedInRegisters && step == 0) {
      mma_load_left<T, Shape::kDimK, Shape::kStrideK>(left0, owned0);
      if constexpr (Sums::kKeys)
        mma_load_left<T, Shape::kDimV, Shape::kStrideV>(left1, owned1);
    }
    const int stage = step % Shape::kStages;
    const int head = step / work.of_head();
    const int h = OwnsKeys ? work.head * (p.heads / p.kv_heads) + head : work.head;
    const int first = (work.first + step - head * work.of_head()) * kStream;
#pragma unroll 1
    for (int part = 0; part < kStream; part += kStep) {
      const int row = first + part;
      const TileKind kind =
          OwnsKeys
              ? classify_scores<Score>(row, kStep, work.row + warp_row, kRowBlocks * 16, p.q_len, p.kv_len)
              : classify_scores<Score>(work.row + warp_row, kRowBlocks * 16, row, kStep, p.q_len, p.kv_len);
      if (kind == TileKind::Empty)
        continue; // the warp alone; it meets the others at the next barrier
      const T *rows0 = tiles.stream0 + (stage * kStream + part) * Shape::kStrideK;
      const T *rows1 = tiles.stream1 + (stage * kStream + part) * Shape::kStrideV;
      if constexpr (OwnsKeys) {
        statistics.maximum = tiles.maximum + stage * kStream + part;
        statistics.normaliser = tiles.normaliser + stage * kStream + part;
        statistics.delta = tiles.delta + stage * kStream + part;
      }
      float x[kRowBlocks][kStep / 8][4];
      unsigned int rounded[kRowBlocks][kStep / 16][4];
      mma_rows_by_rows<T, Shape::kDimK, Shape::kStrideK, Shape::kStrideK, Plan::kOwnedInRegisters>(
          x, owned0, rows0, left0);
      mma_probabilities<OwnsKeys, Score, T>(x, rounded, score, p, statistics, kind, work.batch, h,
                                            work.row + warp_row, row);
      if constexpr (Sums::kValues)
        mma_add_rows<T, Shape::kStrideV>(values, rounded, rows1);
      if constexpr (Sums::kKeys) {
        float y[kRowBlocks][kStep / 8][4];
        mma_rows_by_rows<T, Shape::kDimV, Shape::kStrideV, Shape::kStrideV, Plan::kOwnedInRegisters>(
            y, owned1, rows1, left1);
        mma_score_gradients<OwnsKeys>(x, y, statistics);
#pragma unroll
        for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
          for (int n = 0; n < kStep / 8; ++n)
#pragma unroll
            for (int half = 0; half < 2; ++half)
              rounded[r][n / 2][n % 2 * 2 + half] = pack_pair<T>(x[r][n][2 * half], x[r][n][2 * half + 1]);
        mma_add_rows<T, Shape::kStrideK>(keys, rounded, rows0);
      }
    }
  }

  __syncthreads(); // the work is written, even if there was no step
  const int row = work.row + warp_row;
  if constexpr (OwnsKeys) {
    if constexpr (Sums::kValues)
      mma_store_sums<Shape::kValueDim, Aligned>(
          values, 1.0f, p.dv + work.batch * p.dv_batch + work.head * p.dv_head + row * p.dv_row, p.dv_row,
          p.kv_len - row);
    if constexpr (Sums::kKeys)
      mma_store_sums<Shape::kHeadDim, Aligned>(
          keys, p.scale, p.dk + work.batch * p.dk_batch + work.head * p.dk_head + row * p.dk_row, p.dk_row,
          p.kv_len - row);
  } else {
    mma_store_sums<Shape::kHeadDim, Aligned>(
        keys, p.scale, p.dq + work.batch * p.dq_batch + work.head * p.dq_head + row * p.dq_row, p.dq_row,
        p.q_len - row);
  }
}

/// Passes of the keys kernel: dv and dk apart where their sums do not fit a thread together.
__host__ __device__ constexpr int attention_keys_passes(int head_dim, int value_dim) {
  return head_dim > 128 || value_dim > 128 ? 2 : 1;
}

/// dk and dv. T: bf16 or f16.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, int Stages, typename Score,
          bool Aligned = true, typename Out = T>
__device__ inline void attention_backward_keys(const AttentionBackwardParams<T, Out> &p, const Score &score) {
  using Shape = AttentionBackwardMmaShape<HeadDim, ValueDim, TileN, TileM, Warps, Stages>;
  constexpr int kPasses = attention_keys_passes(HeadDim, ValueDim);
  const long long pair_bytes =
      (long long)p.heads / p.kv_heads * p.q_len * (HeadDim + ValueDim) * (long long)sizeof(T);
  const int block = int(blockIdx.x) / kPasses;
  // The first keys are seen by most queries.
  const AttentionPlace place =
      attention_place(p.batch * p.kv_heads, ceil_div(p.kv_len, TileN), pair_bytes, block);
  MmaBackwardWork work;
  work.batch = place.pair / p.kv_heads;
  work.head = place.pair - work.batch * p.kv_heads;
  work.row = place.turn * TileN;
  const QueryTiles seen =
      query_tiles<Score, TileM>(work.row, min(TileN, p.kv_len - work.row), p.q_len, p.kv_len);
  work.first = seen.first;
  work.end = seen.end;
  if constexpr (kPasses == 1)
    mma_backward<true, MmaSums<true, true>, Shape, Score, Aligned>(p, score, work);
  else if (blockIdx.x % 2 == 0)
    mma_backward<true, MmaSums<false, true>, Shape, Score, Aligned>(p, score, work);
  else
    mma_backward<true, MmaSums<true, false>, Shape, Score, Aligned>(p, score, work);
}

/// dq.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, int Stages, typename Score,
          bool Aligned = true, typename Out = T>
__device__ inline void attention_backward_queries(const AttentionBackwardParams<T, Out> &p,
                                                  const Score &score) {
  using Shape = AttentionBackwardMmaShape<HeadDim, ValueDim, TileM, TileN, Warps, Stages>;
  const int query_tiles = ceil_div(p.q_len, TileM);
  const long long pair_bytes = (long long)p.kv_len * (HeadDim + ValueDim) * (long long)sizeof(T);
  const AttentionPlace place = attention_place(p.batch * p.heads, query_tiles, pair_bytes, int(blockIdx.x));
  MmaBackwardWork work;
  work.batch = place.pair / p.heads;
  work.head = place.pair - work.batch * p.heads;
  work.row = (Score::kCausal ? query_tiles - 1 - place.turn : place.turn) * TileM;
  const int diagonal = p.kv_len - p.q_len;
  int keys = p.kv_len;
  if (Score::kCausal)
    keys = min(keys, min(work.row + TileM, p.q_len) + diagonal);
  work.first = first_key<AttentionWindow<Score>::kKeys>(work.row, diagonal) / TileN;
  work.end = keys > 0 ? ceil_div(keys, TileN) : 0;
  mma_backward<false, MmaSums<false, true>, Shape, Score, Aligned>(p, score, work);
}

/// The gradient of an additive bias.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, int Stages, typename Score,
          bool Aligned = true, typename Out = T>
__device__ inline void attention_backward_bias(const AttentionBackwardParams<T, Out> &p,
                                               const AttentionBiasGradient &bias, const Score &score) {
  static_assert(!AttentionSlope<Score>::kValue, "the gradient of what score() returns");
  static_assert(Stages == 1, "nothing streams");
  using Shape = AttentionBackwardMmaShape<HeadDim, ValueDim, TileM, TileN, Warps, Stages>;
  constexpr int kRowBlocks = Shape::kRowBlocks;
  const MmaBackwardTiles<T, Shape> tiles;
  const int lane = opaque(threadIdx.x) % kWarpSize;
  const int warp_row = int(threadIdx.x) / kWarpSize * kRowBlocks * 16;
  const AttentionBiasTile tile = bias_tile<TileM, TileN>(p, bias, int(blockIdx.x));
  float sums[kRowBlocks][TileN / 8][4];
#pragma unroll
  for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
    for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        sums[r][n][e] = 0.0f;
  tiles.zero_columns();
  const bool seen =
      classify_scores<Score>(tile.query, TileM, tile.key, TileN, p.q_len, p.kv_len) != TileKind::Empty;
  const TileKind kind =
      classify_scores<Score>(tile.query + warp_row, kRowBlocks * 16, tile.key, TileN, p.q_len, p.kv_len);
  for (int b = tile.first_batch; seen && b < tile.end_batch; ++b)
    for (int h = tile.first_head; h < tile.end_head; ++h) {
      __syncthreads(); // the last pair's tiles are read
      mma_copy_queries<Shape, TileM, Aligned>(tiles.owned0, tiles.owned1, p, b, h, tile.query);
      mma_copy_keys<Shape, TileN, Aligned>(tiles.stream0, tiles.stream1, p, b, h / (p.heads / p.kv_heads),
                                           tile.key);
      cp_async_commit();
      cp_async_wait<0>();
      __syncthreads();
      if (kind == TileKind::Empty)
        continue;
      MmaRowStatistics<false, kRowBlocks> statistics;
      statistics.template load<Score>(p, b, h, tile.query + warp_row);
      float x[kRowBlocks][TileN / 8][4], y[kRowBlocks][TileN / 8][4];
      unsigned int rounded[kRowBlocks][TileN / 16][4], none[1][Shape::kDimK / 16][4],
          none1[1][Shape::kDimV / 16][4];
      mma_rows_by_rows<T, Shape::kDimK, Shape::kStrideK, Shape::kStrideK, false>(
          x, tiles.owned0 + warp_row * Shape::kStrideK, tiles.stream0, none);
      mma_probabilities<false, Score, T>(x, rounded, score, p, statistics, kind, b, h, tile.query + warp_row,
                                         tile.key);
      mma_rows_by_rows<T, Shape::kDimV, Shape::kStrideV, Shape::kStrideV, false>(
          y, tiles.owned1 + warp_row * Shape::kStrideV, tiles.stream1, none1);
      mma_score_gradients<false>(x, y, statistics);
#pragma unroll
      for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
        for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
          for (int e = 0; e < 4; ++e)
            sums[r][n][e] += x[r][n][e];
    }
  float *target = bias.data + tile.first_batch * bias.batch_stride + tile.first_head * bias.head_stride;
#pragma unroll
  for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
    for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = tile.query + warp_row + r * 16 + e / 2 * 8 + lane / 4;
        const int j = tile.key + n * 8 + lane % 4 * 2 + e % 2;
        if (i < p.q_len && j < p.kv_len)
          target[i * bias.row_stride + j] = sums[r][n][e];
      }
}

} // namespace heddle

// Launches, each with 32 * Warps threads, `bytes` of attentionBackwardMmaSharedBytes() and the launch bounds
// of its tile:
//
//   keys     attention_backward_keys<T, HeadDim, ValueDim, tile.tileM, tile.tileN, tile.warps, tile.stages,
//            Score, Aligned, Out>(params, score) with tile = attentionBackwardMmaKeysTile(): batch * kv_heads
//            * ceil(kv_len / tileN) * attention_keys_passes() blocks, bytes of owned tileN, streamed tileM
//   queries  attention_backward_queries<...>(params, score) with attentionBackwardMmaQueriesTile(): batch *
//            heads * ceil(q_len / tileM) blocks, bytes of owned tileM, streamed tileN
//   bias     attention_backward_bias<...>(params, gradient, score) with attentionBackwardMmaBiasTile(), if
//            wanted: gradient.batch * gradient.heads * ceil(q_len / tileM) * ceil(kv_len / tileN) blocks,
//            bytes of owned tileM, streamed tileN
//
// Each of them must be below 2^31 blocks; they run in any order or at once. Whoever launches brings
// params.delta, 4 * batch * heads * q_len bytes. params.turns is not read.

#endif // HEDDLE_DEVICE_ATTENTION_BACKWARD_MMA_CUH
