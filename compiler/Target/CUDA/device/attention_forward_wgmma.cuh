// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward attention for bf16 and f16 on Hopper's tensor cores (wgmma, sm_90a). Interface and formula:
// attention_common.cuh.
//
// A block has one warp group that has keys and values brought (the producer) and two or three that compute
// (the consumers), each 64 queries from the first product to the output. Keys and values stream through a
// ring of stages in shared memory; a barrier says that a tile is there, another that every consumer is done
// with it. The producer gives its registers to the consumers.
//
// Per consumer and tile t of keys, with P of tile t - 1 ready in registers:
//   start S(t) = Q K(t)^T, then O += P(t - 1) V(t - 1)
//   while the second product runs: maxima, exponentials, sums of S(t)
//   O = O * correction, P(t) = S(t) rounded to T: the accumulator layout of the first product is the A layout
//   of the second
// The consumers take turns at starting products, so that one's softmax runs under the other's products.
//
// Copies are made by the tensor unit, started by one thread, from maps that the host makes: q_map, k_map and
// v_map describe the operands as [batch, heads, rows, columns], boxes of 64 columns (128 bytes, swizzled) and
// 64 rows of queries, TileN rows of keys and values. What lies outside of an operand comes as zeros, so that
// neither lengths nor head sizes are special.
//
// A launch has attention_blocks() blocks, or fewer, which then go through several tiles of queries each, one
// after another: keys of the next tile are on their way while the last one's output is written. Which is
// faster depends on lengths and masks, and is for the host to choose (attentionWgmmaPersistent).
//
// Shared memory, swizzled column blocks of 64 elements (wgmma.cuh):
//   Q [consumers][blocks][64 rows]
//   K [stages][blocks][TileN rows]
//   V [stages][blocks][TileN rows]
//   WgmmaBarriers

#ifndef HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH
#define HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH

#include "attention_common.cuh"
#include "reduce.cuh"
#include "wgmma.cuh"

namespace heddle {

template <int Stages, int Consumers>
struct WgmmaBarriers {
  SharedBarrier query_full[Consumers];
  SharedBarrier query_empty[Consumers];
  SharedBarrier key_full[Stages];
  SharedBarrier key_empty[Stages];
  SharedBarrier value_full[Stages];
  SharedBarrier value_empty[Stages];
};

/// Where in the ring one goes on, and the parity of the phase that ends when that stage is full. The phase
/// that ends when it is empty has the other one: the first round finds the stages empty.
template <int Stages>
struct RingPosition {
  int stage = 0;
  int parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// Sizes that follow from a choice of tile. Warps counts the producer's four.
template <int HeadDim, int ValueDim, int TileM, int TileN, int Warps, int Stages>
struct AttentionWgmmaShape {
  static constexpr int kConsumers = Warps / 4 - 1; // warp groups
  static constexpr int kRows = 64;                 // queries of a consumer
  static_assert(HeadDim % 8 == 0 && HeadDim >= 8 && ValueDim % 8 == 0 && ValueDim >= 8,
                "rows of 16-byte chunks");
  static_assert((Warps == 12 || Warps == 16) && TileM == kRows * kConsumers,
                "two or three consumers own 64 queries each");
  static_assert(TileN % 16 == 0 && TileN <= 256, "the second product takes keys by 16, a box holds 256");

  static constexpr int kThreads = Warps * kWarpSize;
  static constexpr int kDimK = round_up(HeadDim, 16);
  static constexpr int kDimV = round_up(ValueDim, 16);
  static constexpr int kBlocksK = ceil_div(kDimK, kSwizzleColumns);
  static constexpr int kBlocksV = ceil_div(kDimV, kSwizzleColumns);
  static constexpr int kQueryBlockBytes = kRows * kSwizzleRowBytes;
  static constexpr int kTileBlockBytes = TileN * kSwizzleRowBytes;
  static constexpr int kStages = Stages;
  static constexpr int kQueryBytes = kBlocksK * kQueryBlockBytes; // of a consumer
  static constexpr int kKeyBytes = kBlocksK * kTileBlockBytes;    // of a stage
  static constexpr int kValueBytes = kBlocksV * kTileBlockBytes;  // of a stage
  using Barriers = WgmmaBarriers<Stages, kConsumers>;
  static constexpr int kSharedBytes =
      kConsumers * kQueryBytes + Stages * (kKeyBytes + kValueBytes) + int(sizeof(Barriers));
  // Registers of a thread once the producer has given its own away; (launch bound) * groups in all.
  static constexpr int kProducerRegisters = kConsumers == 3 ? 32 : 24;
  static constexpr int kConsumerRegisters = kConsumers == 3 ? 160 : 240;
};

/// One tile of queries and the tiles of keys that it needs; none where `end` is not above `first`.
struct WgmmaWork : AttentionWork {
  int first, end;
};

template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, typename Score>
__device__ inline WgmmaWork wgmma_work(const AttentionParams<T> &p, int block) {
  WgmmaWork work{attention_work<T, HeadDim, ValueDim, TileM, Score::kCausal>(p, block), 0, 0};
  const int diagonal = p.kv_len - p.q_len;
  // Keys that the tile's last query sees, and with them every earlier one; under a window, from the first one
  // that the first query sees.
  int keys = p.kv_len;
  if (Score::kCausal)
    keys = min(keys, min(work.first_row + TileM, p.q_len) + diagonal);
  work.end = keys > 0 ? ceil_div(keys, TileN) : 0;
  work.first = first_key<AttentionWindow<Score>::kKeys>(work.first_row, diagonal) / TileN;
  return work;
}

/// The tile of queries that this block takes in its `round`. Causal tiles come longest first: where rounds go
/// there and back, every block gets some of each length.
template <bool Causal>
__device__ inline long long wgmma_turn(int round) {
  const int place = Causal && round % 2 != 0 ? int(gridDim.x) - 1 - int(blockIdx.x) : int(blockIdx.x);
  return (long long)round * gridDim.x + place;
}

/// The producer, one thread: queries, keys and values of all the block's tiles, in the order of their use.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, typename Shape, typename Score>
__device__ inline void wgmma_produce(const AttentionParams<T> &p, const TensorMap &q_map,
                                     const TensorMap &k_map, const TensorMap &v_map, unsigned char *shared_q,
                                     unsigned char *shared_k, unsigned char *shared_v,
                                     typename Shape::Barriers *barriers) {
  RingPosition<Shape::kStages> keys, values;
  int query_parity = 0;
  const int blocks = attention_blocks(p.batch, p.heads, p.q_len, TileM);
#pragma unroll 1
  for (int round = 0; wgmma_turn<Score::kCausal>(round) < blocks; ++round) {
    const WgmmaWork work =
        wgmma_work<T, HeadDim, ValueDim, TileM, TileN, Score>(p, int(wgmma_turn<Score::kCausal>(round)));
    const int kv_head = work.head / (p.heads / p.kv_heads);
    const auto bring_keys = [&](int tile) {
      barrier_wait(&barriers->key_empty[keys.stage], keys.parity ^ 1);
      SharedBarrier *full = &barriers->key_full[keys.stage];
      barrier_arrive_expecting(full, Shape::kKeyBytes);
#pragma unroll
      for (int c = 0; c < Shape::kBlocksK; ++c)
        copy_box(shared_k + keys.stage * Shape::kKeyBytes + c * Shape::kTileBlockBytes, k_map, full,
                 c * kSwizzleColumns, tile * TileN, kv_head, work.batch);
      keys.advance();
    };
    const auto bring_values = [&](int tile) {
      barrier_wait(&barriers->value_empty[values.stage], values.parity ^ 1);
      SharedBarrier *full = &barriers->value_full[values.stage];
      barrier_arrive_expecting(full, Shape::kValueBytes);
#pragma unroll
      for (int c = 0; c < Shape::kBlocksV; ++c)
        copy_box(shared_v + values.stage * Shape::kValueBytes + c * Shape::kTileBlockBytes, v_map, full,
                 c * kSwizzleColumns, tile * TileN, kv_head, work.batch);
      values.advance();
    };
    if (work.end <= work.first)
      continue;
    bring_keys(work.first);
    for (int consumer = 0; consumer < Shape::kConsumers; ++consumer) {
      barrier_wait(&barriers->query_empty[consumer], query_parity ^ 1);
      SharedBarrier *full = &barriers->query_full[consumer];
      barrier_arrive_expecting(full, Shape::kQueryBytes);
#pragma unroll
      for (int c = 0; c < Shape::kBlocksK; ++c)
        copy_box(shared_q + consumer * Shape::kQueryBytes + c * Shape::kQueryBlockBytes, q_map, full,
                 c * kSwizzleColumns, work.first_row + consumer * Shape::kRows, work.head, work.batch);
    }
    query_parity ^= 1;
    // A consumer uses a tile's values after the next tile's keys.
#pragma unroll 1
    for (int tile = work.first + 1; tile < work.end; ++tile) {
      bring_keys(tile);
      bring_values(tile - 1);
    }
    bring_values(work.end - 1);
  }
}

/// Softmax statistics of the two rows of a lane, scores [4 n + 2 half + pair], turned into exponentials.
/// `correction` receives what earlier sums must be multiplied by.
template <bool Natural, int Count>
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
    correction[half] = advance_row<Natural>(rows[half], maximum * exponent, reference);
    float sums[2] = {0.0f, 0.0f};
#pragma unroll
    for (int n = 0; n < Count / 4; ++n) {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        float &value = s[4 * n + 2 * half + pair];
        value = softmax_exponential<Natural>(fmaf(value, exponent, -reference));
        sums[pair] += value;
      }
    }
    rows[half].sum += sums[0] + sums[1];
  }
}

/// Transposes the words of the four lanes of a quad: word i of lane t becomes word t of lane i.
__device__ inline void transpose_quad(unsigned int (&words)[4], int lane) {
  const bool upper = lane & 2, odd = lane & 1;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const unsigned int got = __shfl_xor_sync(0xffffffffu, upper ? words[i] : words[i + 2], 2);
    words[i] = upper ? got : words[i];
    words[i + 2] = upper ? words[i + 2] : got;
  }
#pragma unroll
  for (int i = 0; i < 4; i += 2) {
    const unsigned int got = __shfl_xor_sync(0xffffffffu, odd ? words[i] : words[i + 1], 1);
    words[i] = odd ? got : words[i];
    words[i + 1] = odd ? words[i + 1] : got;
  }
}

/// One consumer: its share of all the block's tiles.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, typename Shape, typename Score>
__device__ inline void wgmma_consume(const AttentionParams<T> &p, const Score &score, unsigned char *shared_q,
                                     unsigned char *shared_k, unsigned char *shared_v,
                                     typename Shape::Barriers *barriers, int consumer) {
  const int thread = int(threadIdx.x) % kWarpGroupSize;
  const int lane = thread % kWarpSize;
  const int warp = thread / kWarpSize;
  constexpr int kWindow = AttentionWindow<Score>::kKeys;
  const int diagonal = p.kv_len - p.q_len;
  // Named barriers: 1 + consumer for a consumer alone, 5 + consumer for turns.
  const auto await_turn = [&]() { named_sync(5 + consumer, 2 * kWarpGroupSize); };
  const auto end_turn = [&]() {
    named_arrive(5 + (consumer + 1 == Shape::kConsumers ? 0 : consumer + 1), 2 * kWarpGroupSize);
  };
  if (consumer == Shape::kConsumers - 1)
    named_arrive(5, 2 * kWarpGroupSize);

  const AttentionScale scale = attention_scale<Score, kNaturalScores<Score, T>>(p.scale);
  float s[TileN / 2];
  float out[Shape::kDimV / 2];
  unsigned int probabilities[TileN / 16][4];

  const MatrixDescriptor q_operand = descriptor_k_major(shared_q);
  const MatrixDescriptor k_operand = descriptor_k_major(shared_k);
  const MatrixDescriptor v_operand = descriptor_mn_major(shared_v, Shape::kTileBlockBytes);
  RingPosition<Shape::kStages> keys, values;
  int query_parity = 0;

  const auto start_scores = [&]() {
    const MatrixDescriptor k_stage = k_operand + keys.stage * Shape::kKeyBytes;
#pragma unroll
    for (int c = 0; c < Shape::kDimK / 16; ++c)
      WarpGroupProduct<T, TileN>::shared(s, q_operand + (c / 4 * Shape::kQueryBlockBytes + c % 4 * 32),
                                         k_stage + (c / 4 * Shape::kTileBlockBytes + c % 4 * 32), c != 0);
    wgmma_commit();
  };
  const auto start_values = [&]() {
    const MatrixDescriptor v_stage = v_operand + values.stage * Shape::kValueBytes;
#pragma unroll
    for (int c = 0; c < TileN / 16; ++c)
      WarpGroupProduct<T, Shape::kDimV>::values(out, probabilities[c], v_stage + c * 16 * kSwizzleRowBytes);
    wgmma_commit();
  };
  const auto await_keys = [&]() { barrier_wait(&barriers->key_full[keys.stage], keys.parity); };
  const auto await_values = [&]() { barrier_wait(&barriers->value_full[values.stage], values.parity); };
  const auto release = [&](SharedBarrier *empty) {
    if (lane == 0)
      barrier_arrive(empty);
  };
  const auto release_keys = [&]() {
    release(&barriers->key_empty[keys.stage]);
    keys.advance();
  };
  const auto release_values = [&]() {
    release(&barriers->value_empty[values.stage]);
    values.advance();
  };
  const auto round_probabilities = [&]() {
#pragma unroll
    for (int c = 0; c < TileN / 16; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e)
        probabilities[c][e] = pack_pair<T>(s[8 * c + 2 * e], s[8 * c + 2 * e + 1]);
    pin_registers(probabilities);
  };

  const int blocks = attention_blocks(p.batch, p.heads, p.q_len, TileM);
#pragma unroll 1
  for (int round = 0; wgmma_turn<Score::kCausal>(round) < blocks; ++round) {
    const WgmmaWork work =
        wgmma_work<T, HeadDim, ValueDim, TileM, TileN, Score>(p, int(wgmma_turn<Score::kCausal>(round)));
    const int group_row = work.first_row + consumer * Shape::kRows;
    const auto ask_keys = [&](int tile) {
      return kept_keys<TileN>(score, work.batch, work.head, tile * TileN, p.kv_len, lane);
    };
    const auto mask_scores = [&](int tile, const auto &kept) {
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
                  score, s[4 * n + 2 * half + pair], p.scale, work.batch, work.head, i,
                  lane_key + n * 8 + pair, p.q_len, p.kv_len, kept.keeps(n * 8 + pair, lane % 4 * 2));
          // As in the mma skeleton: nothing of the generated functions moves to another row.
          if (Score::kHasMask || Score::kHasScore)
            __syncwarp();
        }
      };
      const TileKind kind =
          classify_tile<Score::kCausal, kWindow>(group_row, Shape::kRows, key, TileN, p.kv_len, diagonal);
      if (kind != TileKind::Full) // Empty, too: the consumers go through the same tiles
        apply(BoolConstant<true>{});
      else if constexpr (Score::kHasMask || Score::kHasScore) {
        if (Score::kHasScore || !kept.all())
          apply(BoolConstant<false>{});
      }
    };

    RowState rows[2] = {{-INFINITY, 0.0f}, {-INFINITY, 0.0f}};
#pragma unroll
    for (int i = 0; i < Shape::kDimV / 2; ++i)
      out[i] = 0.0f;
    if (work.end > work.first) {
      float correction[2];
      barrier_wait(&barriers->query_full[consumer], query_parity);
      query_parity ^= 1;
      if (scale.q_factor != 1.0f) { // rare: the sign of a negative scale, see AttentionScale
        for (int i = thread; i < Shape::kQueryBytes / 16; i += kWarpGroupSize) {
          T *elements = reinterpret_cast<T *>(shared_q) + i * 8;
          Vec<T, 8> chunk = Vec<T, 8>::load(elements);
#pragma unroll
          for (int e = 0; e < 8; ++e)
            chunk[e] = from_float<T>(to_float(chunk[e]) * scale.q_factor);
          chunk.store(elements);
        }
        fence_shared_for_wgmma();
        named_sync(1 + consumer, kWarpGroupSize);
      }
      await_keys();
      await_turn();
      wgmma_fence();
      start_scores();
      end_turn();
      const auto kept = ask_keys(work.first);
      wgmma_wait<0>(s);
      release_keys();
      mask_scores(work.first, kept);
      wgmma_softmax<kNaturalScores<Score, T>>(s, rows, correction, scale.exponent);
      round_probabilities();
      if (work.first + 1 < work.end)
        await_keys();
#pragma unroll 1
      for (int tile = work.first + 1; tile < work.end; ++tile) {
        await_turn();
        wgmma_fence();
        start_scores();
        await_values();
        wgmma_fence();
        start_values();
        end_turn();
        const auto kept = ask_keys(tile);
        wgmma_wait<1>(s);
        release_keys();
        mask_scores(tile, kept);
        wgmma_softmax<kNaturalScores<Score, T>>(s, rows, correction, scale.exponent);
        // The next tile's keys are waited for here, and not where they are used, because the assembler would
        // move the wait for the second product before the softmax that runs under it, but for the branch.
        pin_registers(s);
        if (tile + 1 < work.end)
          await_keys();
        wgmma_wait<0>(out);
        release_values();
#pragma unroll
        for (int i = 0; i < Shape::kDimV / 2; ++i)
          out[i] *= correction[i / 2 % 2];
        pin_registers(out);
        round_probabilities();
      }
      release(&barriers->query_empty[consumer]);
      await_values();
      wgmma_fence();
      start_values();
      wgmma_wait<0>(out);
      release_values();
    }

    // Normalised and rounded; a quad of lanes holds 32 columns of a row, of which each stores 8.
    T *target = p.out + work.batch * p.out_batch + work.head * p.out_head;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      RowState &state = rows[half];
      state.sum = warp_reduce<Add, 4>(state.sum);
      const float normaliser = row_normaliser(state.sum);
      const int row = group_row + warp * 16 + half * 8 + lane / 4;
      if (p.statistics && lane % 4 == 0 && row < p.q_len)
        store_statistics<kNaturalScores<Score, T>>(p, work.batch, work.head, row, state);
#pragma unroll
      for (int n = 0; n < Shape::kDimV / 8; n += 4) {
        unsigned int words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
          words[i] = n + i < Shape::kDimV / 8 ? pack_pair<T>(out[4 * (n + i) + 2 * half] * normaliser,
                                                             out[4 * (n + i) + 2 * half + 1] * normaliser)
                                              : 0;
        transpose_quad(words, lane);
        const int column = (n + lane % 4) * 8;
        if (row < p.q_len && column < ValueDim)
          *reinterpret_cast<uint4 *>(target + row * p.out_row + column) =
              uint4{words[0], words[1], words[2], words[3]};
      }
    }
  }
  if (consumer == 0)
    await_turn(); // the last consumer's last end_turn
}

/// The whole kernel. T: bf16 or f16; operands aligned.
template <typename T, int HeadDim, int ValueDim, int TileM, int TileN, int Warps, int Stages, typename Score>
__device__ inline void attention_forward(const AttentionParams<T> &p, const Score &score,
                                         const TensorMap &q_map, const TensorMap &k_map,
                                         const TensorMap &v_map) {
  using Shape = AttentionWgmmaShape<HeadDim, ValueDim, TileM, TileN, Warps, Stages>;
  unsigned char *shared_q = swizzled_shared();
  unsigned char *shared_k = shared_q + Shape::kConsumers * Shape::kQueryBytes;
  unsigned char *shared_v = shared_k + Stages * Shape::kKeyBytes;
  auto *barriers = reinterpret_cast<typename Shape::Barriers *>(shared_v + Stages * Shape::kValueBytes);
  if (threadIdx.x == 0) {
    for (int consumer = 0; consumer < Shape::kConsumers; ++consumer) {
      barrier_init(&barriers->query_full[consumer], 1);
      barrier_init(&barriers->query_empty[consumer], 4);
    }
    for (int stage = 0; stage < Stages; ++stage) {
      barrier_init(&barriers->key_full[stage], 1);
      barrier_init(&barriers->value_full[stage], 1);
      barrier_init(&barriers->key_empty[stage], 4 * Shape::kConsumers);
      barrier_init(&barriers->value_empty[stage], 4 * Shape::kConsumers);
    }
    barrier_init_fence();
    prefetch_map(q_map);
    prefetch_map(k_map);
    prefetch_map(v_map);
  }
  __syncthreads();
  // The same for all threads of a warp, and known to be: the roles must be branches of warps.
  const int group = __shfl_sync(0xffffffffu, int(threadIdx.x) / kWarpGroupSize, 0);
  if (group == 0) {
    lower_registers<Shape::kProducerRegisters>();
    if (threadIdx.x == 0)
      wgmma_produce<T, HeadDim, ValueDim, TileM, TileN, Shape, Score>(p, q_map, k_map, v_map, shared_q,
                                                                      shared_k, shared_v, barriers);
  } else {
    raise_registers<Shape::kConsumerRegisters>();
    wgmma_consume<T, HeadDim, ValueDim, TileM, TileN, Shape>(
        p, score, shared_q + (group - 1) * Shape::kQueryBytes, shared_k, shared_v, barriers, group - 1);
  }
}

} // namespace heddle

#endif // HEDDLE_DEVICE_ATTENTION_FORWARD_WGMMA_CUH
