#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) dropout_add_bf16(
    const heddle::bf16 *__restrict__ matmul, const long long *__restrict__ dropout_key,
    const float *__restrict__ x, float *__restrict__ add, long long batch, long long seq, long long layer) {
  const long long extent = batch * seq * 768;
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= extent / 8)
    return;
  const long long col = index * 8;
  float x_lanes[8];
  heddle::load_lanes(x_lanes, x + col);
  heddle::bf16 matmul_lanes[8];
  heddle::load_lanes(matmul_lanes, matmul + col);
  const long long dropout_key_value = dropout_key[0];
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
    const int dropout_8 = int(col + i) ^ dropout_3;
    const int dropout_9 = heddle::wrap_mul(dropout_8 ^ heddle::shift_right(dropout_8, 16), 2146121005);
    const int dropout_10 = heddle::wrap_mul(dropout_9 ^ heddle::shift_right(dropout_9, 15), -2073254261);
    const int dropout_11 = heddle::wrap_add(dropout_10 ^ heddle::shift_right(dropout_10, 16), dropout_7);
    const int dropout_12 = heddle::wrap_mul(dropout_11 ^ heddle::shift_right(dropout_11, 16), 2146121005);
    const int dropout_13 = heddle::wrap_mul(dropout_12 ^ heddle::shift_right(dropout_12, 15), -2073254261);
    const int dropout_14 = heddle::shift_right(dropout_13 ^ heddle::shift_right(dropout_13, 16), 1);
    const float dropout_15 = dropout_14 > 214748364 ? heddle::to_float(matmul_lanes[i]) * 1.1111112f : 0.0f;
    add_lanes[i] = x_lanes[i] + dropout_15;
  }
  heddle::store_lanes(add + col, add_lanes);
}
