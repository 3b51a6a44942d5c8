#include "row.cuh"

extern "C" __global__ void __launch_bounds__(256) swiglu(const heddle::bf16 *__restrict__ product,
    heddle::bf16 *__restrict__ y, long long rows) {
  const long long index = (long long)blockIdx.x * 256 + threadIdx.x;
  if (index >= rows * 256)
    return;
  const long long c = heddle::remainder(index, 256) * 8;
  const long long r = heddle::quotient(index, 256);
  heddle::bf16 product_lanes[8];
  heddle::load_lanes(product_lanes, product + r * 4096 + c);
  heddle::bf16 product_lanes_1[8];
  heddle::load_lanes(product_lanes_1, product + r * 4096 + c + 2048);
  heddle::bf16 y_lanes[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float gate = heddle::to_float(product_lanes[i]);
    const float value = gate / (1.0f + expf(-gate)) * heddle::to_float(product_lanes_1[i]);
    y_lanes[i] = heddle::from_float<heddle::bf16>(value);
  }
  heddle::store_lanes(y + r * 2048 + c, y_lanes);
}
