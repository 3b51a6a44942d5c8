#include <stdint.h>
static int64_t value;
__attribute__((constructor)) static void start(void) { value = 1; }
void kernel(void *const *buffers, const int64_t *counts, int64_t begin, int64_t end) { *(int64_t *)buffers[0] = value; }
