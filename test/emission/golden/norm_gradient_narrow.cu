#include "row.cuh"

extern "C" __global__ void __launch_bounds__(128, 1) norm_gradient_narrow(const float *__restrict__ x,
    const float *__restrict__ dy, const float *__restrict__ weight, float *__restrict__ dx,
    float *__restrict__ dweight, long long count) {
  const long long part = (long long)blockIdx.x * 16 + threadIdx.x / 8;
  const int lane = threadIdx.x % 8;
  const long long rows = count;
  const long long length = (rows + 39) / 40;
  float sums[1][4] = {};
  for (long long place = 0; place < length; ++place) {
    const bool active = part * length + place < rows;
    const long long row = active ? part * length + place : 0;
    float x_row[1][4];
    float dy_row[1][4];
    float squares = 0.0f;
    float dots = 0.0f;
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const long long col = (k * 8 + lane) * 4;
      if (active && col < 24) {
        float x_lanes[4];
        heddle::load_lanes(x_lanes, x + row * 24 + col);
        float dy_lanes[4];
        heddle::load_lanes(dy_lanes, dy + row * 24 + col);
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
    }
    squares = heddle::warp_reduce<heddle::Add, 8>(squares);
    dots = heddle::warp_reduce<heddle::Add, 8>(dots);
    const float scale = rsqrtf(squares / 24.0f + 1e-05f);
    const float inner = dots / 24.0f;
#pragma unroll
    for (int k = 0; k < 1; ++k) {
      const long long col = (k * 8 + lane) * 4;
      if (active && col < 24) {
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
        heddle::store_lanes(dx + row * 24 + col, dx_lanes);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 1; ++k) {
    const long long col = (k * 8 + lane) * 4;
    if (part < 40 && col < 24) {
      heddle::store_lanes(dweight + part * 24 + col, sums[k]);
    }
  }
}
