#include "row.cuh"
#include "batch.cuh"

extern "C" __global__ void __launch_bounds__(256) batched_flat(const long long *__restrict__ table_1,
    long long instances) {
  const heddle::Instance instance = heddle::instance_of(table_1, instances, 5);
  const heddle::bf16 *__restrict__ gradient = instance.buffer<const heddle::bf16>(0);
  const float *__restrict__ table = instance.buffer<const float>(1);
  float *weight = instance.buffer<float>(2);
  heddle::bf16 *__restrict__ copy = instance.buffer<heddle::bf16>(3);
  const long long elements = instance.count(4);
  const long long index = instance.block * 256 + threadIdx.x;
  if (index >= elements / 8)
    return;
  const long long col = index * 8;
  heddle::bf16 gradient_lanes[8];
  heddle::load_lanes(gradient_lanes, gradient + col);
  const float rate = table[0];
  float weight_lanes[8];
  heddle::load_lanes(weight_lanes, weight + col);
  float weight_lanes_1[8];
  heddle::bf16 copy_lanes[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float new_1 = weight_lanes[i] - heddle::to_float(gradient_lanes[i]) * rate;
    weight_lanes_1[i] = new_1;
    copy_lanes[i] = heddle::from_float<heddle::bf16>(new_1);
  }
  heddle::store_lanes(weight + col, weight_lanes_1);
  heddle::store_lanes(copy + col, copy_lanes);
}
