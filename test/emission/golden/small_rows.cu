#include "row.cuh"

extern "C" __global__ void __launch_bounds__(128) small_rows(const float *__restrict__ x,
    float *__restrict__ y, float *__restrict__ sums, long long rows) {
  const long long row = (long long)blockIdx.x * 8 + threadIdx.x / 16;
  const int lane = threadIdx.x % 16;
  const bool active = row < rows;
  const long long r = active ? row : 0;
  float magnitude_row[1][4];
  float sum = 0.0f;
  float minimum = INFINITY;
#pragma unroll
  for (int k = 0; k < 1; ++k) {
    const long long c = (k * 16 + lane) * 4;
    if (active && c < 48) {
      float x_lanes[4];
      heddle::load_lanes(x_lanes, x + r * 48 + c);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float magnitude = fabsf(x_lanes[i]);
        magnitude_row[k][i] = magnitude;
        sum += magnitude;
        minimum = heddle::Min::apply(minimum, x_lanes[i]);
      }
    }
  }
  sum = heddle::warp_reduce<heddle::Add, 16>(sum);
  minimum = heddle::warp_reduce<heddle::Min, 16>(minimum);
  if (active && lane == 0)
    sums[r] = sum;
#pragma unroll
  for (int k = 0; k < 1; ++k) {
    const long long c = (k * 16 + lane) * 4;
    if (active && c < 48) {
      float y_lanes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        y_lanes[i] = magnitude_row[k][i] / sum + minimum;
      }
      heddle::store_lanes(y + r * 48 + c, y_lanes);
    }
  }
}
