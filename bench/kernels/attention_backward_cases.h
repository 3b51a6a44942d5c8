// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention's backward pass in float64, and error bounds, for the problems of attention_cases.h: shared by
// the standalone bench (attention_backward.cu) and by the emulated test (test/gpu/attention).

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_CASES_H
#define HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_CASES_H

#include "attention_cases.h"

namespace heddle::bench {

/// One gradient: values, and what each may be off by.
struct Gradient {
  std::vector<double> value, bound;
  explicit Gradient(size_t size = 0) : value(size), bound(size) {}
};

/// A problem of backward: forward's operands and results, rounded as forward hands them on, the gradient of
/// its output, the sums of both's products, and what comes of it. dq, dk and dv lie as q, k and v do, in one
/// buffer shaped as `forward.inputs`.
struct BackwardOperands {
  Operands forward;
  std::vector<float> dout;       // shaped by forward.out, NaN in the gaps
  std::vector<float> statistics; // [2, batch, heads, q_len]
  std::vector<float> delta;      // [batch, heads, q_len]
  Gradient inputs;               // of q, k and v
  std::vector<uint8_t> written;  // which elements of `inputs` are one of them
  Gradient bias;                 // [biasBatch, biasHeads, q_len, kv_len]
  int biasBatch, biasHeads;
};

/// `sharedBias`: the bias is one matrix for all batches and heads, otherwise each has its own.
///
/// Bounds. A product's term is off by roundings of its factors: with u = 2^-8 (bf16) or 2^-11 (f16) p and ds
/// are each rounded once (u of every term), and the result once more (u of it). float32 beside that: 1e-5 of
/// the terms' magnitudes (for scores up to 16, beyond in proportion, as in forward), where ds counts with the
/// magnitudes of its own terms, because it is a difference. float16 cannot hold less than 2^-25.
inline BackwardOperands makeBackward(const Problem &p, bool sharedBias) {
  BackwardOperands r;
  r.forward = makeOperands(p);
  Operands &o = r.forward;
  const int D = p.headDim, V = p.valueDim;
  r.dout.assign(o.outElements, std::nanf(""));
  const size_t rows = (size_t)p.batch * p.heads * p.qLen;
  r.statistics.assign(2 * rows, 0);
  r.delta.assign(rows, 0);
  r.inputs = Gradient(o.inputs.size());
  r.written.assign(o.inputs.size(), 0);
  r.biasBatch = sharedBias ? 1 : p.batch;
  r.biasHeads = sharedBias ? 1 : p.heads;
  r.bias = Gradient((size_t)r.biasBatch * r.biasHeads * p.qLen * p.kvLen);
  const auto rounded = [&](double value) { return decode(p.element, encode(p.element, float(value))); };
  const double u = p.element == Element::F32 ? 0 : p.element == Element::BF16 ? 0x1p-8 : 0x1p-11;
  const double least = p.element == Element::F16 ? 0x1p-25 : 0;
  double largestScore = 0;
  Gradient magnitude(o.inputs.size()); // bound: what float32's roundings act on
  std::vector<double> biasMagnitude(r.bias.value.size());
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.heads; ++h) {
      const int kvHead = h / (p.heads / p.kvHeads);
      for (int i = 0; i < p.qLen; ++i) {
        const ReferenceRow row = referenceRow<double>(p, o, b, h, i);
        largestScore = std::max(largestScore, row.largestScore);
        const size_t statistic = ((size_t)b * p.heads + h) * p.qLen + i;
        if (!std::isinf(row.lse)) {
          r.statistics[statistic] = float(row.maximum);
          r.statistics[rows + statistic] = float(std::exp(double(r.statistics[statistic]) - row.lse));
        }
        const long long outAt = o.out.at(b, h, i), qAt = o.q.at(b, h, i);
        double delta = 0, deltaMagnitude = 0;
        for (int c = 0; c < V; ++c) {
          const float gradient = rounded(uniform(p.seed * 4 + 5, outAt + c));
          const float out = rounded(row.out[c]);
          r.dout[outAt + c] = gradient;
          delta += double(gradient) * out;
          deltaMagnitude += std::fabs(double(gradient) * out);
        }
        r.delta[statistic] = float(delta);
        for (int c = 0; c < D; ++c)
          r.written[qAt + c] = 1;
        if (std::isinf(row.lse))
          continue;
        for (int j = 0; j < p.kvLen; ++j) {
          const bool seen = !(isCausal(p.kind) && j > i + p.kvLen - p.qLen) &&
                            !(p.window && j <= i + p.kvLen - p.qLen - p.window) &&
                            !(hasMask(p.kind) && !o.mask[(size_t)i * p.kvLen + j]);
          if (!seen)
            continue;
          const long long kAt = o.k.at(b, kvHead, j), vAt = o.v.at(b, kvHead, j);
          double dot = 0, dp = 0, dpMagnitude = 0, slope = 1;
          for (int c = 0; c < D; ++c)
            dot += double(o.inputs[qAt + c]) * o.inputs[kAt + c];
          double score = dot * p.scale;
          if (hasScore(p.kind)) {
            const double bias = o.bias[(size_t)i * p.kvLen + j];
            score = scoreAt<double>(score, bias, h);
            slope = 1 - (score / 30) * (score / 30);
          }
          const double probability = std::exp(score - row.lse);
          for (int c = 0; c < V; ++c) {
            dp += double(r.dout[outAt + c]) * o.inputs[vAt + c];
            dpMagnitude += std::fabs(double(r.dout[outAt + c]) * o.inputs[vAt + c]);
          }
          const double dscore = probability * (dp - delta);
          const double dscoreMagnitude = probability * (dpMagnitude + deltaMagnitude);
          const size_t biasAt =
              (((size_t)(sharedBias ? 0 : b) * r.biasHeads + (sharedBias ? 0 : h)) * p.qLen + i) * p.kvLen +
              j;
          r.bias.value[biasAt] += dscore;
          biasMagnitude[biasAt] += dscoreMagnitude;
          const double ds = dscore * slope;
          const auto add = [&](long long at, double factor, double other, double otherMagnitude) {
            r.inputs.value[at] += factor * other;
            r.inputs.bound[at] += u * std::fabs(factor * other) + least * std::fabs(other);
            magnitude.bound[at] += otherMagnitude * std::fabs(other);
          };
          for (int c = 0; c < D; ++c) {
            add(qAt + c, ds, p.scale * o.inputs[kAt + c], dscoreMagnitude);
            add(kAt + c, ds, p.scale * o.inputs[qAt + c], dscoreMagnitude);
          }
          for (int c = 0; c < V; ++c)
            add(vAt + c, probability, r.dout[outAt + c], probability);
        }
      }
    }
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.kvHeads; ++h)
      for (int j = 0; j < p.kvLen; ++j) {
        std::fill_n(r.written.begin() + o.k.at(b, h, j), D, 1);
        std::fill_n(r.written.begin() + o.v.at(b, h, j), V, 1);
      }
  const double plain = 1e-5 * std::max(1.0, largestScore / 16);
  for (size_t at = 0; at < r.inputs.value.size(); ++at)
    r.inputs.bound[at] += plain * magnitude.bound[at] + u * std::fabs(r.inputs.value[at]) + least;
  for (size_t at = 0; at < r.bias.value.size(); ++at)
    r.bias.bound[at] = plain * biasMagnitude[at];
  return r;
}

/// Compares gradients (decoded to float32, NaN before the launch) with the reference.
inline CheckResult checkBackward(const BackwardOperands &o, const std::vector<float> &inputs,
                                 const std::vector<float> &bias) {
  CheckResult result;
  const auto compare = [&](const char *what, size_t at, float found, double wanted, double bound) {
    double error = std::fabs(found - wanted);
    if (std::isnan(found))
      error = std::numeric_limits<double>::infinity();
    result.error = std::max(result.error, error == 0 ? 0 : error / bound);
    if (!(error <= bound) && result.ok) {
      result.ok = false;
      result.message = std::string(what) + " at " + std::to_string(at) + ": " + std::to_string(found) +
                       ", wanted " + std::to_string(wanted) + " within " + std::to_string(bound);
    }
  };
  for (size_t at = 0; at < inputs.size(); ++at) {
    if (o.written[at]) {
      compare("gradient", at, inputs[at], o.inputs.value[at], o.inputs.bound[at]);
    } else if (!std::isnan(inputs[at]) && result.ok) {
      result.ok = false;
      result.message = "wrote outside of the gradients at element " + std::to_string(at);
    }
  }
  for (size_t at = 0; at < bias.size(); ++at)
    compare("bias gradient", at, bias[at], o.bias.value[at], o.bias.bound[at]);
  return result;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_BACKWARD_CASES_H
