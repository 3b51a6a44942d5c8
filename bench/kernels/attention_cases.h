// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems for the attention skeletons, with their references: random operands in chosen layouts, with NaN
// wherever nothing may be read, attention in float64, and error bounds. Plain C++ without CUDA, shared by the
// standalone bench (attention.cu) and by the emulated test (test/gpu/attention).

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_CASES_H
#define HEDDLE_BENCH_KERNELS_ATTENTION_CASES_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace heddle::bench {

enum class Element { F32, BF16, F16 };
/// What the generated functions of a test kernel do; see scoreAt and keepAt.
enum class ScoreKind { Full, Causal, Mask, Score, Everything, Padding, CausalPadding };
/// How q, k, v and out lie in memory.
enum class Layout {
  Contiguous, // [batch, head, row, column]
  Packed,     // q, k, v are slices of [batch, row, 3 * heads * column]; out is [batch, row, head, column]
  Ragged,     // odd row strides and odd offsets: no two rows share their alignment
};

inline const char *name(Element e) { return e == Element::F32 ? "f32" : e == Element::BF16 ? "bf16" : "f16"; }
inline const char *name(ScoreKind k) {
  const char *names[] = {"full", "causal", "mask", "score", "everything", "padding", "causal padding"};
  return names[int(k)];
}
inline const char *name(Layout l) {
  const char *names[] = {"contiguous", "packed", "ragged"};
  return names[int(l)];
}
inline int bytes(Element e) { return e == Element::F32 ? 4 : 2; }
constexpr bool isCausal(ScoreKind k) {
  return k == ScoreKind::Causal || k == ScoreKind::Everything || k == ScoreKind::CausalPadding;
}
constexpr bool hasKeyMask(ScoreKind k) { return k == ScoreKind::Padding || k == ScoreKind::CausalPadding; }
constexpr bool hasMask(ScoreKind k) {
  return k == ScoreKind::Mask || k == ScoreKind::Everything || hasKeyMask(k);
}
constexpr bool hasScore(ScoreKind k) { return k == ScoreKind::Score || k == ScoreKind::Everything; }

/// A counter-based generator (splitmix64): uniform in [-1, 1).
inline float uniform(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0x9e3779b97f4a7c15ull + index * 0xd1342543de82ef95ull + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return float(int64_t((z ^ (z >> 31)) >> 40) - (1 << 23)) / float(1 << 23);
}

/// float32 rounded to the element type (to nearest even), as its bits in the low end, and back.
inline uint32_t encode(Element e, float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (e == Element::F32)
    return bits;
  if (e == Element::BF16)
    return std::isnan(value) ? 0x7fffu : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  if (std::isnan(value))
    return 0x7fff;
  const uint32_t sign = (bits >> 16) & 0x8000;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f)
    return sign | 0x7c00;
  if (magnitude == 0.0f)
    return sign;
  int exponent;
  std::frexp(magnitude, &exponent);
  const int scale = std::max(exponent - 11, -24); // weight of the last of eleven bits
  const uint32_t mantissa = uint32_t(std::nearbyint(std::ldexp(magnitude, -scale)));
  return sign | (scale == -24 ? mantissa : mantissa + uint32_t(scale + 24) * 1024u);
}
inline float decode(Element e, uint32_t bits) {
  float value;
  if (e != Element::F16) {
    bits = e == Element::BF16 ? bits << 16 : bits;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  const int exponent = (bits >> 10) & 31;
  const float mantissa = float(bits & 1023);
  value = exponent == 31  ? (mantissa != 0 ? std::nanf("") : std::numeric_limits<float>::infinity())
          : exponent == 0 ? std::ldexp(mantissa, -24)
                          : std::ldexp(mantissa + 1024.0f, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

/// A tensor [batch, heads, rows, columns] within a buffer: offset and strides in elements.
struct View {
  long long offset = 0, batch = 0, head = 0, row = 0;
  long long at(int b, int h, int r) const { return offset + b * batch + h * head + r * row; }
};

struct Problem {
  Element element = Element::F32;
  ScoreKind kind = ScoreKind::Full;
  Layout layout = Layout::Contiguous;
  int batch = 1, heads = 1, kvHeads = 1, qLen = 1, kvLen = 1, headDim = 64, valueDim = 64;
  float scale = 0.125f;
  bool wantStatistics = true;
  uint64_t seed = 1;
  int window = 0; // keys that a causal query sees at most; 0: no bound

  std::string text() const {
    char line[256];
    std::snprintf(line, sizeof line, "%s,%s,%s,b%d h%d/%d q%d k%d d%d v%d scale %.3g", name(element),
                  name(kind), name(layout), batch, heads, kvHeads, qLen, kvLen, headDim, valueDim, scale);
    return window ? std::string(line) + " window " + std::to_string(window) : line;
  }
};

/// Problems that each meet another path of a kernel, in layouts that it takes.
struct ProblemList {
  bool aligned; // rows at multiples of 16 bytes alone, otherwise odd ones alone
  int headDim;
  uint64_t seed;
  std::vector<Problem> list;

  /// `factor`: of the usual scale.
  void add(int batch, int heads, int kvHeads, int q, int k, Layout layout, float factor = 1.0f) {
    if (!aligned && layout != Layout::Ragged)
      return;
    if (aligned && layout == Layout::Ragged)
      layout = Layout::Packed;
    Problem p;
    p.batch = batch, p.heads = heads, p.kvHeads = kvHeads, p.qLen = q, p.kvLen = k, p.layout = layout;
    p.scale = factor / std::sqrt(float(headDim));
    p.wantStatistics = list.size() % 3 != 2;
    p.seed = seed * 1000 + list.size();
    list.push_back(p);
  }
};

/// Those of both directions. `steep`: the scale's factor that makes rows nearly one-hot.
inline ProblemList usualProblems(bool aligned, int headDim, float steep, uint64_t seed) {
  ProblemList problems{aligned, headDim, seed, {}};
  problems.add(1, 1, 1, 1, 1, Layout::Contiguous);
  problems.add(2, 3, 3, 129, 129, Layout::Packed);
  problems.add(1, 4, 2, 257, 257, Layout::Contiguous);
  problems.add(1, 2, 1, 1, 300, Layout::Packed);
  problems.add(1, 1, 1, 300, 65, Layout::Ragged); // with kCausal the first 235 queries see no key
  problems.add(2, 2, 1, 100, 259, Layout::Ragged);
  problems.add(1, 2, 2, 70, 64, Layout::Contiguous, -1.0f);
  problems.add(1, 1, 1, 40, 33, Layout::Contiguous, 0.0f);
  problems.add(1, 1, 1, 64, 200, Layout::Contiguous, steep);
  return problems;
}

/// Deterministic content of the generated functions: mask and bias arrays [q_len, kv_len], shared by batches
/// and heads; the score adds the bias times (head + 1) and caps softly at 30. Where i is a multiple of 7,
/// keep() leaves nothing in Mask. A padding keeps 150 keys, some of the next 50 and none of 120, so that
/// tiles of all kinds occur.
inline bool maskValue(const Problem &p, int i, int j) {
  if (hasKeyMask(p.kind))
    return j % 320 < 150 || (j % 320 < 200 && uniform(p.seed + 77, uint64_t(j)) > 0.0f);
  return i % 7 != 3 && uniform(p.seed + 77, uint64_t(i) * 65536 + j) > -0.4f;
}
inline float biasValue(const Problem &p, int i, int j) {
  return 2.0f * uniform(p.seed + 78, uint64_t(i) * 65536 + j);
}
template <typename Real>
Real scoreAt(Real s, Real bias, int h) {
  return Real(30) * std::tanh((s + bias * Real(h + 1)) / Real(30));
}

/// Operands of a problem, on the host. All gaps of `inputs` hold NaN, and so do keys and values that lie more
/// than a tile before every window: no kernel reads them.
struct Operands {
  std::vector<float> inputs; // values exactly representable in the element type
  View q, k, v, out;
  long long outElements = 0;
  std::vector<uint8_t> mask;
  std::vector<float> bias;
};

inline Operands makeOperands(const Problem &p) {
  Operands o;
  const int D = p.headDim, V = p.valueDim;
  const auto contiguous = [](long long offset, int heads, int rows, long long row) {
    return View{offset, heads * rows * row, rows * row, row};
  };
  long long total = 0;
  if (p.layout == Layout::Packed) {
    // One row holds q of all heads, then k, then v (with kv heads and other widths where they differ).
    const long long width = (long long)p.heads * D + (long long)p.kvHeads * (D + V);
    const long long rows = std::max(p.qLen, p.kvLen);
    o.q = {0, rows * width, D, width};
    o.k = {(long long)p.heads * D, rows * width, D, width};
    o.v = {(long long)(p.heads + p.kvHeads) * D, rows * width, V, width};
    total = p.batch * rows * width;
    o.out = {0, (long long)p.qLen * p.heads * V, V, (long long)p.heads * V};
    o.outElements = (long long)p.batch * p.qLen * p.heads * V;
  } else {
    const int gap = p.layout == Layout::Ragged ? 3 : 0, offset = p.layout == Layout::Ragged ? 1 : 0;
    o.q = contiguous(offset, p.heads, p.qLen, D + gap);
    total = offset + p.batch * o.q.batch;
    total = (total + 7) / 8 * 8 + offset;
    o.k = contiguous(total, p.kvHeads, p.kvLen, D + gap);
    total += p.batch * o.k.batch;
    total = (total + 7) / 8 * 8 + offset;
    o.v = contiguous(total, p.kvHeads, p.kvLen, V + gap);
    total += p.batch * o.v.batch;
    o.out = contiguous(offset, p.heads, p.qLen, V + gap);
    o.outElements = offset + p.batch * o.out.batch;
  }
  o.inputs.assign(total, std::nanf(""));
  const auto fill = [&](const View &view, int heads, int rows, int columns, uint64_t salt) {
    for (int b = 0; b < p.batch; ++b)
      for (int h = 0; h < heads; ++h)
        for (int r = 0; r < rows; ++r)
          for (int c = 0; c < columns; ++c) {
            const long long at = view.at(b, h, r) + c;
            o.inputs[at] = decode(p.element, encode(p.element, 2.0f * uniform(p.seed * 4 + salt, at)));
          }
  };
  fill(o.q, p.heads, p.qLen, D, 1);
  fill(o.k, p.kvHeads, p.kvLen, D, 2);
  fill(o.v, p.kvHeads, p.kvLen, V, 3);
  constexpr int kWidestTile = 128;
  const long long first = (long long)p.kvLen - p.qLen - p.window + 1; // that the first query sees
  const int unread = p.window ? int(std::max(first - kWidestTile, 0ll)) : 0;
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.kvHeads; ++h)
      for (int r = 0; r < unread; ++r) {
        std::fill_n(o.inputs.begin() + o.k.at(b, h, r), D, std::nanf(""));
        std::fill_n(o.inputs.begin() + o.v.at(b, h, r), V, std::nanf(""));
      }
  if (hasMask(p.kind))
    for (int i = 0; i < p.qLen; ++i)
      for (int j = 0; j < p.kvLen; ++j)
        o.mask.push_back(maskValue(p, i, j));
  if (hasScore(p.kind))
    for (int i = 0; i < p.qLen; ++i)
      for (int j = 0; j < p.kvLen; ++j)
        o.bias.push_back(biasValue(p, i, j));
  return o;
}

/// One row of the reference.
struct ReferenceRow {
  std::vector<double> out;
  std::vector<double> weight;  // sum_j p_j |v_j|: what relative errors of the probabilities act on
  double lse = 0, maximum = 0; // of a row without keys lse is -inf
  double largestScore = 0;     // magnitude
};

/// Attention of one query, computed in `Real` (double for the reference; float for the written-out attention
/// that sets the scale of errors that float32 cannot avoid).
template <typename Real>
ReferenceRow referenceRow(const Problem &p, const Operands &o, int b, int h, int i) {
  const int kvHead = h / (p.heads / p.kvHeads);
  ReferenceRow row;
  std::vector<Real> s(p.kvLen, -std::numeric_limits<Real>::infinity());
  Real maximum = -std::numeric_limits<Real>::infinity();
  for (int j = 0; j < p.kvLen; ++j) {
    if (isCausal(p.kind) && j > i + p.kvLen - p.qLen)
      continue;
    if (p.window && j <= i + p.kvLen - p.qLen - p.window)
      continue;
    if (hasMask(p.kind) && !o.mask[(size_t)i * p.kvLen + j])
      continue;
    Real dot = 0;
    for (int c = 0; c < p.headDim; ++c)
      dot += Real(o.inputs[o.q.at(b, h, i) + c]) * Real(o.inputs[o.k.at(b, kvHead, j) + c]);
    s[j] = dot * Real(p.scale);
    if (hasScore(p.kind))
      s[j] = scoreAt<Real>(s[j], o.bias[(size_t)i * p.kvLen + j], h);
    maximum = std::max(maximum, s[j]);
    row.largestScore = std::max(row.largestScore, std::fabs(double(s[j])));
  }
  row.out.assign(p.valueDim, 0);
  row.weight.assign(p.valueDim, 0);
  if (std::isinf(maximum)) {
    row.lse = -std::numeric_limits<double>::infinity();
    return row;
  }
  Real sum = 0;
  std::vector<Real> out(p.valueDim, 0);
  for (int j = 0; j < p.kvLen; ++j) {
    s[j] = std::exp(s[j] - maximum);
    sum += s[j];
  }
  for (int j = 0; j < p.kvLen; ++j) {
    const Real probability = s[j] / sum;
    if (probability == 0)
      continue;
    for (int c = 0; c < p.valueDim; ++c) {
      const Real value = Real(o.inputs[o.v.at(b, kvHead, j) + c]);
      out[c] += probability * value;
      row.weight[c] += double(probability) * std::fabs(double(value));
    }
  }
  for (int c = 0; c < p.valueDim; ++c)
    row.out[c] = out[c];
  row.maximum = double(maximum);
  row.lse = row.maximum + std::log(double(sum));
  return row;
}

struct CheckResult {
  bool ok = true;
  double error = 0;      // largest error over its bound
  double plainRatio = 0; // float32: root mean square error over that of attention written out in float32
  std::string message;   // first violation
};

/// Compares an output (decoded to float32, NaN before the launch) with the reference. Where the problem is
/// large, `rowStep` > 1 looks at every rowStep-th query, and at the last. Bounds:
///   bf16, f16  u sum_j p_j |v_j| for rounding the probabilities and u |out| for rounding the result (u =
///   2^-8, 2^-11), so
///              2u sum_j p_j |v_j|; and a float16 probability's underflow, kv_len 2^-25 |v|
///   float32    1e-5 of the largest magnitude of the output, for scores up to 16; beyond, in proportion: a
///   probability's
///              relative error is its score's absolute error, and that is some roundings of the score's size
inline CheckResult check(const Problem &p, const Operands &o, const std::vector<float> &out,
                         const std::vector<float> &statistics, int rowStep) {
  CheckResult result;
  const auto fail = [&](const std::string &message) {
    if (result.ok)
      result.message = message;
    result.ok = false;
  };
  std::vector<uint8_t> written(out.size(), 0);
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.heads; ++h)
      for (int i = 0; i < p.qLen; ++i)
        for (int c = 0; c < p.valueDim; ++c)
          written[o.out.at(b, h, i) + c] = 1;
  for (size_t at = 0; at < out.size(); ++at)
    if (!written[at] && !std::isnan(out[at]))
      fail("wrote outside of the output at element " + std::to_string(at));
  double largest = 0, score = 0, squares = 0, plainSquares = 0;
  struct Worst {
    double error, bound;
    int b, h, i, c;
  };
  std::vector<Worst> all;
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.heads; ++h)
      for (int i = 0; i < p.qLen; i = i + 1 == p.qLen ? p.qLen : std::min(i + rowStep, p.qLen - 1)) {
        const ReferenceRow row = referenceRow<double>(p, o, b, h, i);
        score = std::max(score, row.largestScore);
        ReferenceRow plain;
        if (p.element == Element::F32)
          plain = referenceRow<float>(p, o, b, h, i);
        for (int c = 0; c < p.valueDim; ++c) {
          const float value = out[o.out.at(b, h, i) + c];
          double error = std::fabs(value - row.out[c]);
          if (std::isnan(value))
            error = std::numeric_limits<double>::infinity();
          largest = std::max(largest, std::fabs(row.out[c]));
          double bound = 0;
          if (p.element == Element::F32) {
            squares += error * error;
            plainSquares += (plain.out[c] - row.out[c]) * (plain.out[c] - row.out[c]);
          } else {
            bound = std::ldexp(row.weight[c], p.element == Element::BF16 ? -7 : -10) * 1.01 + 1e-6;
            if (p.element == Element::F16)
              bound += p.kvLen * std::ldexp(2.0, -25);
          }
          all.push_back({error, bound, b, h, i, c});
        }
        if (p.wantStatistics) {
          const size_t at = ((size_t)b * p.heads + h) * p.qLen + i;
          const double maximum = statistics[at], factor = statistics[statistics.size() / 2 + at];
          const auto near = [](double found, double wanted) {
            return std::fabs(found - wanted) <= 1e-5 * std::max(1.0, std::fabs(wanted));
          };
          const bool same = std::isinf(row.lse)
                                ? maximum == 0 && factor == 0
                                : near(maximum, row.maximum) && near(maximum - std::log(factor), row.lse);
          if (!same)
            fail("statistics of b" + std::to_string(b) + " h" + std::to_string(h) + " i" + std::to_string(i) +
                 ": " + std::to_string(maximum) + ", " + std::to_string(factor) + "; wanted a maximum of " +
                 std::to_string(row.maximum) + " and a logarithm of the sum of " + std::to_string(row.lse));
        }
      }
  for (const Worst &w : all) {
    const double bound =
        p.element == Element::F32 ? 1e-5 * largest * std::max(1.0, score / 16) + 1e-30 : w.bound;
    result.error = std::max(result.error, w.error / bound);
    if (!(w.error <= bound))
      fail("b" + std::to_string(w.b) + " h" + std::to_string(w.h) + " i" + std::to_string(w.i) + " c" +
           std::to_string(w.c) + ": error " + std::to_string(w.error) + ", bound " + std::to_string(bound));
  }
  if (plainSquares > 0)
    result.plainRatio = std::sqrt(squares / plainSquares);
  return result;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_CASES_H
