// Values of attention's statistics and of the skeletons of its gradient against plain loops in float64.
#include "CpuKernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace heddle::test;

namespace {
class AttentionBackward : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Targets, AttentionBackward, testing::ValuesIn(targetsHere()),
                         [](const auto &info) { return "v" + info.param.substr(8); });

struct Problem {
  int64_t batch, heads, keyHeads, queries, keys, headDim, valueDim;
  bool causal = false;
  int64_t window = 0; ///< With causal; 0: none.
  double cap = 0;     ///< 0: none.
  bool bias = false;  ///< [biasBatch, biasHeads, queries, keys], added to the score.
  int64_t biasBatch = 1, biasHeads = 1;
  bool mask =
      false; ///< Of batch and key: hides the first batch's every third key, and all of the last batch.

  bool sees(int64_t b, int64_t i, int64_t j) const {
    int64_t own = i + keys - queries;
    if ((causal && j > own) || (window && j <= own - window))
      return false;
    return !mask || (j % 3 != 0 && (batch == 1 || b + 1 < batch));
  }
};

constexpr double kScale = 0.125;

/// A tensor [batch, heads, length, dim] in the memory order batch, length, head, dim, as products leave it,
/// with `pad` elements after each row.
struct Heads {
  Heads(int64_t batch, int64_t heads, int64_t length, int64_t dim, int64_t pad)
      : batchStride((heads * dim + pad) * length), headStride(dim), stride(heads * dim + pad),
        size(batch * batchStride - pad), batch(batch), heads(heads), length(length), dim(dim) {}
  int64_t at(int64_t b, int64_t h, int64_t s, int64_t d) const {
    return b * batchStride + h * headStride + s * stride + d;
  }
  int64_t batchStride, headStride, stride, size, batch, heads, length, dim;
};

template <typename T>
double read(T value) {
  if constexpr (std::is_same_v<T, float>)
    return value;
  else
    return fromBF16(value);
}

/// Text of a skeleton over operands with these names; those of `rows` are f32.
std::string kernelText(const Problem &p, const std::string &skeleton, const std::string &type,
                       bool statistics, const std::vector<std::pair<std::string, std::string>> &operands) {
  std::string arguments, buffers, types, counts, countArguments;
  for (auto &[name, element] : operands) {
    std::string buffer = "!kernel.buffer<" + element + ">";
    arguments += "%" + name + ": " + buffer + ", ";
    buffers += (buffers.empty() ? "%" : ", %") + name;
    types += (types.empty() ? "" : ", ") + buffer;
  }
  for (const char *name : {"nb", "nh", "nkh", "nql", "nkl"})
    counts += (counts.empty() ? "%" : ", %") + std::string(name);
  for (auto &[name, element] : operands)
    if (name != "statistics" && name != "delta" && name != "dbias")
      for (const char *dim : {"b", "h", "s"})
        counts += ", %" + name + dim;
  if (operands.back().first == "dbias")
    counts += ", %bb, %bh";
  countArguments = counts;
  for (size_t at = 0; (at = countArguments.find(',', at)) != std::string::npos; at += 8)
    countArguments.replace(at, 1, ": index,");
  bool noSlope = p.cap == 0 || skeleton == "attention_forward" || skeleton == "attention_backward_bias";
  std::string slope = noSlope ? "" : ", %slope";
  std::string score = "{}", mask = "{}";
  if (p.cap != 0 || p.bias) {
    score = "{\n  ^bb0(%s0: f32, %ib: index, %ih: index, %iq: index, %ik: index):\n";
    std::string value = "%s0";
    if (p.cap != 0) {
      score += "    %c = arith.constant " + std::to_string(p.cap) +
               " : f32\n    %one = arith.constant 1.0 : f32\n    %d = arith.divf %s0, %c : f32\n"
               "    %t = math.tanh %d : f32\n    %s1 = arith.mulf %t, %c : f32\n"
               "    %t2 = arith.mulf %t, %t : f32\n    %slope = arith.subf %one, %t2 : f32\n";
      value = "%s1";
    }
    if (p.bias) {
      score += "    %x = kernel.load %bias [affine_map<(b, h, i, j) -> (" +
               std::string(p.biasBatch > 1 ? "b" : "0") + " * " +
               std::to_string(p.biasHeads * p.queries * p.keys) + " + " + (p.biasHeads > 1 ? "h" : "0") +
               " * " + std::to_string(p.queries * p.keys) + " + i * " + std::to_string(p.keys) +
               " + j)>] (%ib, %ih, %iq, %ik) : !kernel.buffer<f32>\n    %s2 = arith.addf " + value +
               ", %x : f32\n";
      value = "%s2";
    }
    score += "    kernel.yield " + value + slope + " : f32" + (slope.empty() ? "" : ", f32") + "\n  }";
  }
  if (p.mask)
    mask = "{\n  ^bb0(%ib: index, %ih: index, %iq: index, %ik: index):\n"
           "    %x = kernel.load %m [affine_map<(b, k) -> (b * " +
           std::to_string(p.keys) + " + k)>] (%ib, %ik) : !kernel.buffer<i1>\n    kernel.yield %x : i1\n  }";
  return "kernel.func @attention(" + arguments + "%bias: !kernel.buffer<f32>, %m: !kernel.buffer<i1>, " +
         countArguments + ": index) {\n  kernel.skeleton \"" + skeleton + "\"<" + type + ", " +
         std::to_string(p.headDim) + ", " + std::to_string(p.valueDim) + "> scale " + std::to_string(kScale) +
         " " + (p.causal ? "causal " : "") + (p.window ? "window " + std::to_string(p.window) + " " : "") +
         "(" + buffers + " : " + types + ") [" + counts + "] score " + score + " mask " + mask +
         (statistics ? " {statistics}" : "") + "\n}";
}

template <typename T>
class Check {
public:
  Check(const Problem &p, const std::string &target, double tolerance)
      : p(p), target(target), tolerance(tolerance), type(std::is_same_v<T, float> ? "f32" : "bf16"),
        q(p.batch, p.heads, p.queries, p.headDim, 3), k(p.batch, p.keyHeads, p.keys, p.headDim, 1),
        v(p.batch, p.keyHeads, p.keys, p.valueDim, 0), g(p.batch, p.heads, p.queries, p.valueDim, 2),
        qs(random(q.size, 1)), ks(random(k.size, 2)), vs(random(v.size, 3)), gs(random(g.size, 4)),
        biases(randomFloats(p.biasBatch * p.biasHeads * p.queries * p.keys, 2, 5)), hides(p.batch * p.keys),
        statistics(2 * p.batch * p.heads * p.queries), deltas(statistics.count / 2) {
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t j = 0; j < p.keys; ++j)
        hides[b * p.keys + j] = j % 3 != 0 && (p.batch == 1 || b + 1 < p.batch);
    reference();
  }

  void run() {
    Heads o(p.batch, p.heads, p.queries, p.valueDim, 5), dq(p.batch, p.heads, p.queries, p.headDim, 0);
    Buffer<T> os(o.size), dqs(dq.size);
    Buffer<float> given(statistics.count);
    launch("attention_forward", true, {{"q", &q}, {"k", &k}, {"v", &v}, {"o", &o}, {"statistics", nullptr}},
           {qs.data(), ks.data(), vs.data(), os.data(), given.data()}, {});
    for (size_t i = 0; i < given.count; ++i) // Below 16: their last bit is 1e-6. Zeros exactly.
      ASSERT_NEAR(given[i], statistics[i], statistics[i] == 0 ? 0 : 1e-5) << "statistic " << i;
    compare("out", o, os, wantedOut);

    runKeys();
    launchBackward("attention_backward_queries", {{"dq", &dq}}, {dqs.data()}, {});
    compare("dq", dq, dqs, wantedDq);
    if (!p.bias)
      return;
    Buffer<float> db(biases.count);
    launchBackward("attention_backward_bias", {{"dbias", nullptr}}, {db.data()}, {p.biasBatch, p.biasHeads});
    double most = 0;
    for (double wanted : wantedDb)
      most = std::max(most, std::abs(wanted));
    for (size_t i = 0; i < db.count; ++i)
      ASSERT_NEAR(db[i], wantedDb[i], tolerance * most) << "dbias, element " << i;
  }

  void runKeys() {
    Heads dk(p.batch, p.keyHeads, p.keys, p.headDim, 4), dv(p.batch, p.keyHeads, p.keys, p.valueDim, 7);
    Buffer<T> dks(dk.size), dvs(dv.size);
    launchBackward("attention_backward_keys", {{"dk", &dk}, {"dv", &dv}}, {dks.data(), dvs.data()}, {});
    compare("dk", dk, dks, wantedDk);
    compare("dv", dv, dvs, wantedDv);
  }

  /// NaN in every key that no query sees; how many there are.
  int64_t poisonHiddenKeys() {
    int64_t hidden = 0;
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t j = 0; j < p.keys; ++j) {
        bool seen = false;
        for (int64_t i = 0; i < p.queries; ++i)
          seen |= p.sees(b, i, j);
        hidden += !seen;
        for (int64_t h = 0; !seen && h < p.keyHeads; ++h)
          for (int64_t d = 0; d < p.headDim; ++d)
            ks[k.at(b, h, j, d)] = std::is_same_v<T, float> ? T(NAN) : T(toBF16(NAN));
      }
    return hidden;
  }

private:
  std::vector<T> random(int64_t size, uint64_t seed) {
    std::vector<T> values;
    for (float value : randomFloats(size, 1, seed))
      values.push_back(std::is_same_v<T, float> ? T(value) : T(toBF16(value)));
    return values;
  }

  /// Cut into ranges that run last first, and as a whole: the bits must be the same.
  void launch(const std::string &skeleton, bool statistics,
              const std::vector<std::pair<std::string, const Heads *>> &names, std::vector<void *> buffers,
              const std::vector<int64_t> &more) {
    std::vector<std::pair<std::string, std::string>> operands;
    std::vector<int64_t> counts{p.batch, p.heads, p.keyHeads, p.queries, p.keys};
    for (auto &[name, heads] : names) {
      operands.emplace_back(name, heads ? type : "f32");
      if (heads)
        counts.insert(counts.end(), {heads->batchStride, heads->headStride, heads->stride});
    }
    counts.insert(counts.end(), more.begin(), more.end());
    buffers.push_back(biases.data());
    buffers.push_back(hides.data());
    CpuKernel kernel(kernelText(p, skeleton, type, statistics, operands), target, {counts});
    kernel.run(0, buffers, 3);
  }

  /// The operands of all three gradients, then these.
  void launchBackward(const std::string &skeleton,
                      const std::vector<std::pair<std::string, const Heads *>> &names,
                      const std::vector<void *> &results, const std::vector<int64_t> &more) {
    std::vector<std::pair<std::string, const Heads *>> all{
        {"q", &q}, {"k", &k}, {"v", &v}, {"g", &g}, {"statistics", nullptr}, {"delta", nullptr}};
    std::vector<void *> operands{qs.data(), ks.data(),         vs.data(),
                                 gs.data(), statistics.data(), deltas.data()};
    all.insert(all.end(), names.begin(), names.end());
    operands.insert(operands.end(), results.begin(), results.end());
    launch(skeleton, false, all, operands, more);
  }

  /// With one key, all but dv is zero by algebra, and what is found is the rounding of the terms.
  static constexpr double kTerms = 0.1;

  void compare(const char *name, const Heads &heads, const Buffer<T> &found,
               const std::vector<double> &wanted) {
    double most = kTerms;
    for (double value : wanted)
      most = std::max(most, std::abs(value));
    size_t at = 0;
    for (int64_t b = 0; b < heads.batch; ++b)
      for (int64_t h = 0; h < heads.heads; ++h)
        for (int64_t s = 0; s < heads.length; ++s)
          for (int64_t d = 0; d < heads.dim; ++d, ++at)
            ASSERT_NEAR(read(found[heads.at(b, h, s, d)]), wanted[at], tolerance * most)
                << name << ": batch " << b << ", head " << h << ", row " << s << ", dim " << d;
  }

  double biasAt(int64_t b, int64_t h, int64_t i, int64_t j, int64_t *at = nullptr) const {
    int64_t index =
        (((p.biasBatch > 1 ? b : 0) * p.biasHeads + (p.biasHeads > 1 ? h : 0)) * p.queries + i) * p.keys + j;
    if (at)
      *at = index;
    return biases[index];
  }

  /// The textbook's chain: all probabilities, then softmax's gradient by the sum of gradient times
  /// probability.
  void reference() {
    wantedOut.assign(p.batch * p.heads * p.queries * p.valueDim, 0);
    wantedDq.assign(p.batch * p.heads * p.queries * p.headDim, 0);
    wantedDk.assign(p.batch * p.keyHeads * p.keys * p.headDim, 0);
    wantedDv.assign(p.batch * p.keyHeads * p.keys * p.valueDim, 0);
    wantedDb.assign(biases.count, 0);
    for (int64_t b = 0; b < p.batch; ++b)
      for (int64_t h = 0; h < p.heads; ++h)
        for (int64_t i = 0; i < p.queries; ++i) {
          int64_t kh = h / (p.heads / p.keyHeads), row = (b * p.heads + h) * p.queries + i;
          std::vector<double> prob(p.keys, 0.0), slope(p.keys, 1.0), byProb(p.keys, 0.0);
          double most = -INFINITY, sum = 0, inner = 0;
          for (int64_t j = 0; j < p.keys; ++j) {
            double score = 0;
            for (int64_t d = 0; d < p.headDim; ++d)
              score += kScale * read(qs[q.at(b, h, i, d)]) * read(ks[k.at(b, kh, j, d)]);
            if (p.cap != 0) {
              double t = std::tanh(score / p.cap);
              score = p.cap * t;
              slope[j] = 1 - t * t;
            }
            prob[j] = p.sees(b, i, j) ? score + (p.bias ? biasAt(b, h, i, j) : 0) : -INFINITY;
            most = std::max(most, prob[j]);
          }
          for (double &each : prob)
            sum += each = most == -INFINITY ? 0 : std::exp(each - most);
          for (int64_t j = 0; j < p.keys; ++j) {
            prob[j] = sum == 0 ? 0 : prob[j] / sum;
            for (int64_t d = 0; d < p.valueDim; ++d) {
              wantedOut[row * p.valueDim + d] += prob[j] * read(vs[v.at(b, kh, j, d)]);
              byProb[j] += read(gs[g.at(b, h, i, d)]) * read(vs[v.at(b, kh, j, d)]);
            }
            inner += prob[j] * byProb[j];
          }
          statistics[row] = sum == 0 ? 0 : static_cast<float>(most);
          statistics[deltas.count + row] = sum == 0 ? 0 : static_cast<float>(1 / sum);
          deltas[row] = static_cast<float>(inner);
          for (int64_t j = 0; j < p.keys; ++j) {
            int64_t at = 0, keyRow = (b * p.keyHeads + kh) * p.keys + j;
            double change = prob[j] * (byProb[j] - inner), product = change * slope[j] * kScale;
            biasAt(b, h, i, j, &at);
            wantedDb[at] += change;
            for (int64_t d = 0; d < p.headDim; ++d) {
              wantedDq[row * p.headDim + d] += product * read(ks[k.at(b, kh, j, d)]);
              wantedDk[keyRow * p.headDim + d] += product * read(qs[q.at(b, h, i, d)]);
            }
            for (int64_t d = 0; d < p.valueDim; ++d)
              wantedDv[keyRow * p.valueDim + d] += prob[j] * read(gs[g.at(b, h, i, d)]);
          }
        }
  }

  Problem p;
  std::string target;
  double tolerance;
  std::string type;
  Heads q, k, v, g;
  Buffer<T> qs, ks, vs, gs;
  Buffer<float> biases;
  Buffer<uint8_t> hides;
  Buffer<float> statistics, deltas;
  std::vector<double> wantedOut, wantedDq, wantedDk, wantedDv, wantedDb;
};

void check(const Problem &p, const std::string &target, double tolerance) {
  Check<float>(p, target, tolerance).run();
}

// Of the largest element: scores below 8 round at 5e-7, and so do the probabilities that all is a sum of.
constexpr double kFloat32 = 1e-5;
// Results round to 2^-9.
constexpr double kBF16 = 4e-3;
} // namespace

TEST_P(AttentionBackward, LengthsAndHeadSizes) {
  for (bool causal : {false, true})
    for (auto [queries, keys] :
         {std::pair<int64_t, int64_t>{1, 1}, {1, 70}, {70, 1}, {65, 64}, {129, 130}, {150, 90}})
      check({2, 2, 2, queries, keys, 8, 8, causal}, GetParam(), kFloat32);
  for (int64_t dim : {1, 40, 72, 128, 256})
    check({1, 1, 1, 70, 75, dim, dim == 40 ? 24 : dim, true}, GetParam(), kFloat32);
}

TEST_P(AttentionBackward, SharedKeyHeads) {
  for (int64_t keyHeads : {1, 2, 3})
    check({2, 6, keyHeads, 33, 50, 16, 24}, GetParam(), kFloat32);
}

TEST_P(AttentionBackward, Windows) {
  for (auto [queries, keys] : {std::pair<int64_t, int64_t>{200, 200}, {40, 300}, {150, 90}})
    for (int64_t window : {1, 7, 65, 2147483647})
      check({1, 2, 1, queries, keys, 8, 16, true, window}, GetParam(), kFloat32);
}

TEST_P(AttentionBackward, CapAndBias) {
  for (auto [biasBatch, biasHeads] : {std::pair<int64_t, int64_t>{1, 1}, {1, 4}, {2, 1}, {2, 4}})
    check({2, 4, 2, 70, 90, 16, 8, true, 0, 0.75, true, biasBatch, biasHeads}, GetParam(), kFloat32);
  check({1, 2, 2, 33, 40, 16, 8, false, 0, 0.75}, GetParam(), kFloat32);
}

TEST_P(AttentionBackward, MaskedRowsAreZero) {
  check({2, 2, 1, 40, 150, 16, 16, false, 0, 0, false, 1, 1, true}, GetParam(), kFloat32);
  check({2, 2, 1, 40, 33, 16, 16, true, 0, 0, true, 1, 2, true}, GetParam(), kFloat32);
}

TEST_P(AttentionBackward, HiddenKeysMayBeNaN) {
  // By a mask that leaves two thirds of the first batch, and nothing of the second; by windows, which leave
  // out the first keys, the last of them in a tile with keys that are seen.
  for (const Problem &p : {Problem{2, 2, 1, 40, 150, 16, 16, false, 0, 0.75, false, 1, 1, true},
                           Problem{1, 2, 1, 40, 300, 8, 16, true, 7, 0.75}}) {
    Check<float> check(p, GetParam(), kFloat32);
    ASSERT_GT(check.poisonHiddenKeys(), 0);
    check.runKeys();
  }
}

TEST_P(AttentionBackward, BF16) {
  for (int64_t dim : {8, 40, 72, 128, 256})
    Check<uint16_t>({1, 2, 1, 97, 97, dim, dim == 8 ? 24 : dim, dim != 40}, GetParam(), kBF16).run();
}

TEST_P(AttentionBackward, TooWideForTheStackIsRefused) {
  try {
    check({1, 1, 1, 4, 4, 4096, 4096}, GetParam(), 1);
    FAIL() << "compiled";
  } catch (const std::runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("of head dimensions 4096 and 4096 needs"), std::string::npos)
        << error.what();
  }
}
