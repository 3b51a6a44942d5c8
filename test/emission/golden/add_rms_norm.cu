#include "row.cuh"

extern "C" __global__ void __launch_bounds__(64) add_rms_norm(const float *__restrict__ x,
    const heddle::bf16 *__restrict__ branch, const float *__restrict__ weight,
    float *__restrict__ residual, heddle::bf16 *__restrict__ y, long long batch, long long sequence) {
  const long long row = blockIdx.x;
  const int lane = threadIdx.x;
  __shared__ float scratch[heddle::block_reduce_scratch(1)];
  float total_row[4][8];
  float sum_squares = 0.0f;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const long long c = (k * 64 + lane) * 8;
    float x_lanes[8];
    heddle::load_lanes(x_lanes, x + row * 2048 + c);
    heddle::bf16 branch_lanes[8];
    heddle::load_lanes(branch_lanes, branch + row * 2048 + c);
    float residual_lanes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float total = x_lanes[i] + heddle::to_float(branch_lanes[i]);
      residual_lanes[i] = total;
      total_row[k][i] = total;
      sum_squares += total * total;
    }
    heddle::store_lanes(residual + row * 2048 + c, residual_lanes);
  }
  sum_squares = heddle::block_reduce<heddle::Add>(sum_squares, scratch);
  const float scale = rsqrtf(sum_squares / 2048.0f + 1e-06f);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const long long c = (k * 64 + lane) * 8;
    float weight_lanes[8];
    heddle::load_lanes(weight_lanes, weight + c);
    heddle::bf16 y_lanes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      y_lanes[i] = heddle::from_float<heddle::bf16>(total_row[k][i] * scale * weight_lanes[i]);
    }
    heddle::store_lanes(y + row * 2048 + c, y_lanes);
  }
}
