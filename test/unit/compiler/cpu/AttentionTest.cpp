// Values of the attention skeleton against plain loops in float64.
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace heddle::test;

namespace {
class Attention : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Targets, Attention, testing::ValuesIn(targetsHere()),
                         [](const auto &info) { return "v" + info.param.substr(8); });

struct Shape {
  int64_t batch, heads, keyHeads, queries, keys, headDim, valueDim;
};

struct Problem {
  Shape shape;
  bool causal = false;
  int64_t window = 0; ///< With causal; 0: none.
  std::string type = "f32";
  /// Text of the two regions and of the buffers that they read.
  std::string score = "{}", mask = "{}", extraArguments = "", extraBuffers = "", extraTypes = "";
  std::vector<void *> extra{};
  std::function<double(double, int64_t, int64_t, int64_t, int64_t)> changeScore{};
  std::function<bool(int64_t, int64_t, int64_t, int64_t)> sees{};
};

std::string kernelText(const Problem &p) {
  return fill(
      R"(kernel.func @attention(%q: !kernel.buffer<$T>, %k: !kernel.buffer<$T>, %v: !kernel.buffer<$T>, %o: !kernel.buffer<$T>$ARGS,
      %b: index, %h: index, %kh: index, %ql: index, %kl: index, %qb: index, %qh: index, %qs: index, %kb: index, %khs: index, %ks: index,
      %vb: index, %vh: index, %vs: index, %ob: index, %oh: index, %os: index) {
    kernel.skeleton "attention_forward"<$T, $D, $V> scale $SCALE $CAUSAL(%q, %k, %v, %o$BUFFERS :
        !kernel.buffer<$T>, !kernel.buffer<$T>, !kernel.buffer<$T>, !kernel.buffer<$T>$XTYPES)
        [%b, %h, %kh, %ql, %kl, %qb, %qh, %qs, %kb, %khs, %ks, %vb, %vh, %vs, %ob, %oh, %os] score $SCORE mask $MASK
  })",
      {{"SCALE", "1.250000e-01"},
       {"CAUSAL", p.window   ? "causal window " + std::to_string(p.window) + " "
                  : p.causal ? "causal "
                             : ""},
       {"ARGS", p.extraArguments},
       {"BUFFERS", p.extraBuffers},
       {"XTYPES", p.extraTypes},
       {"SCORE", p.score},
       {"MASK", p.mask},
       {"D", std::to_string(p.shape.headDim)},
       {"V", std::to_string(p.shape.valueDim)},
       {"T", p.type}});
}

/// Memory order batch, sequence, head, dim, as products leave it, with `pad` elements after each row.
struct Operand {
  Operand(int64_t batch, int64_t heads, int64_t length, int64_t dim, int64_t pad)
      : batchStride(length * heads * dim + pad * length), headStride(dim), stride(heads * dim + pad),
        size(batch * batchStride - pad) {}
  int64_t at(int64_t b, int64_t h, int64_t s, int64_t d) const {
    return b * batchStride + h * headStride + s * stride + d;
  }
  int64_t batchStride, headStride, stride, size;
};

template <typename T>
void check(const Problem &p, const std::string &target, double tolerance) {
  const Shape &s = p.shape;
  Operand q(s.batch, s.heads, s.queries, s.headDim, 3), k(s.batch, s.keyHeads, s.keys, s.headDim, 1),
      v(s.batch, s.keyHeads, s.keys, s.valueDim, 0), o(s.batch, s.heads, s.queries, s.valueDim, 5);
  auto fillRandom = [](int64_t size, uint64_t seed) {
    std::vector<T> values;
    for (float value : randomFloats(size, 2, seed))
      values.push_back(std::is_same_v<T, float> ? T(value) : T(toBF16(value)));
    return values;
  };
  auto read = [](T value) {
    return std::is_same_v<T, float> ? double(value) : double(fromBF16(uint16_t(value)));
  };
  Buffer<T> qs(fillRandom(q.size, 1)), ks(fillRandom(k.size, 2)), vs(fillRandom(v.size, 3)), os(o.size),
      whole(o.size);
  CpuKernel kernel(kernelText(p), target,
                   {{s.batch, s.heads, s.keyHeads, s.queries, s.keys, q.batchStride, q.headStride, q.stride,
                     k.batchStride, k.headStride, k.stride, v.batchStride, v.headStride, v.stride,
                     o.batchStride, o.headStride, o.stride}});
  std::vector<void *> buffers{qs.data(), ks.data(), vs.data(), os.data()};
  buffers.insert(buffers.end(), p.extra.begin(), p.extra.end());
  kernel.run(0, buffers, 3);
  buffers[3] = whole.data();
  kernel.run(0, buffers);
  ASSERT_EQ(os.values(), whole.values()) << "the cut into ranges changes bits";

  for (int64_t b = 0; b < s.batch; ++b)
    for (int64_t h = 0; h < s.heads; ++h)
      for (int64_t i = 0; i < s.queries; ++i) {
        int64_t kh = h / (s.heads / s.keyHeads);
        std::vector<double> weights(s.keys, 0.0), out(s.valueDim, 0.0);
        double max = -INFINITY, sum = 0;
        for (int64_t j = 0; j < s.keys; ++j) {
          double score = 0;
          for (int64_t d = 0; d < s.headDim; ++d)
            score += read(qs[q.at(b, h, i, d)]) * read(ks[k.at(b, kh, j, d)]);
          score *= 0.125;
          if (p.changeScore)
            score = p.changeScore(score, b, h, i, j);
          int64_t own = i + s.keys - s.queries;
          if ((p.causal && j > own) || (p.window && j <= own - p.window) || (p.sees && !p.sees(b, h, i, j)))
            score = -INFINITY;
          weights[j] = score;
          max = std::max(max, score);
        }
        for (double &weight : weights) {
          weight = max == -INFINITY ? 0 : std::exp(weight - max);
          sum += weight;
        }
        for (int64_t j = 0; j < s.keys; ++j)
          for (int64_t d = 0; d < s.valueDim; ++d)
            out[d] += sum ? weights[j] / sum * read(vs[v.at(b, kh, j, d)]) : 0;
        for (int64_t d = 0; d < s.valueDim; ++d)
          ASSERT_NEAR(read(os[o.at(b, h, i, d)]), out[d], tolerance)
              << "batch " << b << ", head " << h << ", query " << i << ", dim " << d << " of " << s.queries
              << "x" << s.keys << "x" << s.headDim;
      }
}

// Scores are sums of up to 128 products below 4, times 1/8: they round at about 1e-6 of 20, and values are
// below 2.
constexpr double kFloat32 = 5e-5;
// Out rounds to 2^-9 of 2, in steps of 2^-8.
constexpr double kBF16 = 4.5e-3;
} // namespace

TEST_P(Attention, LengthsAndHeadSizes) {
  for (bool causal : {false, true})
    for (auto [queries, keys] :
         {std::pair<int64_t, int64_t>{1, 1}, {2, 2}, {1, 129}, {65, 64}, {129, 129}, {257, 257}})
      for (int64_t dim : {8, 64}) {
        Problem p{{2, 2, 2, queries, keys, dim, dim}};
        p.causal = causal;
        check<float>(p, GetParam(), kFloat32);
      }
  for (int64_t dim : {1, 40, 72, 128, 256}) {
    Problem p{{1, 2, 2, 70, 70, dim, dim == 40 ? 24 : dim}};
    p.causal = true;
    check<float>(p, GetParam(), kFloat32 * (dim > 128 ? 2 : 1));
  }
}

TEST_P(Attention, SharedKeyHeads) {
  for (int64_t keyHeads : {1, 2, 3}) {
    Problem p{{2, 6, keyHeads, 33, 50, 16, 16}};
    check<float>(p, GetParam(), kFloat32);
  }
}

TEST_P(Attention, BF16) {
  for (int64_t dim : {8, 40, 64, 72, 128}) {
    Problem p{{1, 2, 1, 97, 97, dim, dim}};
    p.type = "bf16";
    p.causal = dim != 40;
    check<uint16_t>(p, GetParam(), kBF16);
  }
}

TEST_P(Attention, BiasAddedToScores) {
  // A bias for each head, query and key, read by the score function.
  Shape shape{2, 3, 3, 37, 81, 32, 32};
  std::vector<float> biases = randomFloats(3 * 37 * 81, 2, 9);
  Buffer<float> bias(biases);
  Problem p{shape};
  p.extraArguments = ", %bias: !kernel.buffer<f32>";
  p.extraBuffers = ", %bias";
  p.extraTypes = ", !kernel.buffer<f32>";
  p.score = R"({
  ^bb0(%s: f32, %ib: index, %ih: index, %iq: index, %ik: index):
    %x = kernel.load %bias [affine_map<(h, q, k)[n] -> ((h * 37 + q) * n + k)>] (%ih, %iq, %ik)[%kl] : !kernel.buffer<f32>
    %r = arith.addf %s, %x : f32
    kernel.yield %r : f32
  })";
  p.extra = {bias.data()};
  p.changeScore = [&](double score, int64_t, int64_t h, int64_t i, int64_t j) {
    return score + biases[(h * 37 + i) * 81 + j];
  };
  check<float>(p, GetParam(), kFloat32);
}

TEST_P(Attention, MaskedRowsGiveZero) {
  // A mask of bytes for each batch and key; the second batch sees nothing.
  Shape shape{2, 2, 2, 40, 150, 16, 16};
  std::vector<uint8_t> bytes(2 * 150, 0);
  for (int64_t j = 0; j < 150; ++j)
    bytes[j] = j % 5 == 2 && j > 70; // The first tile of keys is masked altogether.
  Buffer<uint8_t> mask(bytes);
  Problem p{shape};
  p.extraArguments = ", %m: !kernel.buffer<i1>";
  p.extraBuffers = ", %m";
  p.extraTypes = ", !kernel.buffer<i1>";
  p.mask = R"({
  ^bb0(%ib: index, %ih: index, %iq: index, %ik: index):
    %x = kernel.load %m [affine_map<(b, k)[n] -> (b * n + k)>] (%ib, %ik)[%kl] : !kernel.buffer<i1>
    kernel.yield %x : i1
  })";
  p.extra = {mask.data()};
  p.sees = [&](int64_t b, int64_t, int64_t, int64_t j) { return bytes[b * 150 + j] != 0; };
  check<float>(p, GetParam(), kFloat32);
}

TEST_P(Attention, Windows) {
  // Of one key, within a tile of keys, of more than one, as wide as the keys; more queries than keys, and
  // less.
  for (auto [queries, keys] :
       {std::pair<int64_t, int64_t>{70, 70}, {200, 200}, {40, 300}, {150, 90}, {1, 130}})
    for (int64_t window : {1, 7, 64, 65, 2147483647}) {
      Problem p{{1, 2, 1, queries, keys, 24, 40}};
      p.causal = true;
      p.window = window;
      check<float>(p, GetParam(), kFloat32);
    }
}

TEST_P(Attention, CappedScores) {
  Problem p{{1, 2, 2, 70, 90, 32, 32}};
  p.causal = true;
  p.window = 30;
  p.score = R"({
  ^bb0(%s: f32, %ib: index, %ih: index, %iq: index, %ik: index):
    %c = arith.constant 2.5 : f32
    %d = arith.divf %s, %c : f32
    %t = math.tanh %d : f32
    %r = arith.mulf %t, %c : f32
    kernel.yield %r : f32
  })";
  p.changeScore = [](double score, int64_t, int64_t, int64_t, int64_t) {
    return 2.5 * std::tanh(score / 2.5);
  };
  check<float>(p, GetParam(), kFloat32);
}

TEST_P(Attention, PaddingToldByIntegers) {
  Shape shape{2, 2, 2, 40, 150, 16, 16};
  std::vector<int32_t> ids(2 * 150, 0); // The second batch is all padding.
  for (int32_t j = 0; j < 150; ++j)
    ids[j] = j % 4;
  Buffer<int32_t> held(ids);
  Problem p{shape};
  p.extraArguments = ", %m: !kernel.buffer<i32>";
  p.extraBuffers = ", %m";
  p.extraTypes = ", !kernel.buffer<i32>";
  p.mask = R"({
  ^bb0(%ib: index, %ih: index, %iq: index, %ik: index):
    %x = kernel.load %m [affine_map<(b, k)[n] -> (b * n + k)>] (%ib, %ik)[%kl] : !kernel.buffer<i32>
    %two = arith.constant 2 : i32
    %y = arith.cmpi sge, %x, %two : i32
    kernel.yield %y : i1
  })";
  p.extra = {held.data()};
  p.sees = [&](int64_t b, int64_t, int64_t, int64_t j) { return ids[b * 150 + j] >= 2; };
  check<float>(p, GetParam(), kFloat32);
}

TEST_P(Attention, MaskOfIndices) {
  // A sliding window: query sees keys at most 20 before it and none after.
  Problem p{{1, 2, 2, 130, 130, 24, 24}};
  p.mask = R"({
  ^bb0(%ib: index, %ih: index, %iq: index, %ik: index):
    %c20 = arith.constant 20 : index
    %last = arith.addi %ik, %c20 : index
    %x = arith.cmpi ule, %iq, %last : index
    %y = arith.cmpi ule, %ik, %iq : index
    %z = arith.andi %x, %y : i1
    kernel.yield %z : i1
  })";
  p.sees = [](int64_t, int64_t, int64_t i, int64_t j) { return i <= j + 20 && j <= i; };
  check<float>(p, GetParam(), kFloat32);
}

TEST_P(Attention, TooWideForTheStackIsRefused) {
  Problem p{{1, 1, 1, 4, 4, 4096, 4096}};
  std::vector<int64_t> counts(17, 1);
  try {
    CpuKernel kernel(kernelText(p), GetParam(), {counts});
    FAIL() << "compiled";
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("of head dimensions 4096 and 4096 needs"), std::string::npos)
        << error.what();
  }
}
