// Times the inner loop of the CPU's tiled products (runtime/product/TiledKernels.h) alone, on one core:
// packed rows of a of some megabytes, as a product of k = 3072 has them, and a tile's panels of b, on pages
// of 2 MiB and on pages of 4 KiB. After building the preset `release`:
//   c++ -std=c++20 -O2 -I. -o /tmp/cpu-tiles bench/kernels/cpu-tiles.cpp -Lbuild/release/lib -lHeddleProduct
//     -lHeddlePlan -lHeddleBase
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/LargeArray.h"
#include "runtime/product/TiledKernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace heddle::runtime;

static const TiledKernels &kernels() {
  return cpuLevel() == CpuLevel::V4   ? kTiledKernelsV4
         : cpuLevel() == CpuLevel::V3 ? kTiledKernelsV3
                                      : kTiledKernelsBaseline;
}

/// The best of several passes, in GFLOP/s.
static double measure(bool largePages) {
  const TiledKernels &k = kernels();
  constexpr int64_t kPanelsA = 36, kPanelsB = 6, kBlocks = 4; // 504 rows with AVX-512, 192 columns, k = 3072
  std::vector<float *> memory;
  auto allocate = [&](int64_t elements) {
    size_t bytes = static_cast<size_t>((elements * 4 + 4095) / 4096 * 4096);
    auto *data =
        static_cast<float *>(largePages ? allocateLargePages(bytes) : std::aligned_alloc(4096, bytes));
    for (int64_t i = 0; i < elements; ++i)
      data[i] = static_cast<float>(i % 2001 - 1000) * 1e-3f;
    memory.push_back(data);
    return data;
  };
  const int64_t ld = kPanelsB * k.columns, blockA = kPanelsA * k.rows * kTiledRowStride;
  float *a = allocate(kBlocks * blockA), *b = allocate(kTiledDepth * ld),
        *sums = allocate(kPanelsA * k.rows * ld);
  double best = 1e9;
  for (int pass = 0; pass < 20; ++pass) {
    auto start = std::chrono::steady_clock::now();
    for (int64_t l = 0; l < kBlocks; ++l)
      for (int64_t i = 0; i < kPanelsA; ++i)
        for (int64_t j = 0; j < kPanelsB; ++j) {
          TiledKernels::Block block{};
          block.depth = kTiledDepth;
          block.chain = kTiledChain;
          block.a = a + l * blockA + i * k.rows * kTiledRowStride;
          block.aLd = kTiledRowStride;
          block.b = b + j * k.columns * kTiledDepth;
          block.bLd = k.columns;
          block.to = sums + i * k.rows * ld + j * k.columns;
          block.from = l > 0 ? block.to : nullptr;
          block.fromLd = block.toLd = ld;
          k.multiply[k.rows - 1](block);
        }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  for (float *data : memory)
    std::free(data);
  return 2e-9 * double(kBlocks * kPanelsA * kPanelsB * k.rows * k.columns * kTiledDepth) / best;
}

int main() {
  std::printf("%s, one core\n", cpuName().c_str());
  std::printf("pages of 2 MiB  %6.1f GFLOP/s\n", measure(true));
  std::printf("pages of 4 KiB  %6.1f GFLOP/s\n", measure(false));
}
