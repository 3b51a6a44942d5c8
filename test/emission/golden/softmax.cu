#include "row.cuh"

extern "C" __global__ void __launch_bounds__(128) softmax(const float *__restrict__ x,
    float *__restrict__ y, long long rows, long long length) {
  const long long r = blockIdx.x;
  const int lane = threadIdx.x;
  __shared__ float scratch[heddle::block_reduce_scratch(1)];
  float row_max = -INFINITY;
#pragma unroll 4
  for (long long c = lane; c < length; c += 128) {
    row_max = heddle::Max::apply(row_max, x[r * length + c]);
  }
  row_max = heddle::block_reduce<heddle::Max>(row_max, scratch);
  float row_sum = 0.0f;
#pragma unroll 4
  for (long long c = lane; c < length; c += 128) {
    row_sum += expf(x[r * length + c] - row_max);
  }
  row_sum = heddle::block_reduce<heddle::Add>(row_sum, scratch);
#pragma unroll 4
  for (long long c = lane; c < length; c += 128) {
    y[r * length + c] = expf(x[r * length + c] - row_max) / row_sum;
  }
}
