// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What instances of the attention skeletons are described by, for benches and emulated tests: the element of
// a device type, the score function of a kind, whether two tiles are the same.

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_TRAITS_CUH
#define HEDDLE_BENCH_KERNELS_ATTENTION_TRAITS_CUH

#include "attention_cases.h"
#include "attention_score.cuh"
#include "compiler/Target/CUDA/device/attention_tiles.h"
#include "compiler/Target/CUDA/device/types.cuh"

namespace heddle::bench {

template <typename T>
constexpr Element kElement = Element::F32;
template <>
constexpr Element kElement<bf16> = Element::BF16;
template <>
constexpr Element kElement<f16> = Element::F16;

template <ScoreKind Kind>
struct KindTraits {
  static constexpr bool kKeyMask = Kind == ScoreKind::Padding || Kind == ScoreKind::CausalPadding;
  static constexpr bool kCausal =
      Kind == ScoreKind::Causal || Kind == ScoreKind::Everything || Kind == ScoreKind::CausalPadding;
  static constexpr bool kMask = Kind == ScoreKind::Mask || Kind == ScoreKind::Everything || kKeyMask;
  static constexpr bool kScore = Kind == ScoreKind::Score || Kind == ScoreKind::Everything;
  static constexpr bool kGenerated = (kMask && !kKeyMask) || kScore; // what forward's tile depends on
  using Score = TestScore<kCausal, kMask, kScore, 0, kScore, kKeyMask>;
  using BiasScore = TestScore<kCausal, kMask, kScore, 0, false>; // of the bias kernel
};

constexpr bool isSame(const AttentionTile &a, const AttentionTile &b) {
  return a.tileM == b.tileM && a.tileN == b.tileN && a.warps == b.warps && a.minBlocks == b.minBlocks &&
         a.stages == b.stages;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_TRAITS_CUH
