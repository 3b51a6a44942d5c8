// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of a block run thread by thread on the CPU (Emulation.h): whole numbers, whose sums are exact in
// any order, for all numbers of rows and many of threads; and twice, with threads in another order, to the
// same bits.

#include "test/gpu/attention/Emulation.h"

#include "compiler/Target/CUDA/device/reduce.cuh"

using namespace heddle;

namespace {

int failures = 0, runs = 0;

void report(const char *name, int threads, int rows, int wrong) {
  ++runs;
  failures += wrong != 0;
  std::printf("%s %s, %d threads, %d rows: %d wrong\n", wrong ? "FAIL" : "ok  ", name, threads, rows, wrong);
}

/// What each thread of each block gets; the scratch is used twice, one reduction right after the other.
template <typename Op, int Rows>
std::vector<float> results(int threads, int blocks, const std::vector<float> &values, uint64_t seed = 1) {
  std::vector<float> found(values.size(), NAN);
  emulation::launch(blocks, threads, block_reduce_rows_scratch(Rows) * sizeof(float), seed, [&] {
    float *scratch = reinterpret_cast<float *>(emulation::block().shared);
    const size_t at = size_t(blockIdx.x) * threads + threadIdx.x;
    found[at] = block_reduce_rows<Op, Rows>(values[at], scratch);
    float again = block_reduce_rows<Op, Rows>(-values[at], scratch);
    if constexpr (std::is_same_v<Op, Add>)
      if (again != -found[at])
        found[at] = NAN;
  });
  return found;
}

template <int Rows>
void run(int threads) {
  const int blocks = 3;
  std::vector<float> whole(size_t(threads) * blocks), fractions(whole.size());
  uint64_t random = 99;
  for (size_t i = 0; i < whole.size(); ++i) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    whole[i] = float(int(random >> 54)) - 512;
    fractions[i] = whole[i] / 3;
  }
  std::vector<float> sums(size_t(blocks) * Rows, 0), largest(sums.size(), -INFINITY);
  for (size_t i = 0; i < whole.size(); ++i) {
    const size_t row = i / threads * Rows + i % threads % Rows;
    sums[row] += whole[i];
    largest[row] = std::max(largest[row], whole[i]);
  }
  auto wrong = [&](const std::vector<float> &found, const std::vector<float> &wanted) {
    int count = 0;
    for (size_t i = 0; i < found.size(); ++i)
      count += found[i] != wanted[i / threads * Rows + i % threads % Rows];
    return count;
  };
  report("sum", threads, Rows, wrong(results<Add, Rows>(threads, blocks, whole), sums));
  report("max", threads, Rows, wrong(results<Max, Rows>(threads, blocks, whole), largest));
  std::vector<float> first = results<Add, Rows>(threads, blocks, fractions),
                     second = results<Add, Rows>(threads, blocks, fractions, /*seed=*/7);
  report("same bits", threads, Rows,
         std::memcmp(first.data(), second.data(), first.size() * sizeof(float)) != 0);
}

} // namespace

int main() {
  for (int threads : {32, 64, 96, 256, 512, 1024}) {
    run<1>(threads);
    run<2>(threads);
    run<4>(threads);
    run<8>(threads);
    run<16>(threads);
    run<32>(threads);
  }
  std::printf("%d of %d failed\n", failures, runs);
  return failures != 0;
}
