// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backward attention skeletons against float64, run thread by thread on the CPU (Emulation.h): head sizes
// that need padding, value widths that differ, ragged lengths and strides, masks, windows, scores with a
// slope, grouped heads, queries and keys that see nothing, and gradients of biases. Compiled with
// -DHEDDLE_SIMT for float32, without for bf16 and f16.

#include "Emulation.h"

#include "bench/kernels/attention_backward_cases.h"
#ifdef HEDDLE_SIMT
#include "compiler/Target/CUDA/device/attention_backward_simt.cuh"
#else
#include "compiler/Target/CUDA/device/attention_backward_mma.cuh"
#endif

using namespace heddle;
using namespace heddle::bench;

namespace {

int failures = 0;
int runs = 0;

/// Shared memory of a block, compute capability 9.0.
[[maybe_unused]] constexpr int kSharedLimit = 227 * 1024;

/// Blocks that run at a time, some of which wait for a turn at dq.
int residentBlocks(const Problem &p) { return 1 + int(p.seed % 4); }

/// `seed`: of the order in which threads and blocks run.
template <typename T, typename Out, int D, int V, int M, int N, int W, bool Aligned, typename Score,
          typename BiasScore>
void launch(const AttentionBackwardParams<T, Out> &p, const AttentionBiasGradient &bias, const Score &score,
            const BiasScore &biasScore, [[maybe_unused]] int resident, uint64_t seed) {
  const int key_tiles = ceil_div(p.kv_len, N);
#ifdef HEDDLE_SIMT
  const int bias_blocks = bias.batch * bias.heads * ceil_div(p.q_len, M) * key_tiles;
  using Shape = AttentionBackwardSimtShape<D, V, M, N, W>;
  static_assert(Shape::kSharedBytes == attentionBackwardSimtSharedBytes(D, V, {M, N, W, 1}));
  emulation::launch(
      p.batch * p.kv_heads * key_tiles, W * 32, Shape::kSharedBytes, seed,
      [&] { attention_backward_keys<T, D, V, M, N, W, Score, Aligned>(p, score); }, resident);
  emulation::launch(bias_blocks, W * 32, Shape::kSharedBytes, seed, [&] {
    attention_backward_bias<T, D, V, M, N, W, BiasScore, Aligned>(p, bias, biasScore);
  });
#else
  // M and N are those of the keys kernel; the queries kernel owns what it streams.
  constexpr int kStages = attentionBackwardMmaKeysTile(D, V, kSharedLimit, false).stages;
  static_assert(kStages == attentionBackwardMmaQueriesTile(D, V, kSharedLimit).stages);
  constexpr AttentionTile b = attentionBackwardMmaBiasTile(D, V);
  using Shape = AttentionBackwardMmaShape<D, V, N, M, W, kStages>;
  using Bias = AttentionBackwardMmaShape<D, V, b.tileM, b.tileN, b.warps, b.stages>;
  static_assert(Shape::kSharedBytes == attentionBackwardMmaSharedBytes(D, V, N, M, kStages));
  static_assert(Bias::kSharedBytes == attentionBackwardMmaSharedBytes(D, V, b.tileM, b.tileN, b.stages));
  emulation::launch(
      p.batch * p.kv_heads * key_tiles * attention_keys_passes(D, V), W * 32, Shape::kSharedBytes, seed,
      [&] { attention_backward_keys<T, D, V, M, N, W, kStages, Score, Aligned, Out>(p, score); });
  emulation::launch(p.batch * p.heads * ceil_div(p.q_len, N), W * 32, Shape::kSharedBytes, seed, [&] {
    attention_backward_queries<T, D, V, N, M, W, kStages, Score, Aligned, Out>(p, score);
  });
  emulation::launch(
      bias.batch * bias.heads * ceil_div(p.q_len, b.tileM) * ceil_div(p.kv_len, b.tileN), b.warps * 32,
      Bias::kSharedBytes, seed, [&] {
        attention_backward_bias<T, D, V, b.tileM, b.tileN, b.warps, b.stages, BiasScore, Aligned, Out>(
            p, bias, biasScore);
      });
#endif
}

template <typename T, typename Out, int D, int V, int M, int N, int W, bool Causal, bool Mask, bool HasScore,
          int Window = 0>
void run(Problem p) {
  p.window = Window;
  p.element = kElement<T>;
  p.headDim = D;
  p.valueDim = V;
  p.kind = Causal && Mask ? ScoreKind::Everything
           : Causal       ? ScoreKind::Causal
           : Mask         ? ScoreKind::Mask
           : HasScore     ? ScoreKind::Score
                          : ScoreKind::Full;
  const bool sharedBias = p.seed % 2 == 0;
  BackwardOperands o = makeBackward(p, sharedBias);
  const Operands &f = o.forward;
  emulation::Buffer<T> in(f.inputs), dout(o.dout);
  emulation::Buffer<Out> gradients(f.inputs.size());
  std::vector<float> bias(o.bias.value.size(), std::nanf(""));
  AttentionBackwardParams<T, Out> params{};
  params.q = in.data() + f.q.offset;
  params.k = in.data() + f.k.offset;
  params.v = in.data() + f.v.offset;
  params.dout = dout.data() + f.out.offset;
  params.dq = gradients.data() + f.q.offset;
  params.dk = gradients.data() + f.k.offset;
  params.dv = gradients.data() + f.v.offset;
  params.statistics = o.statistics.data();
  params.delta = o.delta.data();
  params.batch = p.batch, params.heads = p.heads, params.kv_heads = p.kvHeads;
  params.q_len = p.qLen, params.kv_len = p.kvLen;
  params.q_batch = params.dq_batch = f.q.batch, params.q_head = params.dq_head = f.q.head;
  params.q_row = params.dq_row = f.q.row;
  params.k_batch = params.dk_batch = f.k.batch, params.k_head = params.dk_head = f.k.head;
  params.k_row = params.dk_row = f.k.row;
  params.v_batch = params.dv_batch = f.v.batch, params.v_head = params.dv_head = f.v.head;
  params.v_row = params.dv_row = f.v.row;
  params.dout_batch = f.out.batch, params.dout_head = f.out.head, params.dout_row = f.out.row;
  params.scale = p.scale;
  const long long matrix = (long long)p.qLen * p.kvLen;
  const AttentionBiasGradient gradient{bias.data(),          o.biasBatch, o.biasHeads,
                                       o.biasHeads * matrix, matrix,      p.kvLen};
  const TestScore<Causal, Mask, HasScore, Window> score{f.mask.data(), f.bias.data(), p.kvLen};
  const TestScore<Causal, Mask, HasScore, Window, false> biasScore{f.mask.data(), f.bias.data(), p.kvLen};
  const auto launchAll = [&](uint64_t order) {
#ifdef HEDDLE_SIMT
    std::vector<int> turns(attention_turns(p.batch, p.heads, p.qLen, M), 0);
    params.turns = turns.data();
    for (int b = 0; b < p.batch; ++b)
      for (int h = 0; h < p.heads; ++h)
        for (int i = 0; i < p.qLen; ++i)
          std::fill_n(gradients.data() + f.q.at(b, h, i), D, 0.0f);
#endif
    if (p.layout != Layout::Ragged)
      launch<T, Out, D, V, M, N, W, true>(params, gradient, score, biasScore, residentBlocks(p), order);
    else
      launch<T, Out, D, V, M, N, W, false>(params, gradient, score, biasScore, residentBlocks(p), order);
  };
  launchAll(p.seed);
  CheckResult check = checkBackward(o, gradients.decoded(), bias);
  if (check.ok && p.seed % 3 == 0) { // whoever comes first: the same bits
    const std::vector<Out> before(gradients.data(), gradients.data() + gradients.size);
    launchAll(p.seed + 1000);
    if (std::memcmp(before.data(), gradients.data(), before.size() * sizeof(Out)) != 0) {
      check.ok = false;
      check.message = "depends on the order of threads and blocks";
    }
  }
  ++runs;
  failures += !check.ok;
  std::printf("%s %s, tile %dx%d: %.3f of the bound%s%s\n", check.ok ? "ok  " : "FAIL", p.text().c_str(), M,
              N, check.error, check.ok ? "" : ": ", check.message.c_str());
}

/// Small problems that meet each path of the kernels, for one choice of tile.
template <typename T, typename Out, int D, int V, int M, int N, int W>
void suite(uint64_t seed) {
  Problem p;
  p.scale = 1.0f / std::sqrt(float(D));
  const auto sized = [&](int b, int h, int kv, int q, int k, Layout layout) {
    Problem r = p;
    r.batch = b, r.heads = h, r.kvHeads = kv, r.qLen = q, r.kvLen = k, r.layout = layout;
    r.seed = ++seed;
    return r;
  };
  run<T, Out, D, V, M, N, W, false, false, false>(sized(1, 1, 1, 1, 1, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, false, false, false>(sized(1, 2, 1, 2 * M + 9, 3 * N + 5, Layout::Packed));
  run<T, Out, D, V, M, N, W, true, false, false>(sized(2, 2, 1, M + 1, M + 1, Layout::Packed));
  // The first queries see no key.
  run<T, Out, D, V, M, N, W, true, false, false>(sized(1, 1, 1, 2 * N + 40, 2 * N + 3, Layout::Ragged));
  Problem negative = sized(1, 2, 2, 33, N + 1, Layout::Contiguous);
  negative.scale = -p.scale;
  run<T, Out, D, V, M, N, W, false, false, false>(negative);
  run<T, Out, D, V, M, N, W, false, true, false>(sized(1, 1, 1, 45, N + 9, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, false, false, true>(sized(2, 2, 1, 17, N + 1, Layout::Packed));
  run<T, Out, D, V, M, N, W, true, true, true>(sized(1, 3, 1, M + 2, M + 70, Layout::Ragged));
  Problem zero = sized(1, 1, 1, 5, 7, Layout::Contiguous);
  zero.scale = 0;
  run<T, Out, D, V, M, N, W, false, false, false>(zero);
}

/// Windows of one key, within a tile, and of more than one; with all else; where the first queries see no
/// key; and far into the keys, whose first tiles must not be read.
template <typename T, typename Out, int D, int V, int M, int N, int W>
void windows(uint64_t seed) {
  Problem p;
  p.scale = 1.0f / std::sqrt(float(D));
  const auto sized = [&](int heads, int q, int k, Layout layout) {
    Problem r = p;
    r.heads = heads, r.qLen = q, r.kvLen = k, r.layout = layout;
    r.seed = ++seed;
    return r;
  };
  run<T, Out, D, V, M, N, W, true, false, false, 1>(sized(1, M + 5, M + 5, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, true, false, false, 7>(sized(2, M + 40, M + 40 + N, Layout::Packed));
  run<T, Out, D, V, M, N, W, true, false, false, N + 3>(sized(1, M + 9, 2 * M + 9, Layout::Ragged));
  run<T, Out, D, V, M, N, W, true, true, true, N>(sized(1, M + 2, M + 70, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, true, false, false, 20>(sized(1, 2 * N + 40, 2 * N + 3, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, true, false, false, 33>(sized(1, M + 1, 512 + M, Layout::Contiguous));
  run<T, Out, D, V, M, N, W, true, false, false, 2147483647>(sized(1, 33, 40, Layout::Contiguous));
}

} // namespace

int main() {
#ifdef HEDDLE_SIMT
  suite<float, float, 64, 64, 64, 128, 8>(100);
  suite<float, float, 16, 16, 64, 128, 8>(201);
  suite<float, float, 24, 40, 32, 128, 8>(302);
  suite<float, float, 80, 80, 64, 64, 8>(403);
  suite<float, float, 128, 72, 32, 64, 8>(500);
  suite<float, float, 256, 256, 32, 32, 8>(601);
  suite<float, float, 136, 8, 32, 32, 8>(702);
  windows<float, float, 64, 64, 64, 128, 8>(800);
  windows<float, float, 40, 72, 32, 64, 8>(901);
  windows<float, float, 256, 160, 32, 32, 8>(1002);
#else
  suite<bf16, bf16, 64, 64, 64, 128, 4>(100);
  suite<f16, float, 16, 16, 64, 128, 4>(201);
  suite<bf16, float, 24, 40, 32, 64, 2>(302);
  suite<bf16, bf16, 128, 128, 64, 64, 4>(403);
  suite<f16, f16, 72, 104, 32, 64, 4>(500);
  suite<bf16, bf16, 256, 256, 32, 64, 4>(601);
  suite<f16, f16, 136, 8, 32, 64, 4>(702);
  windows<bf16, bf16, 64, 64, 64, 128, 4>(800);
  windows<f16, f16, 40, 72, 32, 32, 2>(901);
  windows<bf16, bf16, 256, 160, 32, 64, 4>(1002);
#endif
  std::printf("%d of %d failed\n", failures, runs);
  return failures != 0;
}
