// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Score functions as the compiler would generate them, for benches and tests of the attention skeletons. The
// same formulas in float64: attention_cases.h.

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_SCORE_CUH
#define HEDDLE_BENCH_KERNELS_ATTENTION_SCORE_CUH

namespace heddle::bench {

/// `MaskOfKeys`: the mask's rows are the same, and forward is told so.
/// `HasSlope`: backward's keys and queries read it, forward does not look, and the bias has none.
template <bool Causal, bool HasMask, bool HasScore, int Window = 0, bool HasSlope = HasScore,
          bool MaskOfKeys = false>
struct TestScore {
  static constexpr bool kCausal = Causal;
  static constexpr int kWindow = Window;
  static constexpr bool kHasMask = HasMask;
  static constexpr bool kHasScore = HasScore;
  static constexpr bool kHasSlope = HasSlope;
  static constexpr bool kMaskOfKeys = MaskOfKeys;
  const unsigned char *mask; // [q_len, kv_len]
  const float *bias;         // [q_len, kv_len]
  long long row;             // kv_len

  __device__ float score(float s, int, int h, int i, int j) const {
    return 30.0f * tanhf((s + bias[i * row + j] * float(h + 1)) / 30.0f);
  }
  __device__ float score(float s, int, int h, int i, int j, float &slope) const {
    const float t = tanhf((s + bias[i * row + j] * float(h + 1)) / 30.0f);
    slope = 1.0f - t * t;
    return 30.0f * t;
  }
  __device__ bool keep(int, int, int i, int j) const { return mask[(MaskOfKeys ? 0 : i * row) + j] != 0; }
};

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_SCORE_CUH
