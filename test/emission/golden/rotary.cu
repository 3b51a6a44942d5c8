#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) rotary(const float *__restrict__ x,
    const float *__restrict__ cosine, const float *__restrict__ sine, float *__restrict__ y,
    long long batch, long long sequence) {
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= batch * sequence * 12 * 8)
    return;
  const long long c = heddle::remainder(index, 8) * 4;
  const long long row = heddle::quotient(index, 8);
  const long long h = heddle::remainder(row, 12);
  const long long row_1 = heddle::quotient(row, 12);
  const long long s = heddle::remainder(row_1, sequence);
  const long long b = heddle::quotient(row_1, sequence);
  float x_lanes[8];
  heddle::load_lanes(x_lanes, x + ((b * sequence + s) * 12 + h) * 64 + c * 2);
  float cosine_lanes[4];
  heddle::load_lanes(cosine_lanes, cosine + s * 32 + c);
  float sine_lanes[4];
  heddle::load_lanes(sine_lanes, sine + s * 32 + c);
  float y_lanes[8];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    y_lanes[2 * i] = x_lanes[2 * i] * cosine_lanes[i] - x_lanes[2 * i + 1] * sine_lanes[i];
    y_lanes[2 * i + 1] = x_lanes[2 * i] * sine_lanes[i] + x_lanes[2 * i + 1] * cosine_lanes[i];
  }
  heddle::store_lanes(y + ((b * sequence + s) * 12 + h) * 64 + c * 2, y_lanes);
}
