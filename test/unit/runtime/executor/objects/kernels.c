#include <stdint.h>

// y = a * x + counts[1], by rows of counts[0] columns; a is one element.
void scale_rows(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  const float *x = buffers[0], *a = buffers[1];
  float *y = buffers[2];
  for (int64_t i = begin * counts[0]; i < end * counts[0]; ++i)
    y[i] = *a * x[i] + (float)counts[1];
}

// count += 1; steps of one item.
void count_up(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) {
  *(float *)buffers[0] += 1;
}
