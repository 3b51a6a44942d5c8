#include "row.cuh"
#include "batch.cuh"

extern "C" __global__ void __launch_bounds__(128) batched_rows(const long long *__restrict__ table,
    long long instances) {
  const heddle::Instance instance = heddle::instance_of(table, instances, 3);
  const heddle::bf16 *__restrict__ gradient = instance.buffer<const heddle::bf16>(0);
  float *__restrict__ sums = instance.buffer<float>(1);
  const long long rows = instance.count(2);
  const long long row = instance.block * 4 + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows)
    return;
  float sum = 0.0f;
#pragma unroll 4
  for (long long col = lane * 8; col < 768; col += 256) {
    heddle::bf16 gradient_lanes[8];
    heddle::load_lanes(gradient_lanes, gradient + row * 768 + col);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float value = heddle::to_float(gradient_lanes[i]);
      sum += value * value;
    }
  }
  sum = heddle::warp_reduce<heddle::Add>(sum);
  if (lane == 0)
    sums[row] = sum;
}
