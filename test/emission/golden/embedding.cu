#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) embedding(const int *__restrict__ ids,
    const float *__restrict__ table, float *__restrict__ y, long long tokens) {
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= tokens * 192)
    return;
  const long long c = heddle::remainder(index, 192) * 4;
  const long long t = heddle::quotient(index, 192);
  const long long token = (long long)ids[t];
  float table_lanes[4];
  heddle::load_lanes(table_lanes, table + token * 768 + c);
  float y_lanes[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    y_lanes[i] = table_lanes[i];
  }
  heddle::store_lanes(y + t * 768 + c, y_lanes);
}
