#include "row.cuh"

extern "C" __global__ void __launch_bounds__(128) dropout_add_rms_norm(
    const heddle::bf16 *__restrict__ matmul, const long long *__restrict__ dropout_key,
    const float *__restrict__ x, const float *__restrict__ weight, float *__restrict__ add,
    heddle::bf16 *__restrict__ cast, long long batch, long long seq, long long layer) {
  const long long row = (long long)blockIdx.x * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= (batch * seq))
    return;
  const long long dropout_key_value = dropout_key[0];
  float add_row[3][8];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const long long col = (k * 32 + lane) * 8;
    float x_lanes[8];
    heddle::load_lanes(x_lanes, x + row * 768 + col);
    heddle::bf16 matmul_lanes[8];
    heddle::load_lanes(matmul_lanes, matmul + row * 768 + col);
    const long long iota = row * 768;
    const int dropout = heddle::wrap_add(int(dropout_key_value), heddle::wrap_mul(int(layer), -1640531527));
    const int dropout_1 = heddle::wrap_mul(dropout ^ heddle::shift_right(dropout, 16), 2146121005);
    const int dropout_2 = heddle::wrap_mul(dropout_1 ^ heddle::shift_right(dropout_1, 15), -2073254261);
    const int dropout_3 = dropout_2 ^ heddle::shift_right(dropout_2, 16);
    const int dropout_4 = dropout_3 ^ int(heddle::shift_right(dropout_key_value, (long long)32));
    const int dropout_5 = heddle::wrap_mul(dropout_4 ^ heddle::shift_right(dropout_4, 16), 2146121005);
    const int dropout_6 = heddle::wrap_mul(dropout_5 ^ heddle::shift_right(dropout_5, 15), -2073254261);
    const int dropout_7 = dropout_6 ^ heddle::shift_right(dropout_6, 16);
    float add_lanes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int dropout_8 = int(col + i + iota) ^ dropout_3;
      const int dropout_9 = heddle::wrap_mul(dropout_8 ^ heddle::shift_right(dropout_8, 16), 2146121005);
      const int dropout_10 = heddle::wrap_mul(dropout_9 ^ heddle::shift_right(dropout_9, 15), -2073254261);
      const int dropout_11 = heddle::wrap_add(dropout_10 ^ heddle::shift_right(dropout_10, 16), dropout_7);
      const int dropout_12 = heddle::wrap_mul(dropout_11 ^ heddle::shift_right(dropout_11, 16), 2146121005);
      const int dropout_13 = heddle::wrap_mul(dropout_12 ^ heddle::shift_right(dropout_12, 15), -2073254261);
      const int dropout_14 = heddle::shift_right(dropout_13 ^ heddle::shift_right(dropout_13, 16), 1);
      const float dropout_15 = dropout_14 > 214748364 ? heddle::to_float(matmul_lanes[i]) * 1.1111112f : 0.0f;
      const float add_1 = x_lanes[i] + dropout_15;
      add_lanes[i] = add_1;
      add_row[k][i] = add_1;
      sum += add_1 * add_1;
    }
    heddle::store_lanes(add + row * 768 + col, add_lanes);
  }
  sum = heddle::warp_reduce<heddle::Add>(sum);
  const float rsqrt_1 = rsqrtf(sum / 768.0f + 1e-05f);
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const long long col = (k * 32 + lane) * 8;
    float weight_lanes[8];
    heddle::load_lanes(weight_lanes, weight + col);
    heddle::bf16 cast_lanes[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      cast_lanes[i] = heddle::from_float<heddle::bf16>(add_row[k][i] * rsqrt_1 * weight_lanes[i]);
    }
    heddle::store_lanes(cast + row * 768 + col, cast_lanes);
  }
}
