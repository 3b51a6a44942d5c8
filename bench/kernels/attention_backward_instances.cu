// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instantiations of the attention backward skeletons for bench and checks. HEDDLE_UNIT chooses a part, so
// that parts compile in parallel: 0 bf16 head sizes, 1 bf16 tiles, 2 f16 and unequal widths, 3 float32 head
// sizes, 4 float32 tiles. Of the target, as TargetInfo has it: HEDDLE_SHARED_LIMIT, bytes of shared memory
// that it gives a block, and HEDDLE_SPILLS_WIDE_KEYS.

#include "attention_backward_instances.h"
#include "attention_traits.cuh"

#if HEDDLE_UNIT <= 2
#include "compiler/Target/CUDA/device/attention_backward_mma.cuh"
#else
#include "compiler/Target/CUDA/device/attention_backward_simt.cuh"
#endif

namespace heddle::bench {
namespace {

constexpr int kSharedLimit = HEDDLE_SHARED_LIMIT;
#if HEDDLE_UNIT <= 2
constexpr AttentionTile keysTile(int d, int v) {
  return attentionBackwardMmaKeysTile(d, v, kSharedLimit, HEDDLE_SPILLS_WIDE_KEYS);
}
#endif

#if HEDDLE_UNIT <= 2
template <typename T, typename Out, int D, int V, int M, int N, int W, int B, int S, bool Aligned,
          typename Score>
__global__ void __launch_bounds__(W * 32, B)
    keys_kernel(const __grid_constant__ AttentionBackwardParams<T, Out> params,
                const __grid_constant__ Score score) {
  attention_backward_keys<T, D, V, M, N, W, S, Score, Aligned, Out>(params, score);
}
template <typename T, typename Out, int D, int V, int M, int N, int W, int B, int S, bool Aligned,
          typename Score>
__global__ void __launch_bounds__(W * 32, B)
    queries_kernel(const __grid_constant__ AttentionBackwardParams<T, Out> params,
                   const __grid_constant__ Score score) {
  attention_backward_queries<T, D, V, M, N, W, S, Score, Aligned, Out>(params, score);
}
template <typename T, typename Out, int D, int V, int M, int N, int W, int B, int S, bool Aligned,
          typename Score>
__global__ void __launch_bounds__(W * 32, B)
    bias_kernel(const __grid_constant__ AttentionBackwardParams<T, Out> params,
                const __grid_constant__ AttentionBiasGradient gradient, const __grid_constant__ Score score) {
  attention_backward_bias<T, D, V, M, N, W, S, Score, Aligned, Out>(params, gradient, score);
}
#else
template <typename T, int D, int V, int M, int N, int W, int B, bool Aligned, typename Score>
__global__ void __launch_bounds__(W * 32, B)
    keys_kernel(const __grid_constant__ AttentionBackwardParams<T> params,
                const __grid_constant__ Score score) {
  attention_backward_keys<T, D, V, M, N, W, Score, Aligned>(params, score);
}
template <typename T, int D, int V, int M, int N, int W, int B, bool Aligned, typename Score>
__global__ void __launch_bounds__(W * 32, B)
    bias_kernel(const __grid_constant__ AttentionBackwardParams<T> params,
                const __grid_constant__ AttentionBiasGradient gradient, const __grid_constant__ Score score) {
  attention_backward_bias<T, D, V, M, N, W, Score, Aligned>(params, gradient, score);
}
#endif

template <typename Kernel>
BackwardKernel describe(Kernel *function, const AttentionTile &tile, int sharedBytes) {
  return {reinterpret_cast<const void *>(function), tile, sharedBytes};
}

#if HEDDLE_UNIT <= 2
/// One instance: the keys kernel with tile M x N x W x B, the queries kernel with M2 x N2 x W2 x B2. Stages
/// are those of the default tiles.
template <typename T, typename Out, int D, int V, int M, int N, int W, int B, int M2, int N2, int W2, int B2,
          ScoreKind Kind, bool Aligned = true>
void add() {
  using Traits = KindTraits<Kind>;
  using Score = typename Traits::Score;
  constexpr AttentionTile usualKeys = keysTile(D, V);
  constexpr AttentionTile usualQueries = attentionBackwardMmaQueriesTile(D, V, kSharedLimit);
  constexpr AttentionTile keys{M, N, W, B, usualKeys.stages};
  constexpr AttentionTile queries{M2, N2, W2, B2, usualQueries.stages};
  constexpr AttentionTile bias = attentionBackwardMmaBiasTile(D, V);
  constexpr int keysBytes = attentionBackwardMmaSharedBytes(D, V, N, M, keys.stages);
  constexpr int queriesBytes = attentionBackwardMmaSharedBytes(D, V, M2, N2, queries.stages);
  constexpr int biasBytes = attentionBackwardMmaSharedBytes(D, V, bias.tileM, bias.tileN, bias.stages);
  static_assert(AttentionBackwardMmaShape<D, V, N, M, W, keys.stages>::kSharedBytes == keysBytes);
  static_assert(AttentionBackwardMmaShape<D, V, M2, N2, W2, queries.stages>::kSharedBytes == queriesBytes);
  static_assert(
      AttentionBackwardMmaShape<D, V, bias.tileM, bias.tileN, bias.warps, bias.stages>::kSharedBytes ==
      biasBytes);
  static_assert(keysBytes <= kSharedLimit && queriesBytes <= kSharedLimit && biasBytes <= kSharedLimit);
  const bool isDefault = isSame(keys, usualKeys) && isSame(queries, usualQueries);
  BackwardKernel gradient; // of a bias, which only a score function can add
  if constexpr (Traits::kScore)
    gradient = describe(bias_kernel<T, Out, D, V, bias.tileM, bias.tileN, bias.warps, bias.minBlocks,
                                    bias.stages, Aligned, typename Traits::BiasScore>,
                        bias, biasBytes);
  backwardInstances().push_back(
      {"mma", kElement<T>, kElement<Out>, Kind, D, V, Aligned, isDefault,
       describe(keys_kernel<T, Out, D, V, M, N, W, B, keys.stages, Aligned, Score>, keys, keysBytes),
       describe(queries_kernel<T, Out, D, V, M2, N2, W2, B2, queries.stages, Aligned, Score>, queries,
                queriesBytes),
       gradient, attention_keys_passes(D, V)});
}

/// The default tiles for one kind.
template <typename T, int D, int V, ScoreKind Kind, bool Aligned = true, typename Out = T>
void usual() {
  constexpr AttentionTile k = keysTile(D, V);
  constexpr AttentionTile q = attentionBackwardMmaQueriesTile(D, V, kSharedLimit);
  add<T, Out, D, V, k.tileM, k.tileN, k.warps, k.minBlocks, q.tileM, q.tileN, q.warps, q.minBlocks, Kind,
      Aligned>();
}

/// Alternatives, with and without kCausal.
template <typename T, int D, int M, int N, int W, int B, int M2, int N2, int W2, int B2>
void tiles() {
  add<T, T, D, D, M, N, W, B, M2, N2, W2, B2, ScoreKind::Full>();
  add<T, T, D, D, M, N, W, B, M2, N2, W2, B2, ScoreKind::Causal>();
}
#else
template <typename T, int D, int V, int M, int N, int W, int B, ScoreKind Kind, bool Aligned = true>
void add() {
  using Traits = KindTraits<Kind>;
  constexpr AttentionTile tile{M, N, W, B};
  constexpr int bytes = attentionBackwardSimtSharedBytes(D, V, tile);
  static_assert(AttentionBackwardSimtShape<D, V, M, N, W>::kSharedBytes == bytes);
  static_assert(bytes <= kSharedLimit);
  BackwardKernel gradient;
  if constexpr (Traits::kScore)
    gradient = describe(bias_kernel<T, D, V, M, N, W, B, Aligned, typename Traits::BiasScore>, tile, bytes);
  backwardInstances().push_back(
      {"simt", kElement<T>, kElement<T>, Kind, D, V, Aligned,
       isSame(tile, attentionBackwardSimtTile(D, V, Traits::kGenerated, kSharedLimit)),
       describe(keys_kernel<T, D, V, M, N, W, B, Aligned, typename Traits::Score>, tile, bytes),
       BackwardKernel{}, gradient, 1});
}

template <typename T, int D, int V, ScoreKind Kind, bool Aligned = true, typename Out = T>
void usual() {
  constexpr AttentionTile t = attentionBackwardSimtTile(D, V, KindTraits<Kind>::kGenerated, kSharedLimit);
  add<T, D, V, t.tileM, t.tileN, t.warps, t.minBlocks, Kind, Aligned>();
}

template <typename T, int D, int M, int N, int W, int B>
void tiles() {
  add<T, D, D, M, N, W, B, ScoreKind::Full>();
  add<T, D, D, M, N, W, B, ScoreKind::Causal>();
}
#endif

/// Kinds of a head size: all of them for the sizes that models use most.
template <typename T, int D, bool All = false>
void sizes() {
  usual<T, D, D, ScoreKind::Causal>();
  usual<T, D, D, ScoreKind::Everything>();
  if constexpr (All) {
    usual<T, D, D, ScoreKind::Mask>();
    usual<T, D, D, ScoreKind::Score>();
    usual<T, D, D, ScoreKind::Causal, false>();
  }
}

template <typename T>
void allSizes() {
  sizes<T, 16>();
  sizes<T, 40>();
  sizes<T, 64, true>();
  sizes<T, 96>();
  sizes<T, 128>();
  sizes<T, 256>();
  // For the times.
  usual<T, 64, 64, ScoreKind::Full>();
  usual<T, 128, 128, ScoreKind::Full>();
  usual<T, 80, 80, ScoreKind::Causal>();
  if constexpr (kElement<T> == Element::F32) {
    usual<T, 16, 16, ScoreKind::Full>();
    usual<T, 32, 32, ScoreKind::Full>();
    usual<T, 32, 32, ScoreKind::Causal>();
  } else {
    usual<T, 80, 80, ScoreKind::Full>();
  }
}

const bool registered = [] {
#if HEDDLE_UNIT == 0
  allSizes<bf16>();
#elif HEDDLE_UNIT == 1
  tiles<bf16, 64, 32, 128, 4, 2, 128, 32, 4, 2>();
  tiles<bf16, 64, 64, 64, 4, 3, 64, 64, 4, 3>();
  tiles<bf16, 64, 64, 128, 8, 1, 64, 32, 4, 4>();
  tiles<bf16, 80, 64, 128, 8, 1, 64, 64, 4, 2>();
  tiles<bf16, 128, 32, 64, 4, 2, 64, 32, 4, 2>();
  tiles<bf16, 128, 64, 128, 8, 1, 64, 64, 4, 2>();
#elif HEDDLE_UNIT == 2
  sizes<f16, 64>();
  sizes<f16, 72>();
  usual<bf16, 64, 128, ScoreKind::Causal>();
  usual<f16, 128, 64, ScoreKind::Everything>();
  usual<bf16, 72, 8, ScoreKind::Causal, false>();
  usual<bf16, 64, 64, ScoreKind::Everything, true, float>();
  usual<f16, 24, 40, ScoreKind::Causal, false, float>();
#elif HEDDLE_UNIT == 3
  allSizes<float>();
  usual<float, 64, 128, ScoreKind::Causal>();
  usual<float, 128, 64, ScoreKind::Everything>();
  usual<float, 24, 40, ScoreKind::Full>();
  usual<float, 72, 8, ScoreKind::Causal, false>();
#elif HEDDLE_UNIT == 4
  tiles<float, 16, 32, 128, 8, 2>();
  tiles<float, 32, 32, 128, 8, 2>();
  tiles<float, 64, 32, 128, 8, 1>();
  tiles<float, 64, 64, 64, 8, 1>();
  tiles<float, 128, 32, 64, 8, 1>();
  tiles<float, 128, 32, 32, 8, 1>();
#endif
  return true;
}();

} // namespace
} // namespace heddle::bench
