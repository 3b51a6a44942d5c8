//===- Epilogue.cpp - What a CPU product adds after the sum ---------------===//
#include "runtime/product/Epilogue.h"

#include "runtime/base/CpuFeatures.h"

#include <bit>

namespace heddle::runtime {

namespace {

/// e^x for x clamped to [-87, 89], where the upper end gives infinity: e^r 2^n with r = x - n ln 2, |r| <=
/// ln(2) / 2, in two parts so that the subtraction is exact, and the Taylor series of e^r (next term 2e-8 of
/// it). Branch-free, so that loops over it vectorise, where std::exp costs ten times the product's share.
HEDDLE_ALWAYS_INLINE float fastExp(float x) {
  constexpr float kRounder = 12582912.0f; // 1.5 * 2^23: what is added is rounded to an integer.
  float clamped = x < -87.0f ? -87.0f : x > 89.0f ? 89.0f : x;
  float shifted = clamped * 1.44269504f + kRounder;
  float n = shifted - kRounder;
  float r = clamped - n * 0.693359375f;
  r -= n * -2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  auto exponent = static_cast<uint32_t>(std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounder));
  return p * std::bit_cast<float>((exponent + 127u) << 23);
}

HEDDLE_ALWAYS_INLINE void biasBody(float *__restrict__ row, const float *__restrict__ bias, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    row[j] += bias[j];
}
HEDDLE_DISPATCH(addBias, biasBody, (float *row, const float *bias, int64_t columns), (row, bias, columns))

/// x/2 * (1 + tanh(u)) is x / (1 + e^(-2u)), which cancels nothing where the result is small.
HEDDLE_ALWAYS_INLINE void geluTanhBody(float *row, int64_t columns) {
  constexpr float kFactor = -1.5957691216f; // -2 sqrt(2 / pi)
  for (int64_t j = 0; j < columns; ++j) {
    float x = row[j];
    row[j] = x / (1.0f + fastExp(kFactor * x * (1.0f + 0.044715f * x * x)));
  }
}
HEDDLE_DISPATCH(geluTanh, geluTanhBody, (float *row, int64_t columns), (row, columns))

// A NaN stays a NaN: the comparison is the way round that keeps it.
HEDDLE_ALWAYS_INLINE void reluBody(float *row, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    row[j] = row[j] <= 0.0f ? 0.0f : row[j];
}
HEDDLE_DISPATCH(relu, reluBody, (float *row, int64_t columns), (row, columns))

HEDDLE_ALWAYS_INLINE void siluMultiplyBody(float *__restrict__ gate, const float *__restrict__ up,
                                           int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    gate[j] = gate[j] / (1.0f + fastExp(-gate[j])) * up[j];
}
HEDDLE_DISPATCH(siluMultiplyRow, siluMultiplyBody, (float *gate, const float *up, int64_t columns),
                (gate, up, columns))

} // namespace

void siluMultiply(float *gate, const float *up, int64_t columns) { siluMultiplyRow(gate, up, columns); }

void applyEpilogue(Epilogue epilogue, float *tile, int64_t rows, int64_t columns, int64_t ld,
                   const float *bias) {
  if (epilogue == Epilogue::None)
    return;
  for (int64_t i = 0; i < rows; ++i) {
    float *row = tile + i * ld;
    if (hasBias(epilogue))
      addBias(row, bias, columns);
    if (epilogue == Epilogue::GeluTanh || epilogue == Epilogue::BiasGeluTanh)
      geluTanh(row, columns);
    if (epilogue == Epilogue::Relu || epilogue == Epilogue::BiasRelu)
      relu(row, columns);
  }
}

} // namespace heddle::runtime
