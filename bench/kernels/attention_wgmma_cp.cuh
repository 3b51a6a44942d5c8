// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward attention for bf16 and f16 on Hopper's tensor cores (wgmma, sm_90a). Interface and formula:
// attention_common.cuh.
//
// A block has one warp group that brings keys and values (the producer) and two or three that compute (the
// consumers), each 64 queries from the first product to the output. Keys and values stream through a ring of
// two stages in shared memory; a barrier says that a tile is there, another that every consumer is done with
// it. The producer gives its registers to the consumers.
//
// Per consumer and tile t of keys, with P of tile t - 1 ready in registers:
//   start S(t) = Q K(t)^T, then O += P(t - 1) V(t - 1)
//   while the second product runs: maxima, exponentials, sums of S(t)
//   O = O * correction, P(t) = S(t) rounded to T: the accumulator layout of the first product is the A layout
//   of the second
// With `Turns`, the consumers take turns at starting products, so that one's softmax runs under the other's
// products.
//
// The producer copies by cp.async: any row stride, no descriptor of the tensor to be made on the host, and
// rows past the end become zeros. Its share of the issue slots is a few per cent.
//
// Shared memory, swizzled column blocks of 64 elements (wgmma.cuh):
//   Q [consumers][blocks][64 rows]      reused by the consumer to hand its output out in whole rows
//   K [2][blocks][TileN rows]
//   V [2][blocks][TileN rows]
//   WgmmaBarriers
// Columns HeadDim .. HeadDim + 7 of Q and K (head sizes that are no multiple of 16) are zeroed once. Columns
// of V beyond ValueDim hold anything: they add to columns of O that nobody reads.

#ifndef HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH
#define HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH

#include "compiler/Target/CUDA/device/attention_common.cuh"
#include "compiler/Target/CUDA/device/reduce.cuh"
#include "compiler/Target/CUDA/device/wgmma.cuh"

namespace heddle {

constexpr int kWgmmaStages = 2;

struct WgmmaBarriers {
  SharedBarrier key_full[kWgmmaStages];
  SharedBarrier key_empty[kWgmmaStages];
  SharedBarrier value_full[kWgmmaStages];
  SharedBarrier value_empty[kWgmmaStages];
};

/// Sizes that follow from a choice of tile. Warps counts the producer's four.
template <int HeadDim, int ValueDim, int TileM, int TileN, int Warps>
struct AttentionWgmmaShape {
  static constexpr int kConsumers = Warps / 4 - 1; // warp groups
  static constexpr int kRows = 64;                 // queries of a consumer
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "rows of 16-byte chunks");
  static_assert(Warps % 4 == 0 && kConsumers >= 1 && kConsumers <= 3 && TileM == kRows * kConsumers,
                "a consumer owns 64 queries");
  static_assert(TileN % 16 == 0, "the second product takes keys by 16");

  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kDimK = round_up(HeadDim, 16);
  static constexpr int kDimV = round_up(ValueDim, 16);
  static constexpr int kBlocksK = ceil_div(kDimK, kSwizzleColumns);
  static constexpr int kBlocksV = ceil_div(kDimV, kSwizzleColumns);
  static constexpr int kQueryBlockBytes = kRows * kSwizzleRowBytes;
  static constexpr int kTileBlockBytes = TileN * kSwizzleRowBytes;
  static constexpr int kQueryBytes = (kBlocksK > kBlocksV ? kBlocksK : kBlocksV) * kQueryBlockBytes;
  static constexpr int kKeyBytes = kBlocksK * kTileBlockBytes;   // of a stage
  static constexpr int kValueBytes = kBlocksV * kTileBlockBytes; // of a stage
  static constexpr int kSharedBytes =
      kConsumers * kQueryBytes + kWgmmaStages * (kKeyBytes + kValueBytes) + int(sizeof(WgmmaBarriers));
  // Registers of a thread once the producer has given its own away; (launch bound) * groups in all.
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : kConsumers == 2 ? 40 : 56;
  static constexpr int kConsumerRegisters = kConsumers == 3 ? 160 : kConsumers == 2 ? 232 : 240;
};

/// Starts copying rows [0, valid) of `Columns` elements into swizzled column blocks `BlockBytes` apart, and
/// zeros for rows [valid, Rows); by one warp group. `source` is row 0; rows keep to multiples of 16 bytes.
template <int Rows, int Columns, int BlockBytes, typename T>
__device__ inline void copy_swizzled(unsigned char *target, const T *source, long long row_stride,
                                     int valid) {
  constexpr int kChunks = Columns / 8;
  constexpr int kLanes = kChunks > 16 ? 32 : kChunks > 8 ? 16 : kChunks > 4 ? 8 : kChunks > 2 ? 4 : kChunks;
  constexpr int kRowsAtOnce = kWarpGroupSize / kLanes;
  static_assert(kChunks <= 32, "rows of at most 256 columns");
  static_assert(kRowsAtOnce % 8 == 0 || kRowsAtOnce == 4,
                "a thread's rows share their swizzle, or alternate");
  const int thread = int(threadIdx.x) % kWarpGroupSize;
  const int chunk = thread % kLanes;
  const int first = thread / kLanes;
  const T *from = source + first * row_stride + chunk * 8;
  unsigned char *column = target + chunk / 8 * BlockBytes;
  if (kLanes == kChunks || chunk < kChunks) {
#pragma unroll
    for (int r = 0; r < ceil_div(Rows, kRowsAtOnce); ++r) {
      const int row = first + r * kRowsAtOnce;
      if (Rows % kRowsAtOnce == 0 || row < Rows)
        cp_async_16(column + swizzled_offset(row, chunk % 8), row < valid ? from : source, row < valid);
      from += kRowsAtOnce * row_stride;
    }
  }
}

/// Zeros the chunk after the last of `HeadDim` columns, in `rows` rows, where the contraction takes it in.
template <int HeadDim, int BlockBytes, int Threads>
__device__ inline void zero_swizzled_padding(unsigned char *target, int rows, int thread) {
  if constexpr (HeadDim % 16 != 0) {
    constexpr int kChunk = HeadDim / 8;
    for (int row = thread; row < rows; row += Threads)
      *reinterpret_cast<uint4 *>(target + kChunk / 8 * BlockBytes + swizzled_offset(row, kChunk % 8)) =
          uint4{0, 0, 0, 0};
  }
}

/// The producer: keys and values of all tiles, in the order in which they are used.
template <typename T, int HeadDim, int ValueDim, typename Shape, int TileN>
__device__ inline void wgmma_produce(const AttentionParams<T> &p, const T *k, const T *v,
                                     unsigned char *shared_k, unsigned char *shared_v,
                                     WgmmaBarriers *barriers, int tiles) {
  const bool leader = threadIdx.x % kWarpSize == 0;
#pragma unroll
  for (int stage = 0; stage < kWgmmaStages; ++stage)
    zero_swizzled_padding<HeadDim, Shape::kTileBlockBytes, kWarpGroupSize>(
        shared_k + stage * Shape::kKeyBytes, TileN, int(threadIdx.x) % kWarpGroupSize);

  // One copy is always left under way while the next is started; it is announced when it is complete.
  SharedBarrier *announce = nullptr;
  const auto complete = [&]() {
    fence_shared_for_wgmma();
    __syncwarp();
    if (leader)
      barrier_arrive(announce);
    announce = nullptr;
  };
  const auto acquire = [&](SharedBarrier *empty, int parity) {
    if (barrier_test(empty, parity))
      return;
    // Nothing may wait for a copy that has arrived while this waits for room.
    if (announce) {
      cp_async_wait<0>();
      complete();
    }
    barrier_wait(empty, parity);
  };
  const auto started = [&](SharedBarrier *full) {
    cp_async_commit();
    if (announce) {
      cp_async_wait<1>();
      complete();
    }
    announce = full;
  };
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kWgmmaStages;
    const int parity = tile / kWgmmaStages % 2 ^ 1; // the first round finds the stages empty
    const int valid = p.kv_len - tile * TileN;
    acquire(&barriers->key_empty[stage], parity);
    copy_swizzled<TileN, HeadDim, Shape::kTileBlockBytes>(shared_k + stage * Shape::kKeyBytes, k, p.k_row,
                                                          valid);
    started(&barriers->key_full[stage]);
    acquire(&barriers->value_empty[stage], parity);
    copy_swizzled<TileN, ValueDim, Shape::kTileBlockBytes>(shared_v + stage * Shape::kValueBytes, v, p.v_row,
                                                           valid);
    started(&barriers->value_full[stage]);
    k += TileN * p.k_row;
    v += TileN * p.v_row;
  }
  if (announce) {
    cp_async_wait<0>();
    complete();
  }
}

/// Softmax statistics of the two rows of a lane, scores [4 n + 2 half + pair], turned into exponentials.
/// `correction` receives what earlier sums must be multiplied by.
template <int Count>
__device__ inline void wgmma_softmax(float (&s)[Count], RowState (&rows)[2], float (&correction)[2],
                                     float exponent) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float maximum = fmaxf(s[2 * half], s[2 * half + 1]);
#pragma unroll
    for (int n = 1; n < Count / 4; ++n)
      maximum = fmaxf(maximum, fmaxf(s[4 * n + 2 * half], s[4 * n + 2 * half + 1]));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 1));
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, 2));
    float reference;
    correction[half] = advance_row(rows[half], maximum * exponent, reference);
    float sums[2] = {0.0f, 0.0f};
#pragma unroll
    for (int n = 0; n < Count / 4; ++n) {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        float &value = s[4 * n + 2 * half + pair];
        value = exp2_approx(fmaf(value, exponent, -reference));
        sums[pair] += value;
      }
    }
    rows[half].sum += sums[0] + sums[1];
  }
}

/// One consumer.
template <typename T, int HeadDim, int ValueDim, typename Shape, int TileN, bool Turns, typename Score>
__device__ inline void wgmma_consume(const AttentionParams<T> &p, const Score &score,
                                     const AttentionWork &work, unsigned char *shared_q,
                                     unsigned char *shared_k, unsigned char *shared_v,
                                     WgmmaBarriers *barriers, int tiles, int consumer) {
  const int thread = int(threadIdx.x) % kWarpGroupSize;
  const int lane = thread % kWarpSize;
  const int warp = thread / kWarpSize;
  const int diagonal = p.kv_len - p.q_len;
  const int group_row = work.first_row + consumer * Shape::kRows;
  // Named barriers: 1 + consumer for a consumer alone, 5 + consumer for turns.
  const auto group_sync = [&]() { named_sync(1 + consumer, kWarpGroupSize); };
  const auto await_turn = [&]() {
    if constexpr (Turns)
      named_sync(5 + consumer, 2 * kWarpGroupSize);
  };
  const auto end_turn = [&](bool last) {
    if constexpr (Turns) {
      const int next = consumer + 1 == Shape::kConsumers ? 0 : consumer + 1;
      if (!last || next != 0) // nobody takes the turn after the last
        named_arrive(5 + next, 2 * kWarpGroupSize);
    }
  };
  if constexpr (Turns)
    if (consumer == Shape::kConsumers - 1 && tiles > 0)
      named_arrive(5, 2 * kWarpGroupSize);

  const AttentionScale scale = attention_scale<Score>(p.scale);
  {
    const T *q = p.q + work.batch * p.q_batch + work.head * p.q_head + group_row * p.q_row;
    const int valid = p.q_len - group_row;
    // Where the group lies behind the last query, row 0 of the block stands in as an address nobody reads.
    copy_swizzled<Shape::kRows, HeadDim, Shape::kQueryBlockBytes>(
        shared_q, valid > 0 ? q : p.q + work.batch * p.q_batch + work.head * p.q_head, p.q_row, valid);
    cp_async_commit();
    zero_swizzled_padding<HeadDim, Shape::kQueryBlockBytes, kWarpGroupSize>(shared_q, Shape::kRows, thread);
    cp_async_wait<0>();
    if (scale.q_factor != 1.0f) { // rare: the sign of a negative scale, see AttentionScale
      group_sync();
      for (int i = thread; i < Shape::kRows * HeadDim / 8; i += kWarpGroupSize) {
        const int row = i / (HeadDim / 8), chunk = i % (HeadDim / 8);
        T *elements = reinterpret_cast<T *>(shared_q + chunk / 8 * Shape::kQueryBlockBytes +
                                            swizzled_offset(row, chunk % 8));
        Vec<T, 8> values = Vec<T, 8>::load(elements);
#pragma unroll
        for (int e = 0; e < 8; ++e)
          values[e] = from_float<T>(to_float(values[e]) * scale.q_factor);
        values.store(elements);
      }
    }
    fence_shared_for_wgmma();
    group_sync();
  }

  float s[TileN / 2];
  float out[Shape::kDimV / 2];
  unsigned int probabilities[TileN / 16][4];
  RowState rows[2] = {{-INFINITY, 0.0f}, {-INFINITY, 0.0f}};
#pragma unroll
  for (int i = 0; i < Shape::kDimV / 2; ++i)
    out[i] = 0.0f;

  const MatrixDescriptor q_operand = descriptor_k_major(shared_q);
  const MatrixDescriptor k_operand = descriptor_k_major(shared_k);
  const MatrixDescriptor v_operand = descriptor_mn_major(shared_v, Shape::kTileBlockBytes);

  const auto start_scores = [&](int stage) {
    const MatrixDescriptor k_stage = k_operand + stage * Shape::kKeyBytes;
#pragma unroll
    for (int c = 0; c < Shape::kDimK / 16; ++c)
      WarpGroupProduct<T, TileN>::shared(s, q_operand + (c / 4 * Shape::kQueryBlockBytes + c % 4 * 32),
                                         k_stage + (c / 4 * Shape::kTileBlockBytes + c % 4 * 32), c != 0);
    wgmma_commit();
  };
  const auto start_values = [&](int stage) {
    const MatrixDescriptor v_stage = v_operand + stage * Shape::kValueBytes;
#pragma unroll
    for (int c = 0; c < TileN / 16; ++c)
      WarpGroupProduct<T, Shape::kDimV>::values(out, probabilities[c], v_stage + c * 16 * kSwizzleRowBytes);
    wgmma_commit();
  };
  const auto await_keys = [&](int tile) {
    barrier_wait(&barriers->key_full[tile % kWgmmaStages], tile / kWgmmaStages % 2);
  };
  const auto await_values = [&](int tile) {
    barrier_wait(&barriers->value_full[tile % kWgmmaStages], tile / kWgmmaStages % 2);
  };
  const auto release = [&](SharedBarrier *empty) {
    if (lane == 0)
      barrier_arrive(empty);
  };
  const auto mask_scores = [&](int tile) {
    const int key = tile * TileN;
    const int i_lane = group_row + warp * 16 + lane / 4;
    const auto apply = [&](auto edge) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int i = opaque(i_lane) + half * 8;
        const int lane_key = opaque(key + lane % 4 * 2);
#pragma unroll
        for (int n = 0; n < TileN / 8; ++n)
#pragma unroll
          for (int pair = 0; pair < 2; ++pair)
            s[4 * n + 2 * half + pair] = masked_score<Score, decltype(edge)::value>(
                score, s[4 * n + 2 * half + pair], p.scale, work.batch, work.head, i, lane_key + n * 8 + pair,
                p.q_len, p.kv_len);
        // As in the mma skeleton: nothing of the generated functions moves to another row.
        if (Score::kHasMask || Score::kHasScore)
          __syncwarp();
      }
    };
    const TileKind kind =
        classify_tile<Score::kCausal>(group_row, Shape::kRows, key, TileN, p.kv_len, diagonal);
    if (kind != TileKind::Full) // Empty, too: the consumers go through the same tiles
      apply(BoolConstant<true>{});
    else if constexpr (Score::kHasMask || Score::kHasScore)
      apply(BoolConstant<false>{});
  };
  const auto round_probabilities = [&]() {
#pragma unroll
    for (int c = 0; c < TileN / 16; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        probabilities[c][e] = pack_pair<T>(s[8 * c + 2 * e], s[8 * c + 2 * e + 1]);
    pin_registers(probabilities);
  };

  if (tiles > 0) {
    float correction[2];
    await_keys(0);
    await_turn();
    wgmma_fence();
    start_scores(0);
    end_turn(tiles == 1);
    wgmma_wait<0>(s);
    release(&barriers->key_empty[0]);
    mask_scores(0);
    wgmma_softmax(s, rows, correction, scale.exponent);
    round_probabilities();
    if (tiles > 1)
      await_keys(1);
#pragma unroll 1
    for (int tile = 1; tile < tiles; ++tile) {
      const int stage = tile % kWgmmaStages, before = (tile - 1) % kWgmmaStages;
      await_turn();
      wgmma_fence();
      start_scores(stage);
      await_values(tile - 1);
      wgmma_fence();
      start_values(before);
      end_turn(tile + 1 == tiles);
      wgmma_wait<1>(s);
      release(&barriers->key_empty[stage]);
      mask_scores(tile);
      wgmma_softmax(s, rows, correction, scale.exponent);
      // The next tile's keys are waited for here, and not where they are used, because the assembler would
      // move the wait for the second product before the softmax that runs under it, but for the branch.
      pin_registers(s);
      if (tile + 1 < tiles)
        await_keys(tile + 1);
      wgmma_wait<0>(out);
      release(&barriers->value_empty[before]);
#pragma unroll
      for (int i = 0; i < Shape::kDimV / 2; ++i)
        out[i] *= correction[i / 2 % 2];
      pin_registers(out);
      round_probabilities();
    }
    const int last = tiles - 1;
    await_values(last);
    wgmma_fence();
    start_values(last % kWgmmaStages);
    wgmma_wait<0>(out);
  }

  // Normalised, rounded, through the group's own query tile, then in whole rows. Every warp's products have
  // read the queries.
  group_sync();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    RowState &state = rows[half];
    state.sum = warp_reduce<Add, 4>(state.sum);
    const float normaliser = row_normaliser(state.sum);
    const int row = warp * 16 + half * 8 + lane / 4;
#pragma unroll
    for (int n = 0; n < Shape::kDimV / 8; ++n)
      *reinterpret_cast<unsigned int *>(shared_q + n / 8 * Shape::kQueryBlockBytes +
                                        swizzled_offset(row, n % 8) + lane % 4 * 4) =
          pack_pair<T>(out[4 * n + 2 * half] * normaliser, out[4 * n + 2 * half + 1] * normaliser);
    if (p.lse && lane % 4 == 0 && group_row + row < p.q_len)
      p.lse[((long long)work.batch * p.heads + work.head) * p.q_len + group_row + row] = row_logsumexp(state);
  }
  __syncwarp();
  constexpr int kChunks = ValueDim / 8;
  T *target = p.out + work.batch * p.out_batch + work.head * p.out_head;
#pragma unroll 4
  for (int i = lane; i < 16 * kChunks; i += kWarpSize) {
    const int row = warp * 16 + i / kChunks;
    const int chunk = i % kChunks;
    if (group_row + row < p.q_len)
      Vec<T, 8>::load(reinterpret_cast<const T *>(shared_q + chunk / 8 * Shape::kQueryBlockBytes +
                                                  swizzled_offset(row, chunk % 8)))
          .store(target + (group_row + row) * p.out_row + chunk * 8);
  }
}

/// The whole kernel. T: bf16 or f16; operands aligned.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, typename Score,
          bool Aligned = true, bool Turns = true>
__device__ inline void attention_forward(const AttentionParams<T> &p, const Score &score) {
  static_assert(Aligned, "the producer copies rows by 16 bytes");
  using Shape = AttentionWgmmaShape<HeadDim, ValueDim, TileM, TileN, Warps>;
  unsigned char *shared_q = swizzled_shared();
  unsigned char *shared_k = shared_q + Shape::kConsumers * Shape::kQueryBytes;
  unsigned char *shared_v = shared_k + kWgmmaStages * Shape::kKeyBytes;
  auto *barriers = reinterpret_cast<WgmmaBarriers *>(shared_v + kWgmmaStages * Shape::kValueBytes);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kWgmmaStages; ++stage) {
      barrier_init(&barriers->key_full[stage], 4);
      barrier_init(&barriers->value_full[stage], 4);
      barrier_init(&barriers->key_empty[stage], 4 * Shape::kConsumers);
      barrier_init(&barriers->value_empty[stage], 4 * Shape::kConsumers);
    }
    barrier_init_fence();
  }
  const AttentionWork work = attention_work<T, HeadDim, ValueDim, TileM, Score::kCausal>(p, int(blockIdx.x));
  // Keys that the tile's last query sees, and with them every earlier one.
  int keys = p.kv_len;
  if (Score::kCausal)
    keys = min(keys, min(work.first_row + TileM, p.q_len) + p.kv_len - p.q_len);
  const int tiles = keys > 0 ? ceil_div(keys, TileN) : 0;
  __syncthreads();
  // The same for all threads of a warp, and known to be: the roles must be branches of warps.
  const int group = __shfl_sync(0xffffffffu, int(threadIdx.x) / kWarpGroupSize, 0);
  if (group == 0) {
    lower_registers<Shape::kProducerRegisters>();
    const int kv_head = work.head / (p.heads / p.kv_heads);
    wgmma_produce<T, HeadDim, ValueDim, Shape, TileN>(p, p.k + work.batch * p.k_batch + kv_head * p.k_head,
                                                      p.v + work.batch * p.v_batch + kv_head * p.v_head,
                                                      shared_k, shared_v, barriers, tiles);
  } else {
    raise_registers<Shape::kConsumerRegisters>();
    wgmma_consume<T, HeadDim, ValueDim, Shape, TileN, Turns>(p, score, work,
                                                             shared_q + (group - 1) * Shape::kQueryBytes,
                                                             shared_k, shared_v, barriers, tiles, group - 1);
  }
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH
