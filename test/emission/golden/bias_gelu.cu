#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) bias_gelu(const heddle::bf16 *__restrict__ x,
    const float *__restrict__ bias, const float *__restrict__ row_scale, heddle::bf16 *__restrict__ y,
    long long rows) {
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= rows * 384)
    return;
  const long long c = heddle::remainder(index, 384) * 8;
  const long long r = heddle::quotient(index, 384);
  heddle::bf16 x_lanes[8];
  heddle::load_lanes(x_lanes, x + r * 3072 + c);
  float bias_lanes[8];
  heddle::load_lanes(bias_lanes, bias + c);
  const float s = row_scale[r];
  heddle::bf16 y_lanes[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float t = heddle::to_float(x_lanes[i]) + bias_lanes[i];
    y_lanes[i] = heddle::from_float<heddle::bf16>(t * 0.5f * (1.0f + erff(t * 0.70710677f)) * s);
  }
  heddle::store_lanes(y + r * 3072 + c, y_lanes);
}
