#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) causal_mask(float *scores, bool *__restrict__ mask,
    long long heads, long long queries, long long keys) {
  const long long offset = keys - queries;
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= heads * queries * keys)
    return;
  const long long k = heddle::remainder(index, keys);
  const long long row = heddle::quotient(index, keys);
  const long long q = heddle::remainder(row, queries);
  const long long h = heddle::quotient(row, queries);
  const long long last = q + offset;
  const bool sees = k <= last;
  const float scores_value = scores[(h * queries + q) * keys + k];
  scores[(h * queries + q) * keys + k] = sees ? scores_value : -INFINITY;
  mask[(h * queries + q) * keys + k] = sees;
}
