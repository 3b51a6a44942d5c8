// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backward attention in true float32 (fused multiply-adds, no tf32), in one pass: five products for a tile of
// scores. Interface and formulas: attention_backward_common.cuh.
//
// A block of eight warps owns TileN keys of a kv head and goes over the queries of its group of heads, TileM
// at a time. The warps are two teams of four, which do the same with other operands:
//
//             first team                            second team
//   scores    S = Q K^T                             dP = dO V^T
//   weights   P, through shared memory to both      dS = scale P (dP - delta)
//   sums      dV += P^T dO                          dK += dS^T Q
//   both      dQ += dS K, half of the columns each
//
// so that a lane holds one tile of scores (up to 8x8) and one of sums (64 numbers): a ratio of up to 16
// multiply-adds for one 16-byte load from shared memory, as in forward. All operands lie there once, as they
// are: products that sum over columns (S, dP) read four columns of several rows at a time, those that sum
// over rows (dV, dK) are outer products, dQ is one with four keys of dS at a time.
//
//   Q, K [TileM or TileN][kStrideK]   floats, rows of kDimK columns, zero beyond HeadDim
//   dO, V [TileM or TileN][kStrideV]
//   P, dS [TileM][TileN + 8]          dS holds slopes, where the score has one, until the second team comes
//   rows [3][TileM]                   m, n, delta
//
// Banks (32 of 4 bytes): kStrideK and kStrideV are 4 times an odd number, so that float4 of eight
// neighbouring rows lie in different banks; rows of P are 8 banks apart, where a warp stores 4 rows x 8 keys.
//
// dQ belongs to many blocks. They add to it in memory, and take turns in an order that the sizes give: a
// block adds where the tile's counter says that it is next, and then counts on. Order in time, for one step:
//   wait for Q, dO; barrier (the last step is done: count its tile on); S | dP; P
//   barrier; dS; barrier of the second team; dV | dK; wait for the turn at dQ
//   barrier; start the next Q, dO; load dQ, += dS K, store
//
// A block waits for one other alone, which has drawn its work before and so does not wait for it: without
// kCausal for the key tile before its own, under kCausal, where each begins at its diagonal, for the one
// after, which has been there already. No number of blocks that run at a time is promised, and none is
// needed.

#ifndef HEDDLE_DEVICE_ATTENTION_BACKWARD_SIMT_CUH
#define HEDDLE_DEVICE_ATTENTION_BACKWARD_SIMT_CUH

#include "async.cuh"
#include "attention_backward_common.cuh"
#include "simt_tiles.cuh"

namespace heddle {

/// Sizes that follow from a choice of tile.
template <int HeadDim, int ValueDim, int TileM, int TileN, int Warps>
struct AttentionBackwardSimtShape {
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "columns go by eight");
  static_assert(TileM == 32 || TileM == 64, "the rows of a lane are 2 or 4 in dQ");
  static_assert(TileN == 32 || TileN == 64 || TileN == 128, "the keys of a lane are 4 or 8 in dK");
  static_assert(Warps == 8, "two teams of four");

  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kTeam = kThreads / 2;
  static constexpr int kDimK = round_up(HeadDim, 16);
  static constexpr int kDimV = round_up(ValueDim, 16);
  static constexpr int kStrideK = kDimK + 4;
  static constexpr int kStrideV = kDimV + 4;
  static constexpr int kStrideP = TileN + 8;
  static constexpr int kFloats = (TileM + TileN) * (kStrideK + kStrideV) + 2 * TileM * kStrideP + 3 * TileM;
  static constexpr int kSharedBytes = 4 * kFloats;

  // Scores of a team's four warps: a lane has rows rm + 4 r and keys kn + 8 n of its warp's part, where
  // rm = lane % 4 and kn = lane / 4.
  static constexpr int kKeyWarps = TileN == 128 ? 2 : 1;
  static constexpr int kRowWarps = 4 / kKeyWarps;
  static constexpr int kRows = TileM / (4 * kRowWarps);
  static constexpr int kKeys = TileN / (8 * kKeyWarps);
  // Sums over queries: keys by fours, columns by chunks.
  static constexpr int kSumRowWarps = TileN >= 64 ? 4 : 2;
  static constexpr int kSumColumnWarps = 4 / kSumRowWarps;
  static constexpr int kSumRows = TileN / (4 * kSumRowWarps);
  template <int Dim>
  static constexpr int kSumColumns = Dim / (8 * kSumColumnWarps);
  static constexpr int kMostColumns = kSumColumns<(kDimK > kDimV ? kDimK : kDimV)>;
  // dQ: all eight warps, four by two.
  static constexpr int kQueryRows = TileM / 16;
  static constexpr int kQueryColumns = kDimK / 16;
};

/// Floats that a lane reads at once, of `Columns` that it has.
template <int Columns>
constexpr int kChunk = Columns % 4 == 0   ? 4
                       : Columns % 2 == 0 ? 2
                                          : 1;

/// Generated functions need some of the registers.
template <typename Score>
constexpr int kSimtUnroll = Score::kHasMask || Score::kHasScore ? 1 : 2;

/// x[r][n] = sum over `Columns` of left[4 r][c] * right[8 n][c]. `Unroll`: steps of four columns under way.
template <int Columns, int Stride, int Unroll, int Rows, int Keys>
__device__ inline void simt_scores(float (&x)[Rows][Keys], const float *left, const float *right) {
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int n = 0; n < Keys; ++n)
      x[r][n] = 0.0f;
#pragma unroll(Unroll)
  for (int c = 0; c < Columns; c += 4) {
    Vec<float, 4> a[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      a[r] = Vec<float, 4>::load(left + r * 4 * Stride + c);
#pragma unroll
    for (int n = 0; n < Keys; ++n) {
      const Vec<float, 4> b = Vec<float, 4>::load(right + n * 8 * Stride + c);
#pragma unroll
      for (int e = 0; e < 4; ++e)
#pragma unroll
        for (int r = 0; r < Rows; ++r)
          x[r][n] = fmaf(a[r][e], b[e], x[r][n]);
    }
  }
}

/// Where a lane's sums lie: element [r][c] is key first_row + r / 4 * 16 + r % 4, and column
/// first_column + c / kChunk * 8 * kChunk + c % kChunk.
struct SimtSumPlace {
  int row, column;
};
template <typename Shape, int Dim>
__device__ inline SimtSumPlace simt_sum_place(int warp) {
  const int lane = threadIdx.x % kWarpSize;
  constexpr int kColumns = Shape::template kSumColumns<Dim>;
  return SimtSumPlace{warp / Shape::kSumColumnWarps * 4 * Shape::kSumRows + lane % 4 * 4,
                      warp % Shape::kSumColumnWarps * 8 * kColumns + lane / 4 * kChunk<kColumns>};
}

/// sums[key][c] += sum over TileM of weights[i][key] * rows[i][c]. `warp`: of the team.
template <typename Shape, int TileM, int Dim, int Stride, int Most>
__device__ inline void simt_sums(float (&sums)[Shape::kSumRows][Most], const float *weights,
                                 const float *rows, int warp) {
  constexpr int kColumns = Shape::template kSumColumns<Dim>;
  constexpr int kWidth = kChunk<kColumns>;
  const SimtSumPlace place = simt_sum_place<Shape, Dim>(warp);
  const float *w = weights + place.row, *r = rows + place.column;
#pragma unroll 4
  for (int i = 0; i < TileM; ++i) {
    float a[Shape::kSumRows], b[kColumns];
    read_chunks<Shape::kSumRows, 4, 16>(a, w + i * Shape::kStrideP);
    read_chunks<kColumns, kWidth, 8 * kWidth>(b, r + i * Stride);
#pragma unroll
    for (int n = 0; n < Shape::kSumRows; ++n)
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
        sums[n][c] = fmaf(a[n], b[c], sums[n][c]);
  }
}

/// Hands out a team's sums: rows [0, valid) of `Columns` at target.
template <typename Shape, int Columns, int Dim, bool Aligned, int Most>
__device__ inline void simt_store_sums(const float (&sums)[Shape::kSumRows][Most], float *target,
                                       long long row_stride, int valid, int warp) {
  constexpr int kColumns = Shape::template kSumColumns<Dim>;
  constexpr int kWidth = kChunk<kColumns>;
  const SimtSumPlace place = simt_sum_place<Shape, Dim>(warp);
#pragma unroll
  for (int n = 0; n < Shape::kSumRows; ++n) {
    const int row = place.row + n / 4 * 16 + n % 4;
    if (row >= valid)
      continue;
#pragma unroll
    for (int c = 0; c < kColumns; c += kWidth) {
      const int column = place.column + c * 8;
      if (column >= Columns) // a multiple of 8: chunks are never cut
        continue;
      float *to = target + row * row_stride + column;
      Vec<float, kWidth> chunk;
#pragma unroll
      for (int e = 0; e < kWidth; ++e)
        chunk[e] = sums[n][c + e];
      if constexpr (Aligned) {
        chunk.store(to);
      } else {
#pragma unroll
        for (int e = 0; e < kWidth; ++e)
          to[e] = chunk[e];
      }
    }
  }
}

/// dQ's tile += dS K, in memory. `dq` is its first row, of `valid`; `ds` and `k` are in shared memory.
template <typename Shape, int HeadDim, int TileN, bool Aligned>
__device__ inline void simt_add_queries(float *dq, long long row_stride, int valid, const float *ds,
                                        const float *k) {
  constexpr int kRows = Shape::kQueryRows;
  constexpr int kColumns = Shape::kQueryColumns;
  constexpr int kWidth = kChunk<kColumns>;
  const int warp = threadIdx.x / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const int first_row = warp / 2 * 4 * kRows + lane % 4;
  const int first_column = warp % 2 * 8 * kColumns + lane / 4 * kWidth;
  float sums[kRows][kColumns];
  const auto each_chunk = [&](auto visit) {
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int c = 0; c < kColumns; c += kWidth) {
        const int row = first_row + 4 * r, column = first_column + 8 * c;
        visit(r, c, dq + row * row_stride + column, row < valid && column < HeadDim);
      }
  };
  each_chunk([&](int r, int c, const float *from, bool inside) {
    Vec<float, kWidth> chunk = Vec<float, kWidth>::filled(0.0f);
    if (inside) {
      if constexpr (Aligned) {
        load_fresh(chunk.v, from);
      } else {
#pragma unroll
        for (int e = 0; e < kWidth; ++e) {
          float single[1];
          load_fresh(single, from + e);
          chunk[e] = single[0];
        }
      }
    }
#pragma unroll
    for (int e = 0; e < kWidth; ++e)
      sums[r][c + e] = chunk[e];
  });
#pragma unroll 4
  for (int n = 0; n < TileN; n += 4) {
    Vec<float, 4> a[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      a[r] = Vec<float, 4>::load(ds + (first_row + 4 * r) * Shape::kStrideP + n);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      float b[kColumns];
      read_chunks<kColumns, kWidth, 8 * kWidth>(b, k + (n + e) * Shape::kStrideK + first_column);
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int c = 0; c < kColumns; ++c)
          sums[r][c] = fmaf(a[r][e], b[c], sums[r][c]);
    }
  }
  each_chunk([&](int r, int c, float *to, bool inside) {
    if (!inside)
      return;
    Vec<float, kWidth> chunk;
#pragma unroll
    for (int e = 0; e < kWidth; ++e)
      chunk[e] = sums[r][c + e];
    if constexpr (Aligned) {
      chunk.store(to);
    } else {
#pragma unroll
      for (int e = 0; e < kWidth; ++e)
        to[e] = chunk[e];
    }
  });
}

/// What a block of the keys kernel has to do.
struct SimtKeysWork {
  int batch, kv_head;
  int key;          // first of the tile
  QueryTiles tiles; // of each head
  int steps;        // of all heads of the group: head and tile are step / tiles, step % tiles
};

/// Work `number`, as drawn: pairs (batch, kv head) one after the other. Under kCausal the last keys first.
template <typename Score, int TileM, int TileN, typename Params>
__device__ inline SimtKeysWork simt_keys_work(const Params &p, int number) {
  const int tiles = ceil_div(p.kv_len, TileN);
  const int pair = number / tiles;
  int tile = number - pair * tiles;
  if (Score::kCausal)
    tile = tiles - 1 - tile;
  SimtKeysWork work;
  work.batch = pair / p.kv_heads;
  work.kv_head = pair - work.batch * p.kv_heads;
  work.key = tile * TileN;
  work.tiles = query_tiles<Score, TileM>(work.key, min(TileN, p.kv_len - work.key), p.q_len, p.kv_len);
  const int of_head = work.tiles.end - work.tiles.first;
  work.steps = of_head > 0 ? of_head * (p.heads / p.kv_heads) : 0;
  return work;
}

/// How many others add before this block to the tile of queries that begins with `query`.
template <typename Score, int TileM, int TileN, typename Params>
__device__ inline int simt_turn(const Params &p, const SimtKeysWork &work, int query) {
  if constexpr (Score::kCausal) {
    // Key tiles that the tile's last query sees add from the last one down.
    const int last_key = min(query + TileM, p.q_len) - 1 + p.kv_len - p.q_len;
    return last_key / TileN - work.key / TileN;
  } else {
    return work.key / TileN;
  }
}

/// Shared memory of a block.
template <typename Shape, int TileM, int TileN>
struct SimtBackwardTiles {
  float *q, *dout, *k, *v, *p, *ds, *maximum, *normaliser, *delta;
  __device__ explicit SimtBackwardTiles(float *shared)
      : q(shared), dout(q + TileM * Shape::kStrideK), k(dout + TileM * Shape::kStrideV),
        v(k + TileN * Shape::kStrideK), p(v + TileN * Shape::kStrideV), ds(p + TileM * Shape::kStrideP),
        maximum(ds + TileM * Shape::kStrideP), normaliser(maximum + TileM), delta(normaliser + TileM) {}

  template <int HeadDim, int ValueDim>
  __device__ void zero_columns() const {
    static_assert(Shape::kDimK - HeadDim <= 8 && Shape::kDimV - ValueDim <= 8, "");
    for (int i = threadIdx.x; i < (TileM + TileN) * 8; i += Shape::kThreads) {
      const int row = i / 8 < TileM ? i / 8 : i / 8 - TileM;
      const int column = i % 8;
      if (Shape::kDimK != HeadDim)
        (i / 8 < TileM ? q : k)[row * Shape::kStrideK + HeadDim + column] = 0.0f;
      if (Shape::kDimV != ValueDim)
        (i / 8 < TileM ? dout : v)[row * Shape::kStrideV + ValueDim + column] = 0.0f;
    }
  }

  /// Starts copying queries from `query` on of one head, with their gradients and statistics.
  template <int HeadDim, int ValueDim, bool Aligned, typename Params>
  __device__ void load_queries(const Params &a, int b, int h, int query) const {
    const int valid = a.q_len - query;
    copy_lean<TileM, HeadDim, Shape::kStrideK, Shape::kThreads, Aligned>(
        q, a.q + b * a.q_batch + h * a.q_head + query * a.q_row, a.q_row, valid);
    copy_lean<TileM, ValueDim, Shape::kStrideV, Shape::kThreads, Aligned>(
        dout, a.dout + b * a.dout_batch + h * a.dout_head + query * a.dout_row, a.dout_row, valid);
    const int row = threadIdx.x % TileM;
    const long long at = ((long long)b * a.heads + h) * a.q_len + (row < valid ? query + row : query);
    static_assert(3 * TileM <= Shape::kThreads, "a thread a number");
    if (threadIdx.x < TileM)
      cp_async_4(maximum + row, a.statistics + at, row < valid);
    else if (threadIdx.x < 2 * TileM)
      cp_async_4(normaliser + row, a.statistics + statistic_rows(a) + at, row < valid);
    else if (threadIdx.x < 3 * TileM)
      cp_async_4(delta + row, a.delta + at, row < valid);
  }

  template <int HeadDim, int ValueDim, bool Aligned, typename Params>
  __device__ void load_keys(const Params &a, int b, int kv_head, int key) const {
    const int valid = a.kv_len - key;
    copy_lean<TileN, HeadDim, Shape::kStrideK, Shape::kThreads, Aligned>(
        k, a.k + b * a.k_batch + kv_head * a.k_head + key * a.k_row, a.k_row, valid);
    copy_lean<TileN, ValueDim, Shape::kStrideV, Shape::kThreads, Aligned>(
        v, a.v + b * a.v_batch + kv_head * a.v_head + key * a.v_row, a.v_row, valid);
  }

  /// S in the first team's lanes, dP in the second's.
  template <int HeadDim, int ValueDim, int Unroll>
  __device__ void scores(float (&x)[Shape::kRows][Shape::kKeys], int team, int row, int column) const {
    if constexpr (HeadDim == ValueDim) { // the same code with other addresses
      simt_scores<HeadDim, Shape::kStrideK, Unroll>(x, (team == 0 ? q : dout) + row * Shape::kStrideK,
                                                    (team == 0 ? k : v) + column * Shape::kStrideK);
    } else if (team == 0) {
      simt_scores<HeadDim, Shape::kStrideK, Unroll>(x, q + row * Shape::kStrideK,
                                                    k + column * Shape::kStrideK);
    } else {
      simt_scores<ValueDim, Shape::kStrideV, Unroll>(x, dout + row * Shape::kStrideV,
                                                     v + column * Shape::kStrideV);
    }
  }
};

/// Turns the first team's S into P and slopes, in shared memory.
template <typename Score, typename Shape, int TileM, int TileN, typename Params>
__device__ inline void simt_probabilities(const float (&s)[Shape::kRows][Shape::kKeys], const Score &score,
                                          const Params &p,
                                          const SimtBackwardTiles<Shape, TileM, TileN> &tiles, TileKind kind,
                                          int b, int h, int query, int key, int row, int column) {
  const auto apply = [&](auto edge) {
#pragma unroll
    for (int r = 0; r < Shape::kRows; ++r) {
      const float reference = tiles.maximum[row + 4 * r];
      const float normaliser = tiles.normaliser[row + 4 * r];
      const int i = opaque(query + row) + 4 * r;
      const int first_key = opaque(key + column);
#pragma unroll
      for (int n = 0; n < Shape::kKeys; ++n) {
        const int at = (row + 4 * r) * Shape::kStrideP + column + 8 * n;
        float slope;
        tiles.p[at] = probability<Score, true, decltype(edge)::value>(
            score, s[r][n], p.scale, p.scale, reference, normaliser, b, h, i, first_key + 8 * n, p.q_len,
            p.kv_len, slope);
        if (AttentionSlope<Score>::kValue)
          tiles.ds[at] = slope;
      }
      // As in forward: no row's loads wait in registers for the others.
      if (Score::kHasMask || Score::kHasScore)
        __syncwarp();
    }
  };
  if (kind == TileKind::Full) {
    apply(BoolConstant<false>{});
  } else if (kind == TileKind::Edge) {
    apply(BoolConstant<true>{});
  } else {
#pragma unroll
    for (int r = 0; r < Shape::kRows; ++r)
#pragma unroll
      for (int n = 0; n < Shape::kKeys; ++n)
        tiles.p[(row + 4 * r) * Shape::kStrideP + column + 8 * n] =
            tiles.ds[(row + 4 * r) * Shape::kStrideP + column + 8 * n] = 0.0f;
  }
}

/// dk, dv and dq. T: float.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, typename Score,
          bool Aligned = true>
__device__ inline void attention_backward_keys(const AttentionBackwardParams<T> &p, const Score &score) {
  using Shape = AttentionBackwardSimtShape<HeadDim, ValueDim, TileM, TileN, Warps>;
  float *shared = reinterpret_cast<float *>(dynamic_shared());
  const SimtBackwardTiles<Shape, TileM, TileN> tiles(shared);
  const int team = threadIdx.x / Shape::kTeam;
  const int warp = threadIdx.x % Shape::kTeam / kWarpSize; // of the team
  const int lane = threadIdx.x % kWarpSize;
  const int warp_row = warp / Shape::kKeyWarps * 4 * Shape::kRows;
  const int warp_column = warp % Shape::kKeyWarps * 8 * Shape::kKeys;
  const int row = warp_row + lane % 4;
  const int column = warp_column + lane / 4;

  // Blocks draw their work: who waits for a turn knows that everybody before it has begun.
  const int query_tiles = ceil_div(p.q_len, TileM);
  if (threadIdx.x == 0)
    *reinterpret_cast<int *>(shared) =
        draw_number(p.turns + attention_turns(p.batch, p.heads, p.q_len, TileM) - 1);
  __syncthreads();
  const int number = *reinterpret_cast<int *>(shared);
  __syncthreads();
  const SimtKeysWork work = simt_keys_work<Score, TileM, TileN>(p, number);
  const int of_head = work.tiles.end - work.tiles.first;
  const int first_head = work.kv_head * (p.heads / p.kv_heads);

  tiles.template zero_columns<HeadDim, ValueDim>();
  tiles.template load_keys<HeadDim, ValueDim, Aligned>(p, work.batch, work.kv_head, work.key);
  const auto load_step = [&](int step) {
    const int head = step / of_head;
    tiles.template load_queries<HeadDim, ValueDim, Aligned>(
        p, work.batch, first_head + head, (work.tiles.first + step - head * of_head) * TileM);
  };
  if (work.steps > 0)
    load_step(0);
  cp_async_commit();

  float sums[Shape::kSumRows][Shape::kMostColumns];
#pragma unroll
  for (int n = 0; n < Shape::kSumRows; ++n)
#pragma unroll
    for (int c = 0; c < Shape::kMostColumns; ++c)
      sums[n][c] = 0.0f;

  int *counter = nullptr; // of the tile that dq was added to, and what to publish there
  int turn = 0;
  for (int step = 0; step < work.steps; ++step) {
    const int head = first_head + step / of_head;
    const int query_tile = work.tiles.first + step % of_head;
    const int query = query_tile * TileM;
    cp_async_wait<0>();
    __syncthreads();
    if (threadIdx.x == 0 && counter)
      publish(counter, turn + 1);
    counter = p.turns + ((long long)work.batch * p.heads + head) * query_tiles + query_tile;
    turn = simt_turn<Score, TileM, TileN>(p, work, query);

    float x[Shape::kRows][Shape::kKeys];
    const TileKind kind = classify_scores<Score>(query + warp_row, 4 * Shape::kRows, work.key + warp_column,
                                                 8 * Shape::kKeys, p.q_len, p.kv_len);
    if (kind != TileKind::Empty)
      tiles.template scores<HeadDim, ValueDim, kSimtUnroll<Score>>(x, team, row, column);
    if (team == 0)
      simt_probabilities<Score>(x, score, p, tiles, kind, work.batch, head, query, work.key, row, column);
    __syncthreads();
    if (team == 1) {
      if (kind != TileKind::Empty) { // else the first team has stored zeros
#pragma unroll
        for (int r = 0; r < Shape::kRows; ++r) {
          const float delta = tiles.delta[row + 4 * r];
#pragma unroll
          for (int n = 0; n < Shape::kKeys; ++n) {
            const int at = (row + 4 * r) * Shape::kStrideP + column + 8 * n;
            float ds = tiles.p[at] * (x[r][n] - delta) * p.scale;
            if (AttentionSlope<Score>::kValue)
              ds *= tiles.ds[at];
            tiles.ds[at] = ds;
          }
        }
      }
      named_sync(1, Shape::kTeam);
    }
    if constexpr (HeadDim == ValueDim) {
      simt_sums<Shape, TileM, Shape::kDimK, Shape::kStrideK>(sums, team == 0 ? tiles.p : tiles.ds,
                                                             team == 0 ? tiles.dout : tiles.q, warp);
    } else if (team == 0) {
      simt_sums<Shape, TileM, Shape::kDimV, Shape::kStrideV>(sums, tiles.p, tiles.dout, warp);
    } else {
      simt_sums<Shape, TileM, Shape::kDimK, Shape::kStrideK>(sums, tiles.ds, tiles.q, warp);
    }
    if (threadIdx.x == 0)
      wait_for(counter, turn);
    __syncthreads();
    if (step + 1 < work.steps)
      load_step(step + 1);
    cp_async_commit();
    simt_add_queries<Shape, HeadDim, TileN, Aligned>(p.dq + work.batch * p.dq_batch + head * p.dq_head +
                                                         query * p.dq_row,
                                                     p.dq_row, p.q_len - query, tiles.ds, tiles.k);
  }
  __syncthreads();
  if (threadIdx.x == 0 && counter)
    publish(counter, turn + 1);

  const int valid = p.kv_len - work.key;
  if (team == 0)
    simt_store_sums<Shape, ValueDim, Shape::kDimV, Aligned>(
        sums, p.dv + work.batch * p.dv_batch + work.kv_head * p.dv_head + work.key * p.dv_row, p.dv_row,
        valid, warp);
  else
    simt_store_sums<Shape, HeadDim, Shape::kDimK, Aligned>(
        sums, p.dk + work.batch * p.dk_batch + work.kv_head * p.dk_head + work.key * p.dk_row, p.dk_row,
        valid, warp);
}

/// The gradient of an additive bias. T: float.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, typename Score,
          bool Aligned = true>
__device__ inline void attention_backward_bias(const AttentionBackwardParams<T> &p,
                                               const AttentionBiasGradient &bias, const Score &score) {
  static_assert(!AttentionSlope<Score>::kValue, "the gradient of what score() returns");
  using Shape = AttentionBackwardSimtShape<HeadDim, ValueDim, TileM, TileN, Warps>;
  const SimtBackwardTiles<Shape, TileM, TileN> tiles(reinterpret_cast<float *>(dynamic_shared()));
  const int team = threadIdx.x / Shape::kTeam;
  const int warp = threadIdx.x % Shape::kTeam / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const int warp_row = warp / Shape::kKeyWarps * 4 * Shape::kRows;
  const int warp_column = warp % Shape::kKeyWarps * 8 * Shape::kKeys;
  const int row = warp_row + lane % 4;
  const int column = warp_column + lane / 4;
  const AttentionBiasTile tile = bias_tile<TileM, TileN>(p, bias, int(blockIdx.x));

  tiles.template zero_columns<HeadDim, ValueDim>();
  float sums[Shape::kRows][Shape::kKeys]; // the second team's
#pragma unroll
  for (int r = 0; r < Shape::kRows; ++r)
#pragma unroll
    for (int n = 0; n < Shape::kKeys; ++n)
      sums[r][n] = 0.0f;
  const TileKind kind = classify_scores<Score>(tile.query + warp_row, 4 * Shape::kRows,
                                               tile.key + warp_column, 8 * Shape::kKeys, p.q_len, p.kv_len);
  const bool seen =
      classify_scores<Score>(tile.query, TileM, tile.key, TileN, p.q_len, p.kv_len) != TileKind::Empty;
  for (int b = tile.first_batch; seen && b < tile.end_batch; ++b)
    for (int h = tile.first_head; h < tile.end_head; ++h) {
      __syncthreads(); // the last pair's tiles and P are read
      tiles.template load_keys<HeadDim, ValueDim, Aligned>(p, b, h / (p.heads / p.kv_heads), tile.key);
      tiles.template load_queries<HeadDim, ValueDim, Aligned>(p, b, h, tile.query);
      cp_async_commit();
      cp_async_wait<0>();
      __syncthreads();
      float x[Shape::kRows][Shape::kKeys];
      if (kind != TileKind::Empty)
        tiles.template scores<HeadDim, ValueDim, kSimtUnroll<Score>>(x, team, row, column);
      if (team == 0)
        simt_probabilities<Score>(x, score, p, tiles, kind, b, h, tile.query, tile.key, row, column);
      __syncthreads();
      if (team == 1 && kind != TileKind::Empty) {
#pragma unroll
        for (int r = 0; r < Shape::kRows; ++r) {
          const float delta = tiles.delta[row + 4 * r];
#pragma unroll
          for (int n = 0; n < Shape::kKeys; ++n)
            sums[r][n] =
                fmaf(tiles.p[(row + 4 * r) * Shape::kStrideP + column + 8 * n], x[r][n] - delta, sums[r][n]);
        }
      }
    }
  if (team == 0)
    return;
  float *target = bias.data + tile.first_batch * bias.batch_stride + tile.first_head * bias.head_stride;
#pragma unroll
  for (int r = 0; r < Shape::kRows; ++r)
#pragma unroll
    for (int n = 0; n < Shape::kKeys; ++n) {
      const int i = tile.query + row + 4 * r, j = tile.key + column + 8 * n;
      if (i < p.q_len && j < p.kv_len)
        target[i * bias.row_stride + j] = sums[r][n];
    }
}

} // namespace heddle

// Launches, with Shape = AttentionBackwardSimtShape<HeadDim, ValueDim, TileM, TileN, Warps>, whose
// kSharedBytes is attentionBackwardSimtSharedBytes(), 32 * Warps threads and __launch_bounds__(32 * Warps,
// 1):
//
//   keys  attention_backward_keys<float, HeadDim, ValueDim, TileM, TileN, Warps, Score, Aligned>(params,
//         score): batch * kv_heads * ceil(kv_len / TileN) blocks. dq and attention_turns(batch, heads, q_len,
//         TileM) numbers of params.turns hold zeros before.
//   bias  attention_backward_bias<float, HeadDim, ValueDim, TileM, TileN, Warps, Score, Aligned>(params,
//         gradient, score), if wanted: gradient.batch * gradient.heads * ceil(q_len / TileM) *
//         ceil(kv_len / TileN) blocks. params.turns is not read.
//
// Each of them must be below 2^31 blocks. Whoever launches brings params.delta, 4 * batch * heads * q_len
// bytes, and zeroes dq and the turns, 4 * attention_turns() bytes.

#endif // HEDDLE_DEVICE_ATTENTION_BACKWARD_SIMT_CUH
