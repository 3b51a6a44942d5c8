#include "row.cuh"

extern "C" __global__ void __launch_bounds__(224) layer_norm(const float *__restrict__ x,
    const float *__restrict__ weight, const float *__restrict__ bias, float *__restrict__ y,
    long long rows) {
  const long long r = blockIdx.x;
  const int lane = threadIdx.x;
  __shared__ float scratch[heddle::block_reduce_scratch(1)];
  float x_value_row[2][4];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long long c = (k * 224 + lane) * 4;
    if (c < 1600) {
      float x_lanes[4];
      heddle::load_lanes(x_lanes, x + r * 1600 + c);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x_value_row[k][i] = x_lanes[i];
        sum += x_lanes[i];
      }
    }
  }
  sum = heddle::block_reduce<heddle::Add>(sum, scratch);
  const float mean = sum / 1600.0f;
  float centred_row[2][4];
  float sum_squares = 0.0f;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long long c = (k * 224 + lane) * 4;
    if (c < 1600) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float centred = x_value_row[k][i] - mean;
        centred_row[k][i] = centred;
        sum_squares += centred * centred;
      }
    }
  }
  sum_squares = heddle::block_reduce<heddle::Add>(sum_squares, scratch);
  const float scale = rsqrtf(sum_squares / 1600.0f + 1e-05f);
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const long long c = (k * 224 + lane) * 4;
    if (c < 1600) {
      float weight_lanes[4];
      heddle::load_lanes(weight_lanes, weight + c);
      float bias_lanes[4];
      heddle::load_lanes(bias_lanes, bias + c);
      float y_lanes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        y_lanes[i] = centred_row[k][i] * scale * weight_lanes[i] + bias_lanes[i];
      }
      heddle::store_lanes(y + r * 1600 + c, y_lanes);
    }
  }
}
