// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiations of the attention skeletons for bench and checks. HEDDLE_UNIT chooses a part, so that parts
// compile in parallel: 0 bf16 head sizes, 1 bf16 tiles, 2 f16 and unequal widths, 3 float32 head sizes, 4
// float32 tiles; for sm_90a 5 bf16 head sizes, 6 bf16 tiles, 7 f16 and unequal widths.

#include "attention_instances.h"
#include "attention_traits.cuh"

#if HEDDLE_UNIT <= 2
#include "compiler/Target/CUDA/device/attention_forward_mma.cuh"
#elif HEDDLE_UNIT <= 4
#include "compiler/Target/CUDA/device/attention_forward_simt.cuh"
#else
#include "compiler/Target/CUDA/device/attention_forward_wgmma.cuh"
#endif

namespace heddle::bench {
namespace {

[[maybe_unused]] constexpr int kSharedLimit = 227 * 1024; // of a block, compute capability 9.0

// The unit's skeleton: its name, what attention_tiles.h says of it, and its own sizes.
#if HEDDLE_UNIT <= 2
constexpr const char *kFamily = "mma";
template <int D, int V, int M, int N, int W, int>
using Shape = AttentionMmaShape<D, V, M, N, W>;
constexpr AttentionTile usualTile(int d, int v, bool generated, bool) {
  return attentionMmaTile(d, v, generated);
}
constexpr int sharedBytes(int d, int v, const AttentionTile &tile) {
  return attentionMmaSharedBytes(d, v, tile);
}
#elif HEDDLE_UNIT <= 4
constexpr const char *kFamily = "simt";
template <int D, int V, int M, int N, int W, int>
using Shape = AttentionSimtShape<D, V, M, N, W>;
constexpr AttentionTile usualTile(int d, int v, bool generated, bool causal) {
  return attentionSimtTile(d, v, generated, causal, kSharedLimit);
}
constexpr int sharedBytes(int d, int v, const AttentionTile &tile) {
  return attentionSimtSharedBytes(d, v, tile);
}
#else
constexpr const char *kFamily = "wgmma";
template <int D, int V, int M, int N, int W, int Stages>
using Shape = AttentionWgmmaShape<D, V, M, N, W, Stages>;
constexpr AttentionTile usualTile(int d, int v, bool generated, bool causal) {
  return attentionWgmmaTile(d, v, causal, generated);
}
constexpr int sharedBytes(int d, int v, const AttentionTile &tile) {
  return attentionWgmmaSharedBytes(d, v, tile);
}
#endif

#if HEDDLE_UNIT < 5
template <typename T, int D, int V, int M, int N, int W, int B, int, bool Aligned, typename Score>
__global__ void __launch_bounds__(W * 32, B)
    attention_kernel(const __grid_constant__ AttentionParams<T> params, const __grid_constant__ Score score) {
  attention_forward<T, D, V, M, N, W, Score, Aligned>(params, score);
}
#else
template <typename T, int D, int V, int M, int N, int W, int B, int Stages, bool, typename Score>
__global__ void __launch_bounds__(W * 32, B)
    attention_kernel(const __grid_constant__ AttentionParams<T> params, const __grid_constant__ Score score,
                     const __grid_constant__ TensorMap q_map, const __grid_constant__ TensorMap k_map,
                     const __grid_constant__ TensorMap v_map) {
  attention_forward<T, D, V, M, N, W, Stages>(params, score, q_map, k_map, v_map);
}
#endif

template <typename T, int D, int V, int M, int N, int W, int B, int Stages, ScoreKind Kind,
          bool Aligned = true>
void add() {
  using Traits = KindTraits<Kind>;
  constexpr AttentionTile tile{M, N, W, B, Stages};
  constexpr int bytes = Shape<D, V, M, N, W, Stages>::kSharedBytes;
  static_assert(bytes == sharedBytes(D, V, tile));
  static_assert(bytes <= kSharedLimit);
#if HEDDLE_UNIT >= 5
  static_assert(Shape<D, V, M, N, W, Stages>::kRows == kAttentionWgmmaRows);
  static_assert(kSwizzleColumns == kAttentionWgmmaColumns);
#endif
  const bool isDefault = isSame(tile, usualTile(D, V, Traits::kGenerated, Traits::kCausal));
  const auto kernel = attention_kernel<T, D, V, M, N, W, B, Stages, Aligned, typename Traits::Score>;
  instances().push_back({kFamily, kElement<T>, Kind, D, V, tile, Aligned, isDefault,
                         reinterpret_cast<const void *>(kernel), bytes, HEDDLE_UNIT >= 5});
}

/// The default tile for one kind.
template <typename T, int D, int V, ScoreKind Kind, bool Aligned = true>
void usual() {
  constexpr AttentionTile t = usualTile(D, V, KindTraits<Kind>::kGenerated, KindTraits<Kind>::kCausal);
  add<T, D, V, t.tileM, t.tileN, t.warps, t.minBlocks, t.stages, Kind, Aligned>();
}

/// Kinds of a head size: all of them for the sizes that models use most.
template <typename T, int D, bool All = false>
void sizes() {
  usual<T, D, D, ScoreKind::Causal>();
  usual<T, D, D, ScoreKind::Everything>();
  if constexpr (All) {
    usual<T, D, D, ScoreKind::Full>();
    usual<T, D, D, ScoreKind::Mask>();
    usual<T, D, D, ScoreKind::Score>();
    usual<T, D, D, ScoreKind::Padding>();
    usual<T, D, D, ScoreKind::CausalPadding>();
    if constexpr (HEDDLE_UNIT <= 4) // the wgmma skeleton wants aligned rows
      usual<T, D, D, ScoreKind::Causal, false>();
  }
}

template <typename T>
void allSizes() {
  sizes<T, 16, true>();
  sizes<T, 24>();
  sizes<T, 32, true>();
  sizes<T, 40>();
  sizes<T, 48>();
  sizes<T, 56, true>();
  sizes<T, 64, true>();
  sizes<T, 72>();
  sizes<T, 80>();
  sizes<T, 88>();
  sizes<T, 96, true>();
  sizes<T, 104>();
  sizes<T, 112>();
  sizes<T, 120>();
  sizes<T, 128, true>();
}

template <typename T>
void unequalSizes() {
  usual<T, 64, 128, ScoreKind::Causal>();
  usual<T, 128, 64, ScoreKind::Everything>();
  usual<T, 24, 40, ScoreKind::Full>();
  usual<T, 72, 8, ScoreKind::Causal, HEDDLE_UNIT >= 5>();
}

/// Alternatives to the default tile, with and without kCausal.
template <typename T, int D, int M, int N, int W, int B, int Stages = 0>
void tiles() {
  constexpr AttentionTile tile{M, N, W, B, Stages};
  if constexpr (!isSame(usualTile(D, D, false, false), tile))
    add<T, D, D, M, N, W, B, Stages, ScoreKind::Full>();
  if constexpr (!isSame(usualTile(D, D, false, true), tile))
    add<T, D, D, M, N, W, B, Stages, ScoreKind::Causal>();
}

const bool registered = [] {
#if HEDDLE_UNIT == 0
  allSizes<bf16>();
#elif HEDDLE_UNIT == 1
  tiles<bf16, 64, 128, 128, 4, 2>();
  tiles<bf16, 64, 128, 64, 8, 2>();
  tiles<bf16, 64, 64, 64, 2, 4>();
  tiles<bf16, 64, 64, 64, 4, 3>();
  tiles<bf16, 64, 64, 64, 4, 4>();
  tiles<bf16, 64, 64, 128, 4, 2>();
  tiles<bf16, 80, 128, 64, 8, 2>();
  tiles<bf16, 80, 64, 64, 2, 4>();
  tiles<bf16, 80, 64, 64, 4, 3>();
  tiles<bf16, 128, 128, 32, 4, 2>();
  tiles<bf16, 128, 64, 64, 4, 3>();
  tiles<bf16, 128, 256, 64, 8, 1>();
#elif HEDDLE_UNIT == 2
  sizes<f16, 16>();
  sizes<f16, 64, true>();
  sizes<f16, 72>();
  sizes<f16, 128>();
  unequalSizes<bf16>();
  unequalSizes<f16>();
#elif HEDDLE_UNIT == 3
  allSizes<float>();
  unequalSizes<float>();
#elif HEDDLE_UNIT == 4
  tiles<float, 16, 64, 64, 2, 4>();
  tiles<float, 32, 64, 64, 2, 4>();
  tiles<float, 64, 128, 32, 4, 2>();
  tiles<float, 64, 64, 64, 2, 3>();
  tiles<float, 64, 64, 32, 2, 4>();
  tiles<float, 64, 256, 64, 8, 1>();
  tiles<float, 80, 64, 32, 2, 3>();
  tiles<float, 128, 256, 32, 8, 1>();
  tiles<float, 128, 128, 32, 4, 1>();
  tiles<float, 128, 64, 32, 2, 2>();
#elif HEDDLE_UNIT == 5
  allSizes<bf16>();
#elif HEDDLE_UNIT == 6
  usual<bf16, 80, 80, ScoreKind::Full>();
  tiles<bf16, 64, 192, 128, 16, 1, 3>();
  tiles<bf16, 64, 128, 128, 12, 1, 2>();
  tiles<bf16, 80, 192, 96, 16, 1, 2>();
  tiles<bf16, 80, 128, 128, 12, 1, 2>();
#elif HEDDLE_UNIT == 7
  sizes<f16, 16>();
  sizes<f16, 64, true>();
  sizes<f16, 72>();
  sizes<f16, 128>();
  unequalSizes<bf16>();
  unequalSizes<f16>();
#endif
  return true;
}();

} // namespace
} // namespace heddle::bench
