#include "row.cuh"

extern "C" __global__ void __launch_bounds__(800, 1) gelu_gradient_bf16(
    const heddle::bf16 *__restrict__ x, const heddle::bf16 *__restrict__ dy, heddle::bf16 *__restrict__ dx,
    float *__restrict__ dbias, float *__restrict__ dy_sums, long long batch, long long seq) {
  const long long part = blockIdx.x;
  const int lane = threadIdx.x;
  const long long rows = batch * seq;
  const long long length = (rows + 255) / 256;
  float sums[1][4] = {};
  float sums_1[1][4] = {};
  const long long first = part * length;
  const long long end = first + length < rows ? first + length : rows;
  for (long long row = first; row < end; ++row) {
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const long long col = (k * 800 + lane) * 4;
      if (col < 3080) {
        heddle::bf16 x_lanes[4];
        heddle::load_lanes(x_lanes, x + row * 3080 + col);
        heddle::bf16 dy_lanes[4];
        heddle::load_lanes(dy_lanes, dy + row * 3080 + col);
        heddle::bf16 dx_lanes[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float wide_dy = heddle::to_float(dy_lanes[i]);
          const float gradient = wide_dy * tanhf(heddle::to_float(x_lanes[i]));
          sums[k][i] += gradient;
          sums_1[k][i] += wide_dy;
          dx_lanes[i] = heddle::from_float<heddle::bf16>(gradient);
        }
        heddle::store_lanes(dx + row * 3080 + col, dx_lanes);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 1; ++k) {
    const long long col = (k * 800 + lane) * 4;
    if (col < 3080) {
      heddle::store_lanes(dbias + part * 3080 + col, sums[k]);
      heddle::store_lanes(dy_sums + part * 3080 + col, sums_1[k]);
    }
  }
}
