// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward attention for bf16 and f16 on the tensor cores through mma.sync (sm_80 and later). Interface and
// formula: attention_common.cuh.
//
// A block of `Warps` warps computes TileM queries of one head; each warp owns TileM / Warps of them (16 or
// 32) from the first product to the output, so that softmax never leaves a warp. Keys and values stream
// through shared memory in tiles of TileN, two stages deep: while tile t is used, cp.async brings t + 1, with
// one barrier for a tile.
//
// Per warp and tile:
//   S = Q K^T                    Q fragments in registers where they fit, else by ldmatrix as K's are
//   P = 2^(S * exponent - max)   rounded to T in registers: the accumulator layout of the first product is
//                                the A-fragment layout of the second
//   O = O * correction + P V     V by ldmatrix.trans
// The correction is left out where no maximum of the warp's rows has moved.
// Owning 32 rows lets each K and V fragment serve two mma: with 16 rows, ldmatrix alone would saturate shared
// memory.
//
// Shared memory, elements of T; rows of 16-byte chunks, padded by one chunk:
//   Q [TileM][kStrideQ]            reused by the warp that owns the rows to hand its output out in whole rows
//   K [2][TileN][kStrideK]
//   V [2][TileN][kStrideV]
//   MmaBlock
// ldmatrix reads eight rows at one column: their chunks fall into eight different bank groups because a row
// holds an odd number of chunks (kDim / 8 is even, plus one). Columns HeadDim..kDim - 1 (head sizes that are
// no multiple of 16) are zeroed once; no copy touches them. Rows past the end are filled with zeros by every
// copy.

#ifndef HEDDLE_DEVICE_ATTENTION_FORWARD_MMA_CUH
#define HEDDLE_DEVICE_ATTENTION_FORWARD_MMA_CUH

#include "async.cuh"
#include "attention_common.cuh"
#include "mma_tiles.cuh"
#include "reduce.cuh"

namespace heddle {

/// Sizes that follow from a choice of tile.
template <int HeadDim, int ValueDim, int TileM, int TileN, int Warps>
struct AttentionMmaShape {
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "rows of 16-byte chunks");
  static_assert(TileM == 16 * Warps || TileM == 32 * Warps, "a warp owns 16 or 32 queries");
  static_assert(TileN % 16 == 0, "the second product takes keys by 16");

  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kRowBlocks = TileM / (16 * Warps); // blocks of 16 queries of a warp
  static constexpr int kDimK = round_up(HeadDim, 16);
  static constexpr int kDimV = round_up(ValueDim, 16);
  static constexpr int kStrideK = kDimK + 8;
  static constexpr int kStrideV = kDimV + 8;
  static constexpr int kStrideQ = kStrideK > kStrideV ? kStrideK : kStrideV;
  static constexpr int kStages = 2;
  // 32-bit registers of a lane for S, O and all Q fragments.
  static constexpr int kFragments = kRowBlocks * (TileN / 2 + kDimV / 2 + kDimK / 4);
  static constexpr int kElements = TileM * kStrideQ + kStages * TileN * (kStrideK + kStrideV);
  static constexpr int kSharedBytes = 2 * kElements + 32; // and MmaBlock
};

/// What all threads need once in a tile, or once at the end: with S and O filling the registers, it waits in
/// shared memory.
template <typename T>
struct alignas(16) MmaBlock {
  const T *k; // of the block's batch and kv head
  const T *v;
  AttentionWork work;
};

/// What a warp carries over the tiles: `RowBlocks` times 16 rows. A lane holds rows g and g + 8 of each block
/// (g = lane / 4), and of the accumulators columns 8 n + 2 (lane % 4) + {0, 1}: element [n][2 * half + pair].
template <int RowBlocks, int DimV>
struct MmaAccumulators {
  float out[RowBlocks][DimV / 8][4];
  RowState rows[RowBlocks][2];
};

/// S = Q K^T for one warp and one tile of keys.
template <typename T, typename Shape, int TileN, bool QueryInRegisters>
__device__ inline void
mma_scores(float (&s)[Shape::kRowBlocks][TileN / 8][4], const T *q, const T *k,
           const unsigned int (&q_registers)[Shape::kRowBlocks][Shape::kDimK / 16][4]) {
  const int lane = threadIdx.x % kWarpSize;
  // ldmatrix rows for Q: matrices (rows 0..7, k 0..7), (8..15, 0..7), (0..7, 8..15), (8..15, 8..15).
  const T *q_lane = q + (lane % 16) * Shape::kStrideQ + lane / 16 * 8;
  // For K: (keys 0..7, k 0..7), (keys 0..7, k 8..15), then keys 8..15: two n-blocks' b0, b1 at once.
  const T *k_lane = k + (lane / 16 * 8 + lane % 8) * Shape::kStrideK + lane / 8 % 2 * 8;
#pragma unroll
  for (int r = 0; r < Shape::kRowBlocks; ++r)
#pragma unroll
    for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        s[r][n][e] = 0.0f;
#pragma unroll
  for (int c = 0; c < Shape::kDimK / 16; ++c) {
    unsigned int a[Shape::kRowBlocks][4];
#pragma unroll
    for (int r = 0; r < Shape::kRowBlocks; ++r) {
      if constexpr (QueryInRegisters) {
#pragma unroll
        for (int e = 0; e < 4; ++e)
          a[r][e] = q_registers[r][c][e];
      } else {
        ldmatrix_x4(a[r], q_lane + r * 16 * Shape::kStrideQ + c * 16);
      }
    }
#pragma unroll
    for (int n = 0; n < TileN / 16; ++n) {
      unsigned int b[4];
      ldmatrix_x4(b, k_lane + n * 16 * Shape::kStrideK + c * 16);
#pragma unroll
      for (int r = 0; r < Shape::kRowBlocks; ++r) {
        mma_16x8x16<T>(s[r][2 * n], a[r], b[0], b[1]);
        mma_16x8x16<T>(s[r][2 * n + 1], a[r], b[2], b[3]);
      }
    }
  }
}

/// O += P V for one warp and one tile, P the exponentials in the accumulator layout of mma_scores.
template <typename T, typename Shape, int TileN>
__device__ inline void mma_values(float (&out)[Shape::kRowBlocks][Shape::kDimV / 8][4],
                                  const float (&p)[Shape::kRowBlocks][TileN / 8][4], const T *v) {
  const int lane = threadIdx.x % kWarpSize;
  // Transposed: (keys 0..7, columns 0..7), (keys 8..15, columns 0..7), then columns 8..15.
  const T *v_lane = v + (lane % 16) * Shape::kStrideV + lane / 16 * 8;
#pragma unroll
  for (int c = 0; c < TileN / 16; ++c) {
    unsigned int a[Shape::kRowBlocks][4];
#pragma unroll
    for (int r = 0; r < Shape::kRowBlocks; ++r) {
      a[r][0] = pack_pair<T>(p[r][2 * c][0], p[r][2 * c][1]);
      a[r][1] = pack_pair<T>(p[r][2 * c][2], p[r][2 * c][3]);
      a[r][2] = pack_pair<T>(p[r][2 * c + 1][0], p[r][2 * c + 1][1]);
      a[r][3] = pack_pair<T>(p[r][2 * c + 1][2], p[r][2 * c + 1][3]);
    }
#pragma unroll
    for (int n = 0; n < Shape::kDimV / 16; ++n) {
      unsigned int b[4];
      ldmatrix_x4_trans(b, v_lane + c * 16 * Shape::kStrideV + n * 16);
#pragma unroll
      for (int r = 0; r < Shape::kRowBlocks; ++r) {
        mma_16x8x16<T>(out[r][2 * n], a[r], b[0], b[1]);
        mma_16x8x16<T>(out[r][2 * n + 1], a[r], b[2], b[3]);
      }
    }
  }
}

/// Turns scores into exponentials and brings sums and accumulators up to date. A row's scores lie in the four
/// lanes of a quad.
template <bool Natural, typename Accumulators, int RowBlocks, int Blocks>
__device__ inline void mma_softmax(float (&s)[RowBlocks][Blocks][4], Accumulators &acc, float exponent) {
  float correction[RowBlocks][2];
  bool changed = false;
#pragma unroll
  for (int r = 0; r < RowBlocks; ++r) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float maximum = s[r][0][2 * half];
#pragma unroll
      for (int n = 0; n < Blocks; ++n)
        maximum = fmaxf(maximum, fmaxf(s[r][n][2 * half], s[r][n][2 * half + 1]));
      maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 1));
      maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 2));
      float reference;
      correction[r][half] = advance_row<Natural>(acc.rows[r][half], maximum * exponent, reference);
      changed |= correction[r][half] != 1.0f;
      float sum = 0.0f;
#pragma unroll
      for (int n = 0; n < Blocks; ++n) {
#pragma unroll
        for (int e = 2 * half; e < 2 * half + 2; ++e) {
          s[r][n][e] = softmax_exponential<Natural>(fmaf(s[r][n][e], exponent, -reference));
          sum += s[r][n][e];
        }
      }
      acc.rows[r][half].sum += sum;
    }
  }
  // After the first few tiles the maxima rarely move; a factor of exactly 1 changes nothing.
  if (__any_sync(0xffffffffu, changed)) {
#pragma unroll
    for (int r = 0; r < RowBlocks; ++r)
#pragma unroll
      for (int n = 0; n < int(sizeof(acc.out[0]) / sizeof(acc.out[0][0])); ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e)
          acc.out[r][n][e] *= correction[r][e / 2];
  }
}

/// Hands out a warp's rows: normalised, rounded, through the warp's own rows of the query tile, then in whole
/// rows.
template <typename Score, typename T, typename Shape, int ValueDim, bool Aligned, typename Accumulators>
__device__ inline void mma_store(Accumulators &acc, T *tile, const AttentionParams<T> &p,
                                 const AttentionWork &work, int first_row) {
  const int lane = threadIdx.x % kWarpSize;
  __syncwarp(); // the warp's last ldmatrix of its queries lies before the stores below
#pragma unroll
  for (int r = 0; r < Shape::kRowBlocks; ++r) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      RowState &state = acc.rows[r][half];
      state.sum = warp_reduce<Add, 4>(state.sum);
      const float normaliser = row_normaliser(state.sum);
      const int row = r * 16 + half * 8 + lane / 4;
#pragma unroll
      for (int n = 0; n < Shape::kDimV / 8; ++n)
        *reinterpret_cast<unsigned int *>(tile + row * Shape::kStrideQ + n * 8 + lane % 4 * 2) =
            pack_pair<T>(acc.out[r][n][2 * half] * normaliser, acc.out[r][n][2 * half + 1] * normaliser);
      if (p.statistics && lane % 4 == 0 && first_row + row < p.q_len)
        store_statistics<kNaturalScores<Score, T>>(p, work.batch, work.head, first_row + row, state);
    }
  }
  __syncwarp();
  T *out = p.out + work.batch * p.out_batch + work.head * p.out_head + first_row * p.out_row;
  constexpr int kChunks = ValueDim / 8;
  for (int i = lane; i < Shape::kRowBlocks * 16 * kChunks; i += kWarpSize) {
    const int row = i / kChunks;
    const int column = (i - row * kChunks) * 8;
    if (first_row + row >= p.q_len)
      break;
    const Vec<T, 8> chunk = Vec<T, 8>::load(tile + row * Shape::kStrideQ + column);
    T *target = out + row * p.out_row + column;
    if constexpr (Aligned) {
      chunk.store(target);
    } else {
#pragma unroll
      for (int e = 0; e < 8; ++e)
        target[e] = chunk[e];
    }
  }
}

/// The whole kernel. T: bf16 or f16.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, typename Score,
          bool Aligned = true>
__device__ inline void attention_forward(const AttentionParams<T> &p, const Score &score) {
  using Shape = AttentionMmaShape<HeadDim, ValueDim, TileM, TileN, Warps>;
  constexpr int kRowBlocks = Shape::kRowBlocks;
  // Q fragments stay in registers where there is room beside S and O; generated functions need some of it.
  constexpr bool kQueryInRegisters = Shape::kFragments <= (Score::kHasMask || Score::kHasScore ? 140 : 160);
  constexpr int kStageK = TileN * Shape::kStrideK;
  constexpr int kStageV = TileN * Shape::kStrideV;
  T *shared_q = reinterpret_cast<T *>(dynamic_shared());
  T *shared_k = shared_q + TileM * Shape::kStrideQ;
  T *shared_v = shared_k + Shape::kStages * kStageK;
  auto *block = reinterpret_cast<MmaBlock<T> *>(shared_q + Shape::kElements);
  static_assert(sizeof(MmaBlock<T>) <= 32 && Shape::kElements % 8 == 0,
                "kSharedBytes counts 32 bytes, aligned to 16");

  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const AttentionWork work = attention_work<T, HeadDim, ValueDim, TileM, Score::kCausal>(p, int(blockIdx.x));
  const int diagonal = p.kv_len - p.q_len;
  const int kv_head = work.head / (p.heads / p.kv_heads);
  const T *q = p.q + work.batch * p.q_batch + work.head * p.q_head + work.first_row * p.q_row;
  const T *k = p.k + work.batch * p.k_batch + kv_head * p.k_head;
  const T *v = p.v + work.batch * p.v_batch + kv_head * p.v_head;

  // Keys that the tile's last query sees, and with them every earlier one; under a window, from the first one
  // that the first query sees.
  constexpr int kWindow = AttentionWindow<Score>::kKeys;
  int keys = p.kv_len;
  if (Score::kCausal)
    keys = min(keys, min(work.first_row + TileM, p.q_len) + diagonal);
  const int tiles = keys > 0 ? ceil_div(keys, TileN) : 0;
  const int first_tile = first_key<kWindow>(work.first_row, diagonal) / TileN;

  zero_padding<HeadDim, Shape::kDimK, Shape::kStrideQ, Shape::kThreads>(shared_q, TileM);
  zero_padding<HeadDim, Shape::kDimK, Shape::kStrideK, Shape::kThreads>(shared_k, Shape::kStages * TileN);
  zero_padding<ValueDim, Shape::kDimV, Shape::kStrideV, Shape::kThreads>(shared_v, Shape::kStages * TileN);

  const auto load_tile = [&](int tile, const T *k, const T *v) {
    const int stage = tile % Shape::kStages;
    const long long key = (long long)tile * TileN;
    const int valid = p.kv_len - tile * TileN;
    copy_rows<TileN, HeadDim, Shape::kStrideK, Shape::kThreads, Aligned>(shared_k + stage * kStageK,
                                                                         k + key * p.k_row, p.k_row, valid);
    copy_rows<TileN, ValueDim, Shape::kStrideV, Shape::kThreads, Aligned>(shared_v + stage * kStageV,
                                                                          v + key * p.v_row, p.v_row, valid);
  };

  copy_rows<TileM, HeadDim, Shape::kStrideQ, Shape::kThreads, Aligned>(shared_q, q, p.q_row,
                                                                       p.q_len - work.first_row);
  if (tiles > first_tile)
    load_tile(first_tile, k, v);
  cp_async_commit();

  if (threadIdx.x == 0)
    *block = MmaBlock<T>{k, v, work};

  const AttentionScale scale = attention_scale<Score, kNaturalScores<Score, T>>(p.scale);
  const int warp_row = warp * kRowBlocks * 16;
  const int first_row = work.first_row + warp_row;
  T *warp_q = shared_q + warp_row * Shape::kStrideQ;
  cp_async_wait<0>();
  __syncthreads();
  if (scale.q_factor != 1.0f) { // rare: the sign of a negative scale, see AttentionScale
    for (int i = lane; i < kRowBlocks * 16 * Shape::kDimK; i += kWarpSize) {
      T *element = warp_q + i / Shape::kDimK * Shape::kStrideQ + i % Shape::kDimK;
      *element = from_float<T>(to_float(*element) * scale.q_factor);
    }
    __syncwarp();
  }
  unsigned int q_registers[kRowBlocks][Shape::kDimK / 16][4];
  if constexpr (kQueryInRegisters) {
#pragma unroll
    for (int r = 0; r < kRowBlocks; ++r)
#pragma unroll
      for (int c = 0; c < Shape::kDimK / 16; ++c)
        ldmatrix_x4(q_registers[r][c],
                    warp_q + (r * 16 + lane % 16) * Shape::kStrideQ + c * 16 + lane / 16 * 8);
  }

  MmaAccumulators<kRowBlocks, Shape::kDimV> acc;
#pragma unroll
  for (int r = 0; r < kRowBlocks; ++r) {
    acc.rows[r][0] = acc.rows[r][1] = RowState{-INFINITY, 0.0f};
#pragma unroll
    for (int n = 0; n < Shape::kDimV / 8; ++n)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        acc.out[r][n][e] = 0.0f;
  }

  for (int tile = first_tile; tile < tiles; ++tile) {
    if (tile > first_tile) {
      // This thread's copies of the tile are in; after the barrier everybody's are, and nobody reads the
      // other stage.
      cp_async_wait<0>();
      __syncthreads();
    }
    if (tile + 1 < tiles)
      load_tile(tile + 1, block->k, block->v);
    cp_async_commit();

    const int key = tile * TileN;
    const TileKind kind =
        classify_tile<Score::kCausal, kWindow>(first_row, kRowBlocks * 16, key, TileN, p.kv_len, diagonal);
    if (kind == TileKind::Empty)
      continue; // the warp alone; it meets the others at the next barrier
    const auto kept = kept_keys<TileN>(score, block->work.batch, block->work.head, key, p.kv_len, lane);
    const int stage = tile % Shape::kStages;
    float s[kRowBlocks][TileN / 8][4];
    mma_scores<T, Shape, TileN, kQueryInRegisters>(s, warp_q, shared_k + stage * kStageK, q_registers);

    const auto apply = [&](auto edge) {
#pragma unroll
      for (int r = 0; r < kRowBlocks; ++r) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int i = opaque(first_row + lane / 4) + r * 16 + half * 8;
          const int lane_key = opaque(key + lane % 4 * 2);
#pragma unroll
          for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
            for (int pair = 0; pair < 2; ++pair)
              s[r][n][2 * half + pair] = masked_score<Score, decltype(edge)::value>(
                  score, s[r][n][2 * half + pair], p.scale, block->work.batch, block->work.head, i,
                  lane_key + n * 8 + pair, p.q_len, p.kv_len, kept.keeps(n * 8 + pair, lane % 4 * 2));
          // Nothing of the generated functions moves to another row: else all of a tile's loads are started,
          // and all addresses computed, at once, and the registers that wait for them spill.
          if (Score::kHasMask || Score::kHasScore)
            __syncwarp();
        }
      }
    };
    if (kind == TileKind::Edge)
      apply(BoolConstant<true>{});
    else if constexpr (Score::kHasMask || Score::kHasScore) {
      if (Score::kHasScore || !kept.all())
        apply(BoolConstant<false>{});
    }

    mma_softmax<kNaturalScores<Score, T>>(s, acc, scale.exponent);
    mma_values<T, Shape, TileN>(acc.out, s, shared_v + stage * kStageV);
  }
  mma_store<Score, T, Shape, ValueDim, Aligned>(acc, warp_q, p, block->work,
                                                block->work.first_row + warp_row);
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_FORWARD_MMA_CUH
