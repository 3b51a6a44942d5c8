#include "row.cuh"

extern "C" __global__ void __launch_bounds__(128) rms_norm(const float *__restrict__ x,
    const float *__restrict__ weight, heddle::bf16 *__restrict__ y, long long rows) {
  const long long r = (long long)blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  float x_value_row[3][8];
  float sum_squares = 0.0f;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const long long c = (k * 32 + lane) * 8;
    float x_lanes[8];
    heddle::load_lanes(x_lanes, x + r * 768 + c);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      x_value_row[k][i] = x_lanes[i];
      sum_squares += x_lanes[i] * x_lanes[i];
    }
  }
  sum_squares = heddle::warp_reduce<heddle::Add>(sum_squares);
  const float scale = rsqrtf(sum_squares / 768.0f + 1e-05f);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const long long c = (k * 32 + lane) * 8;
    float weight_lanes[8];
    heddle::load_lanes(weight_lanes, weight + c);
    heddle::bf16 y_lanes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      y_lanes[i] = heddle::from_float<heddle::bf16>(x_value_row[k][i] * scale * weight_lanes[i]);
    }
    heddle::store_lanes(y + r * 768 + c, y_lanes);
  }
}
