// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attention skeletons against float64, run thread by thread on the CPU (Emulation.h): head sizes that
// need padding, value widths that differ, ragged lengths and strides, masks, scores, grouped heads, and signs
// of the scale. Compiled with -DHEDDLE_SIMT for float32, with -DHEDDLE_WGMMA for bf16 and f16 on sm_90a,
// without for bf16 and f16 elsewhere.

#include "Emulation.h"

#ifdef HEDDLE_SIMT
#include "compiler/Target/CUDA/device/attention_forward_simt.cuh"
#elif defined(HEDDLE_WGMMA)
#include "EmulatedWgmma.h"

#include "compiler/Target/CUDA/device/attention_forward_wgmma.cuh"
#else
#include "compiler/Target/CUDA/device/attention_forward_mma.cuh"
#endif

using namespace heddle;
using namespace heddle::bench;

namespace {

int failures = 0;
int runs = 0;

#ifdef HEDDLE_WGMMA
/// The stages that attention_tiles.h gives a tile of this size; 0 where no head size and mask has it.
constexpr int shippedStages(int tileM, int tileN, int warps) {
  for (int dim = 8; dim <= kAttentionWgmmaDim; dim += 8)
    for (bool causal : {false, true})
      for (bool generated : {false, true}) {
        const AttentionTile tile = attentionWgmmaTile(dim, dim, causal, generated);
        if (tile.tileM == tileM && tile.tileN == tileN && tile.warps == warps)
          return tile.stages;
      }
  return 0;
}
#endif

template <typename T, int D, int V, int M, int N, int W, typename Score>
void launch(const AttentionParams<T> &p, const Score &score, bool aligned, uint64_t seed) {
  const int blocks = attention_blocks(p.batch, p.heads, p.q_len, M);
#ifdef HEDDLE_WGMMA
  if (!aligned)
    emulation::die("the tensor unit wants aligned rows");
  constexpr int kStages = shippedStages(M, N, W);
  static_assert(kStages > 0, "wanted a tile that is shipped");
  using Shape = AttentionWgmmaShape<D, V, M, N, W, kStages>;
  static_assert(Shape::kRows == kAttentionWgmmaRows && kSwizzleColumns == kAttentionWgmmaColumns);
  static_assert(Shape::kSharedBytes == attentionWgmmaSharedBytes(D, V, {M, N, W, 1, kStages}));
  const TensorMap q{p.q, D, p.q_len, p.heads, p.batch, p.q_row, p.q_head, p.q_batch, kAttentionWgmmaRows};
  const TensorMap k{p.k, D, p.kv_len, p.kv_heads, p.batch, p.k_row, p.k_head, p.k_batch, N};
  const TensorMap v{p.v, V, p.kv_len, p.kv_heads, p.batch, p.v_row, p.v_head, p.v_batch, N};
  // A third of the tiles' number of blocks, too: then blocks go on to further tiles, there and back.
  emulation::launch(seed % 2 ? blocks : (blocks + 2) / 3, W * 32, Shape::kSharedBytes, seed,
                    [&] { attention_forward<T, D, V, M, N, W, kStages>(p, score, q, k, v); });
#else
#ifdef HEDDLE_SIMT
  using Shape = AttentionSimtShape<D, V, M, N, W>;
#else
  using Shape = AttentionMmaShape<D, V, M, N, W>;
#endif
  emulation::launch(blocks, W * 32, Shape::kSharedBytes, seed, [&] {
    if (aligned)
      attention_forward<T, D, V, M, N, W, Score, true>(p, score);
    else
      attention_forward<T, D, V, M, N, W, Score, false>(p, score);
  });
#endif
}

template <typename T, int D, int V, int M, int N, int W, bool Causal, bool Mask, bool HasScore,
          int Window = 0, bool KeyMask = false>
void run(Problem p) {
#ifdef HEDDLE_WGMMA // wants aligned rows
  if (p.layout == Layout::Ragged)
    p.layout = Layout::Packed;
#endif
  p.window = Window;
  p.element = kElement<T>;
  p.headDim = D;
  p.valueDim = V;
  p.kind = KeyMask && Causal ? ScoreKind::CausalPadding
           : KeyMask         ? ScoreKind::Padding
           : Causal && Mask  ? ScoreKind::Everything
           : Causal          ? ScoreKind::Causal
           : Mask            ? ScoreKind::Mask
           : HasScore        ? ScoreKind::Score
                             : ScoreKind::Full;
  const Operands o = makeOperands(p);
  emulation::Buffer<T> inputs(o.inputs), out(o.outElements);
  T *in = inputs.data(), *result = out.data();
  std::vector<float> statistics(2ull * p.batch * p.heads * p.qLen, std::nanf(""));
  AttentionParams<T> params{in + o.q.offset,
                            in + o.k.offset,
                            in + o.v.offset,
                            result + o.out.offset,
                            p.wantStatistics ? statistics.data() : nullptr,
                            p.batch,
                            p.heads,
                            p.kvHeads,
                            p.qLen,
                            p.kvLen,
                            o.q.batch,
                            o.q.head,
                            o.q.row,
                            o.k.batch,
                            o.k.head,
                            o.k.row,
                            o.v.batch,
                            o.v.head,
                            o.v.row,
                            o.out.batch,
                            o.out.head,
                            o.out.row,
                            p.scale};
  using Score = TestScore<Causal, Mask, HasScore, Window, HasScore, KeyMask>;
  launch<T, D, V, M, N, W>(params, Score{o.mask.data(), o.bias.data(), p.kvLen}, p.layout != Layout::Ragged,
                           p.seed);
  const CheckResult check = bench::check(p, o, out.decoded(), statistics, 1);
  ++runs;
  failures += !check.ok;
  std::printf("%s %s: %.3f of the bound, %.2f of plain float32%s%s\n", check.ok ? "ok  " : "FAIL",
              p.text().c_str(), check.error, check.plainRatio, check.ok ? "" : ": ", check.message.c_str());
}

/// A bias that stands for a mask in some models: finite, so large that it swallows every score. A row of them
/// alone is the average of the values.
struct SwallowingScore {
  static constexpr bool kCausal = false;
  static constexpr bool kHasMask = false;
  static constexpr bool kHasScore = true;
  static constexpr const char *kName = "swallowed by a bias";
  float score(float s, int, int, int, int) const { return s - 3.4e38f; }
  bool keep(int, int, int, int) const { return true; }
};

/// A bias of the distance, as in case O2: around 1000 a score has rounding steps of 6e-5, and whatever is
/// rounded after it costs as much again.
struct SteepScore {
  static constexpr bool kCausal = false;
  static constexpr bool kHasMask = false;
  static constexpr bool kHasScore = true;
  static constexpr const char *kName = "with a steep bias";
  float score(float, int, int, int i, int j) const { return 1000.0f - 0.37f * float(j + i % 3); }
  bool keep(int, int, int, int) const { return true; }
};

/// Scores that depend on the place alone: what softmax makes of them is compared with float64.
template <typename T, int D, int V, int M, int N, int W, typename Score>
void runPlaced(uint64_t seed) {
  constexpr int kQueries = 17, kKeys = N + 9; // An edge tile and a full one.
  emulation::Buffer<T> in(kQueries * D + kKeys * (D + V)), out(kQueries * V);
  T *q = in.data(), *k = q + kQueries * D, *v = k + kKeys * D, *result = out.data();
  for (int i = 0; i < kQueries * D + kKeys * D; ++i)
    q[i] = from_float<T>(float(i % 11 - 5) / 8);
  for (int i = 0; i < kKeys * V; ++i)
    v[i] = from_float<T>(float(i % 13 - 6) / 8);
  AttentionParams<T> params{q,
                            k,
                            v,
                            result,
                            nullptr,
                            1,
                            1,
                            1,
                            kQueries,
                            kKeys,
                            kQueries * D,
                            kQueries * D,
                            D,
                            kKeys * D,
                            kKeys * D,
                            D,
                            kKeys * V,
                            kKeys * V,
                            V,
                            kQueries * V,
                            kQueries * V,
                            V,
                            1.0f};
  launch<T, D, V, M, N, W>(params, Score{}, true, seed);
  // An exponential is good to 2 ulp of a factor that is at most 1; the sum, its reciprocal and the product
  // round once each. bf16 and f16 round the exponentials and the result.
  const double bound = kElement<T> == Element::F32 ? 0x1p-20 : 0x1p-7;
  double worst = 0;
  for (int i = 0; i < kQueries; ++i)
    for (int c = 0; c < V; ++c) {
      double sum = 0, weights = 0;
      for (int j = 0; j < kKeys; ++j) {
        const double weight =
            std::exp(double(Score().score(0.0f, 0, 0, i, j)) - double(Score().score(0.0f, 0, 0, i, 0)));
        weights += weight;
        sum += weight * double((j * V + c) % 13 - 6) / 8; // |value| < 1
      }
      const double error = std::fabs(to_float(result[i * V + c]) - sum / weights);
      worst = error <= worst ? worst : error; // A NaN stays.
    }
  const bool ok = worst <= bound;
  ++runs;
  failures += !ok;
  std::printf("%s scores %s, d%d v%d, tile %dx%d: %.3f of the bound\n", ok ? "ok  " : "FAIL", Score::kName, D,
              V, M, N, worst / bound);
}

/// Windows of one key, within a tile, and of more than one; with all else; where the first queries see no
/// key; and far into the keys, whose first tiles must not be read.
template <typename T, int D, int V, int M, int N, int W>
void windows(uint64_t seed) {
  Problem p;
  p.seed = seed;
  p.scale = 1.0f / std::sqrt(float(D));
  const auto sized = [&](int heads, int q, int k, Layout layout) {
    Problem r = p;
    r.heads = heads, r.qLen = q, r.kvLen = k, r.layout = layout;
    return r;
  };
  run<T, D, V, M, N, W, true, false, false, 1>(sized(1, M + 5, M + 5, Layout::Contiguous));
  run<T, D, V, M, N, W, true, false, false, 7>(sized(2, M + 40, M + 40 + N, Layout::Packed));
  run<T, D, V, M, N, W, true, false, false, N + 3>(sized(1, M + 9, 2 * M + 9, Layout::Ragged));
  run<T, D, V, M, N, W, true, true, true, N>(sized(1, M + 2, M + 70, Layout::Contiguous));
  run<T, D, V, M, N, W, true, false, false, 20>(sized(1, M + 40, 2 * N + 3, Layout::Contiguous));
  run<T, D, V, M, N, W, true, false, false, 33>(sized(1, M + 1, 512 + M, Layout::Contiguous));
  run<T, D, V, M, N, W, true, false, false, 2147483647>(sized(1, 33, 40, Layout::Contiguous));
}

/// Small problems that meet each path of the kernel, for one choice of tile.
template <typename T, int D, int V, int M, int N, int W>
void suite(uint64_t seed) {
  Problem p;
  p.seed = seed;
  p.scale = 1.0f / std::sqrt(float(D));
  const auto sized = [&](int b, int h, int kv, int q, int k, Layout layout) {
    Problem r = p;
    r.batch = b, r.heads = h, r.kvHeads = kv, r.qLen = q, r.kvLen = k, r.layout = layout;
    return r;
  };
  run<T, D, V, M, N, W, false, false, false>(sized(1, 1, 1, 1, 1, Layout::Contiguous));
  run<T, D, V, M, N, W, true, false, false>(sized(2, 2, 1, M + 1, M + 1, Layout::Packed));
  run<T, D, V, M, N, W, true, false, false>(
      sized(1, 1, 1, M + 40, 2 * N + 3, Layout::Ragged)); // some see no key
  Problem negative = sized(1, 2, 2, 33, 3 * N, Layout::Contiguous);
  negative.scale = -p.scale;
  negative.wantStatistics = false;
  run<T, D, V, M, N, W, false, false, false>(negative);
  run<T, D, V, M, N, W, false, true, false>(sized(1, 1, 1, 45, N + 9, Layout::Contiguous));
  run<T, D, V, M, N, W, false, false, true>(sized(1, 2, 1, 17, N + 1, Layout::Packed));
  run<T, D, V, M, N, W, true, true, true>(sized(1, 1, 1, M + 2, M + 70, Layout::Ragged));
  if constexpr (N % 32 == 0) { // Padding, with tiles that are kept whole, in part and not at all; and causal.
    run<T, D, V, M, N, W, false, true, false, 0, true>(sized(2, 1, 1, 33, 331, Layout::Packed));
    run<T, D, V, M, N, W, true, true, false, 0, true>(sized(1, 1, 1, M + 2, M + 230, Layout::Contiguous));
  }
  runPlaced<T, D, V, M, N, W, SwallowingScore>(seed);
  runPlaced<T, D, V, M, N, W, SteepScore>(seed);
  Problem zero = sized(1, 1, 1, 5, 7, Layout::Contiguous);
  zero.scale = 0;
  run<T, D, V, M, N, W, false, false, false>(zero);
}

} // namespace

int main() {
#ifdef HEDDLE_SIMT
  suite<float, 64, 64, 128, 64, 4>(1);
  suite<float, 16, 16, 64, 64, 2>(2);
  suite<float, 24, 40, 64, 64, 2>(3);
  suite<float, 32, 32, 64, 128, 2>(4);
  suite<float, 128, 128, 96, 32, 3>(5);
  suite<float, 104, 72, 32, 32, 1>(6);
  suite<float, 48, 24, 32, 64, 1>(7);
  suite<float, 256, 256, 64, 32, 4>(8);
  suite<float, 136, 192, 64, 32, 4>(9);
  windows<float, 64, 64, 128, 64, 4>(10);
  windows<float, 40, 72, 32, 32, 1>(11);
  windows<float, 256, 160, 64, 32, 4>(12);
#elif defined(HEDDLE_WGMMA)
  suite<bf16, 64, 64, 192, 128, 16>(1);
  suite<bf16, 128, 128, 128, 128, 12>(2);
  suite<f16, 72, 104, 128, 64, 12>(3);
  suite<bf16, 24, 40, 128, 64, 12>(4);
  suite<f16, 88, 16, 192, 96, 16>(6);
  windows<bf16, 64, 64, 128, 128, 12>(8);
  windows<f16, 40, 72, 192, 96, 16>(9);
#else
  suite<bf16, 64, 64, 128, 64, 4>(1);
  suite<f16, 16, 16, 64, 64, 4>(2);
  suite<bf16, 24, 40, 64, 32, 2>(3);
  suite<bf16, 128, 128, 64, 64, 2>(4);
  suite<f16, 72, 104, 32, 32, 1>(5);
  suite<bf16, 40, 8, 64, 16, 4>(6);
  suite<bf16, 256, 256, 64, 32, 4>(7);
  suite<f16, 136, 200, 64, 32, 4>(8);
  windows<bf16, 64, 64, 128, 64, 4>(9);
  windows<f16, 72, 40, 32, 32, 1>(10);
  windows<bf16, 256, 128, 64, 32, 4>(11);
#endif
  std::printf("%d of %d failed\n", failures, runs);
  return failures != 0;
}
