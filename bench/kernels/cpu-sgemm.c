// Times one library's single-precision product on the shapes of a small Transformer, and checks each against
// a naive product. The library is opened by name, so that one program compares them all:
//   cc -O2 -o /tmp/cpu-sgemm bench/kernels/cpu-sgemm.c -ldl -lm
//   /tmp/cpu-sgemm libblis.so.4           (BLIS_ARCH_TYPE, BLIS_NUM_THREADS)
//   /tmp/cpu-sgemm libopenblas.so.0       (OPENBLAS_CORETYPE, OPENBLAS_NUM_THREADS)
//   /tmp/cpu-sgemm libdnnl.so.2           (OMP_NUM_THREADS)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*Cblas)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                      const float *b, int ldb, float beta, float *c, int ldc);
typedef int (*Dnnl)(char ta, char tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                    int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc);
static Cblas cblas;
static Dnnl dnnl;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// c (m x n) = a (m x k) * b, b stored k x n, or n x k where `tb`.
static void product(int tb, int m, int n, int k, const float *a, const float *b, float *c) {
  int ldb = tb ? k : n;
  if (cblas)
    cblas(101, 111, tb ? 112 : 111, m, n, k, 1.0f, a, k, b, ldb, 0.0f, c, n);
  else
    dnnl('N', tb ? 'T' : 'N', m, n, k, 1.0f, a, k, b, ldb, 0.0f, c, n);
}

static void measure(int batch, int m, int n, int k, int tb) {
  float *a = malloc(sizeof(float) * batch * m * k), *b = malloc(sizeof(float) * batch * k * n),
        *c = malloc(sizeof(float) * batch * m * n);
  uint32_t seed = 1;
  for (long i = 0; i < (long)batch * m * k; ++i)
    a[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
  for (long i = 0; i < (long)batch * k * n; ++i)
    b[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
  double best = 1e9;
  for (int repeat = 0; repeat < 12; ++repeat) {
    double start = now();
    for (int i = 0; i < batch; ++i)
      product(tb, m, n, k, a + (long)i * m * k, b + (long)i * k * n, c + (long)i * m * n);
    double time = now() - start;
    best = time < best ? time : best;
  }
  double worst = 0; // Largest error over 997 elements, against a float64 sum.
  for (int s = 0; s < 997; ++s) {
    int i = (int)((long)s * 7919 % m), j = (int)((long)s * 104729 % n), z = s % batch;
    double sum = 0;
    for (int p = 0; p < k; ++p)
      sum += (double)a[((long)z * m + i) * k + p] *
             (tb ? b[((long)z * n + j) * k + p] : b[((long)z * k + p) * n + j]);
    worst = fmax(worst, fabs(sum - c[((long)z * m + i) * n + j]));
  }
  printf("%3d x %4d x %5d x %4d %c  %8.3f ms  %7.1f GFLOP/s  largest error %.1e\n", batch, m, n, k,
         tb ? 'T' : 'N', best * 1e3, 2e-9 * batch * m * n * k / best, worst);
  free(a), free(b), free(c);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return fprintf(stderr, "usage: %s LIBRARY\n", argv[0]), 2;
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  cblas = (Cblas)dlsym(library, "cblas_sgemm");
  dnnl = (Dnnl)dlsym(library, "dnnl_sgemm");
  if (!cblas && !dnnl)
    return fprintf(stderr, "%s has neither cblas_sgemm nor dnnl_sgemm\n", argv[1]), 1;
  char *(*core)(void) = (char *(*)(void))dlsym(library, "openblas_get_corename");
  if (core)
    printf("core %s\n", core());
  int (*arch)(void) = (int (*)(void))dlsym(library, "bli_arch_query_id");
  char *(*archName)(int) = (char *(*)(int))dlsym(library, "bli_arch_string");
  if (arch && archName)
    printf("core %s\n", archName(arch()));
  static const int shapes[][2] = {{768, 768}, {2304, 768}, {6144, 768}, {768, 3072}, {10000, 768}};
  for (int tb = 0; tb < 2; ++tb)
    for (int s = 0; s < 5; ++s)
      measure(1, 512, shapes[s][0], shapes[s][1], tb);
  measure(48, 128, 128, 64, 1);
  measure(48, 128, 64, 128, 0);
  return 0;
}
