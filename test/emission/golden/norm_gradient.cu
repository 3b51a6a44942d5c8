#include "row.cuh"

extern "C" __global__ void __launch_bounds__(192, 1) norm_gradient(const float *__restrict__ x,
    const float *__restrict__ dy, const float *__restrict__ weight, float *__restrict__ dx,
    float *__restrict__ dweight, long long count) {
  const long long part = blockIdx.x;
  const int lane = threadIdx.x;
  const long long rows = count;
  const long long length = (rows + 11) / 12;
  __shared__ float scratch[heddle::block_reduce_scratch(1)];
  float sums[1][4] = {};
  const long long first = part * length;
  const long long end = first + length < rows ? first + length : rows;
  for (long long row = first; row < end; ++row) {
    float x_row[1][4];
    float dy_row[1][4];
    float squares = 0.0f;
    float dots = 0.0f;
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const long long col = (k * 192 + lane) * 4;
      float x_lanes[4];
      heddle::load_lanes(x_lanes, x + row * 768 + col);
      float dy_lanes[4];
      heddle::load_lanes(dy_lanes, dy + row * 768 + col);
      float weight_lanes[4];
      heddle::load_lanes(weight_lanes, weight + col);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        x_row[k][i] = x_lanes[i];
        dy_row[k][i] = dy_lanes[i];
        squares += x_lanes[i] * x_lanes[i];
        dots += dy_lanes[i] * weight_lanes[i] * x_lanes[i];
      }
    }
    squares = heddle::block_reduce<heddle::Add>(squares, scratch);
    dots = heddle::block_reduce<heddle::Add>(dots, scratch);
    const float scale = rsqrtf(squares / 768.0f + 1e-05f);
    const float inner = dots / 768.0f;
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const long long col = (k * 192 + lane) * 4;
      float weight_lanes[4];
      heddle::load_lanes(weight_lanes, weight + col);
      const float part_of_row = scale * inner;
      float dx_lanes[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float normal = x_row[k][i] * scale;
        sums[k][i] += dy_row[k][i] * normal;
        dx_lanes[i] = (dy_row[k][i] * weight_lanes[i] - normal * part_of_row) * scale;
      }
      heddle::store_lanes(dx + row * 768 + col, dx_lanes);
    }
  }
#pragma unroll
  for (int k = 0; k < 1; ++k) {
    const long long col = (k * 192 + lane) * 4;
    heddle::store_lanes(dweight + part * 768 + col, sums[k]);
  }
}
