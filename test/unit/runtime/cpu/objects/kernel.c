// One function for each thing that the loader must get right.
#include <math.h>
#include <stdint.h>
#include <string.h>

// y[i][j] = x[i][j] + 1, rows [begin, end), counts[0] columns.
void add_one(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (int64_t i = begin * counts[0]; i < end * counts[0]; ++i)
    y[i] = x[i] + 1;
}

// Constants, a table of pointers (absolute relocations), zeroed and initialised data.
static const char *const names[] = {"warp", "weft"};
static int64_t zeroed[100];
static int64_t initialised[3] = {10, 20, 30};
void use_data(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  int64_t *out = buffers[0];
  out[0] = names[counts[0]][0];
  out[1] = zeroed[counts[1]];
  zeroed[counts[1]] += 1;
  out[2] = initialised[counts[0]];
}

// Calls of far functions: y = exp(tanh(x)), then a copy that the compiler cannot inline.
void call_far(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (int64_t i = begin; i < end; ++i)
    y[i] = expf(tanhf(x[i]));
  memcpy(buffers[2], y, (size_t)counts[0]);
}

// The address of a far function, taken and called.
void call_pointer(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  float (*volatile function)(float) = sinf;
  *(float *)buffers[0] = function(1.0f);
}

// Which ranges the device asked for: each marks its own rows.
void mark(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  int64_t *out = buffers[0];
  for (int64_t i = begin; i < end; ++i)
    out[i] += 1 + 1000 * begin;
}
