#include "row.cuh"

extern "C" __global__ void __launch_bounds__(1024) column_sums(const float *__restrict__ x,
    float *__restrict__ sums, float *__restrict__ squares, long long count) {
  const long long row = (long long)blockIdx.x * 8 + threadIdx.x % 8;
  const int lane = threadIdx.x / 8;
  const bool active = row < 770;
  const long long column = active ? row : 0;
  __shared__ float scratch[heddle::block_reduce_rows_scratch(8)];
  float sum = 0.0f;
#pragma unroll 4
  for (long long row_1 = lane; active && row_1 < count; row_1 += 128) {
    sum += x[column + row_1 * 770];
  }
  sum = heddle::block_reduce_rows<heddle::Add, 8>(sum, scratch);
  if (active && lane == 0)
    sums[column] = sum;
  if (active && lane == 0)
    squares[column] = sum * sum;
}
