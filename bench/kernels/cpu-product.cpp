// Times the runtime's CPU products (runtime/product), the library's and Heddle's own tiles, on the shapes of
// cpu-sgemm.c, with the pool's threads, in float32 and with bf16 operands, and the reference's float64
// product. After building the preset `release`:
//   c++ -std=c++20 -O2 -I. -o /tmp/cpu-product bench/kernels/cpu-product.cpp -Lbuild/release/lib
//     -lHeddleProduct -lHeddleReference -lHeddlePlan -lHeddleBase
//     $(find /usr/lib -path '*openblas-pthread/libopenblas.a') -lpthread
#include "runtime/plan/CpuAlgorithm.h"
#include "runtime/product/CpuProduct.h"
#include "runtime/reference/Program.h"

#include <chrono>
#include <cstdio>

using namespace heddle::runtime;

template <typename Fn>
static double bestSeconds(int repeats, Fn fn) {
  double best = 1e9;
  for (int i = 0; i < repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    fn();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

static void measure(CpuProducts &products, int64_t batch, int64_t m, int64_t n, int64_t k, bool tb,
                    DType type, std::string_view algorithm) {
  std::vector<float> a(batch * m * k, 0.5f), b(batch * n * k, 0.5f),
      d(batch * m * n); // bf16 reads half of them.
  Product p;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  p.a = {{0, 0}, type, k, m * k, false};
  p.b = {{1, 0}, type, tb ? k : n, n * k, tb};
  p.d = {{2, 0}, DType::F32, n, m * n, false};
  p.algorithm.assign(algorithm.begin(), algorithm.end());
  double best =
      bestSeconds(12, [&] { (void)products.run(p, a.data(), b.data(), nullptr, nullptr, d.data()).isOk(); });
  std::printf("%-7s %s %3ld x %4ld x %5ld x %4ld %c  %8.3f ms  %7.1f GFLOP/s\n",
              algorithm.empty() ? "library" : "tiled", type == DType::F32 ? "f32 " : "bf16", long(batch),
              long(m), long(n), long(k), tb ? 'T' : 'N', best * 1e3, 2e-9 * batch * m * n * k / best);
}

int main() {
  ThreadPool pool;
  auto products = CpuProducts::create(pool);
  if (!products.isOk())
    return std::printf("%s\n", products.status().message().c_str()), 1;
  std::printf("%s, %d threads\n", (*products)->library().c_str(), pool.threads());
  const int64_t shapes[][2] = {{768, 768}, {2304, 768}, {6144, 768}, {768, 3072}, {10000, 768}};
  for (DType type : {DType::F32, DType::BF16})
    for (std::string_view algorithm : {std::string_view(), kTiledProduct}) {
      for (auto [n, k] : shapes)
        measure(**products, 1, 512, n, k, true, type, algorithm);
      measure(**products, 48, 128, 128, 64, true, type, algorithm);
      measure(**products, 48, 128, 64, 128, false, type, algorithm);
    }
  reference::Program program;
  program.values = {{DType::F32, {512, 768}}, {DType::F32, {768, 10000}}, {DType::F32, {512, 10000}}};
  program.inputs = {{"a", 0}, {"b", 1}};
  program.outputs = {{"c", 2}};
  reference::Operation matmul;
  matmul.name = "matmul";
  matmul.operands = {0, 1};
  matmul.results = {2};
  program.operations = {matmul};
  std::map<std::string, reference::Tensor> inputs = {{"a", reference::Tensor(512 * 768, 0.5)},
                                                     {"b", reference::Tensor(768 * 10000, 0.5)}};
  double best = bestSeconds(3, [&] { (void)reference::execute(program, inputs, nullptr).isOk(); });
  std::printf("reference f64 512 x 10000 x 768, copies included: %.1f ms\n", best * 1e3);
}
