//===- OpenBlas.cpp - The library behind CPU products ---------------------===//
#include "runtime/product/OpenBlas.h"

#include "runtime/base/CpuFeatures.h"

#include <cblas.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <vector>

// Not in OpenBLAS's header: choosing the kernels again, which a build for one processor alone does not have,
// and the buffers of its products.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_init(void);
__attribute__((weak)) void gotoblas_dynamic_quit(void);
__attribute__((weak)) void *blas_memory_alloc(int purpose);
__attribute__((weak)) void blas_memory_free(void *buffer);
}

namespace heddle::runtime {

namespace {

/// Runs before OpenBLAS's own start-up code, which would otherwise make a thread for every core.
__attribute__((constructor(101))) void keepOpenBlasSingleThreaded() {
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
}

const char *bestCoreType() {
  if (const char *wanted = std::getenv("HEDDLE_OPENBLAS_CORETYPE"))
    return wanted;
  switch (cpuLevel()) {
  case CpuLevel::V4:
    return "SkylakeX";
  case CpuLevel::V3:
    return "Haswell";
  case CpuLevel::Baseline:
    break;
  }
  return nullptr; // OpenBLAS knows the older processors itself.
}

void chooseKernels() {
  const char *core = bestCoreType();
  if (!core || !gotoblas_dynamic_init || !gotoblas_dynamic_quit)
    return;
  // Put back afterwards: the variable is the user's, and often there for other programs.
  const char *variable = "OPENBLAS_CORETYPE", *before = std::getenv(variable);
  std::optional<std::string> saved;
  if (before)
    saved = before;
  setenv(variable, core, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  if (saved)
    setenv(variable, saved->c_str(), 1);
  else
    unsetenv(variable);
}

/// One product with ragged edges against a float64 sum. 1e-5 is two orders above what float32 sums of 130
/// terms of at most 0.25 can lose, and far below what a wrong kernel gives.
bool computesRight() {
  const int m = 67, n = 83, k = 130;
  std::vector<float> a(size_t{m} * k), b(size_t{n} * k), c(size_t{m} * n, NAN);
  auto element = [](int i) { return static_cast<float>((i * 2654435761u) >> 8 & 0xffff) / 65536.0f - 0.5f; };
  for (int i = 0; i < m * k; ++i)
    a[i] = element(i);
  for (int i = 0; i < n * k; ++i)
    b[i] = element(i + 7919);
  sgemm(false, true, m, n, k, 1.0f, a.data(), k, b.data(), k, 0.0f, c.data(), n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p)
        sum += double(a[i * k + p]) * b[j * k + p];
      if (!(std::fabs(sum - c[i * n + j]) < 1e-5))
        return false;
    }
  return true;
}

/// What a buffer of the library takes: its BUFFER_SIZE on x86-64, 32 << 22 bytes, and a page of slack.
constexpr size_t kBufferBytes = (size_t{32} << 22) + 4096;
/// The library's table of buffers; what is beyond it comes from elsewhere, with a warning of its own.
constexpr int kMostBuffers = 128;

/// Whether the process may have `bytes` more of address space.
bool canMap(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}

StatusOr<std::string> prepare() {
  chooseKernels();
  HEDDLE_RETURN_IF_ERROR(reserveOpenBlas(1));
  openblas_set_num_threads(1);
  std::string core = openblas_get_corename();
  // openblas_get_config begins with "OpenBLAS 0.3.21 …".
  std::string config = openblas_get_config();
  std::string name = config.substr(0, config.find(' ', config.find(' ') + 1)) + " (" + core + ")";
  if (!computesRight())
    return unavailable(name + " computes wrong products on " + cpuName() +
                       "; set HEDDLE_OPENBLAS_CORETYPE=Haswell, or install another version");
  return name;
}

} // namespace

StatusOr<std::string> prepareOpenBlas() {
  static const StatusOr<std::string> prepared = prepare();
  return prepared;
}

Status reserveOpenBlas(int callers) {
  static std::mutex mutex;
  static int reserved = 0;
  std::lock_guard<std::mutex> lock(mutex);
  int wanted = std::min(callers, kMostBuffers);
  if (wanted <= reserved || !blas_memory_alloc || !blas_memory_free)
    return Status::ok();
  // Held all at once: the library makes a new one only where none is free.
  std::vector<void *> buffers;
  bool fits = true;
  for (int i = 0; i < wanted && fits; ++i) {
    fits = i < reserved || canMap(kBufferBytes);
    if (fits)
      buffers.push_back(blas_memory_alloc(0));
  }
  for (void *buffer : buffers)
    blas_memory_free(buffer);
  if (fits) {
    reserved = wanted;
    return Status::ok();
  }
  return outOfMemory("OpenBLAS wants " + std::to_string(wanted) + " buffers of " +
                     std::to_string(kBufferBytes) + " bytes of address space, and the system refused one; " +
                     "a limit on this process's memory (ulimit -v) may be too low");
}

void sgemm(bool transposeA, bool transposeB, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
           int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc) {
  auto index = [](int64_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, transposeA ? CblasTrans : CblasNoTrans, transposeB ? CblasTrans : CblasNoTrans,
              index(m), index(n), index(k), alpha, a, index(lda), b, index(ldb), beta, c, index(ldc));
}

} // namespace heddle::runtime
