//===- Epilogue.cpp - What a CPU product adds after the sum ---------------===//
#include "runtime/product/Epilogue.h"

#include "runtime/base/CpuFeatures.h"

namespace heddle::runtime {

namespace {

/// erf by the rational minimax approximation over [-4, 4] that Eigen and XLA use (coefficients from Eigen's
/// generic_fast_erf_float): odd polynomial over even polynomial. Branch-free, so that loops over it
/// vectorise, where std::erf costs ten times the product's share.
HEDDLE_ALWAYS_INLINE float fastErf(float value) {
  float x = value < -4.0f ? -4.0f : value > 4.0f ? 4.0f : value;
  float s = x * x;
  float p = -2.72614225801306e-10f;
  p = p * s + 2.77068142495902e-08f;
  p = p * s + -2.10102402082508e-06f;
  p = p * s + -5.69250639462346e-05f;
  p = p * s + -7.34990630326855e-04f;
  p = p * s + -2.95459980854025e-03f;
  p = p * s + -1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * s + -2.13374055278905e-04f;
  q = q * s + -1.68282697438203e-03f;
  q = q * s + -7.37332916720468e-03f;
  q = q * s + -1.42647390514189e-02f;
  return x * p / q;
}

HEDDLE_ALWAYS_INLINE void biasBody(float *__restrict__ row, const float *__restrict__ bias, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    row[j] += bias[j];
}
HEDDLE_DISPATCH(addBias, biasBody, (float *row, const float *bias, int64_t columns), (row, bias, columns))

HEDDLE_ALWAYS_INLINE void geluBody(float *row, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    row[j] = 0.5f * row[j] * (1.0f + fastErf(row[j] * 0.70710678f));
}
HEDDLE_DISPATCH(gelu, geluBody, (float *row, int64_t columns), (row, columns))

// A NaN stays a NaN: the comparison is the way round that keeps it.
HEDDLE_ALWAYS_INLINE void reluBody(float *row, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j)
    row[j] = row[j] <= 0.0f ? 0.0f : row[j];
}
HEDDLE_DISPATCH(relu, reluBody, (float *row, int64_t columns), (row, columns))

} // namespace

bool hasBias(Epilogue epilogue) {
  return epilogue == Epilogue::Bias || epilogue == Epilogue::BiasGelu || epilogue == Epilogue::BiasRelu;
}

void applyEpilogue(Epilogue epilogue, float *tile, int64_t rows, int64_t columns, int64_t ld,
                   const float *bias) {
  if (epilogue == Epilogue::None)
    return;
  for (int64_t i = 0; i < rows; ++i) {
    float *row = tile + i * ld;
    if (hasBias(epilogue))
      addBias(row, bias, columns);
    if (epilogue == Epilogue::Gelu || epilogue == Epilogue::BiasGelu)
      gelu(row, columns);
    if (epilogue == Epilogue::Relu || epilogue == Epilogue::BiasRelu)
      relu(row, columns);
  }
}

} // namespace heddle::runtime
