#include <stdint.h>
#include <stdio.h>
void kernel(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) { puts("out of the loom"); }
