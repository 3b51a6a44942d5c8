// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batched kernels run thread by thread on the CPU (Emulation.h): the texts of test/emission, as the printer
// made them, on tables that the runtime made. Each instance's elements are written once, by that instance,
// and nothing else is: few and many instances, of one block and of several, more than a warp looks at at
// once, and some without a block.

#include "test/gpu/attention/Emulation.h"

/// What batch.cuh calls besides attention's instructions.
static int __popc(unsigned int word) { return __builtin_popcount(word); }
#define __launch_bounds__(threads)

#include "test/emission/golden/batched_flat.cu"
#include "test/emission/golden/batched_rows.cu"

#include "runtime/plan/InstanceTable.h"

using namespace heddle;

namespace {

int failures = 0, runs = 0;

void report(const char *name, const std::vector<long long> &sizes, int wrong) {
  ++runs;
  failures += wrong != 0;
  std::printf("%s %s, %zu instances: %d wrong\n", wrong ? "FAIL" : "ok  ", name, sizes.size(), wrong);
}

float valueAt(size_t instance, size_t index) { return float(int((instance * 977 + index * 31) % 255) - 127); }

/// weight -= gradient * rate, and a copy of it, of `sizes` elements each; a margin behind them stays as it
/// is.
void flat(const std::vector<long long> &sizes) {
  constexpr size_t kMargin = 8;
  std::vector<std::vector<bf16>> gradients, copies;
  std::vector<std::vector<float>> weights, rates;
  for (size_t i = 0; i < sizes.size(); ++i) {
    gradients.emplace_back(sizes[i] + kMargin), copies.emplace_back(sizes[i] + kMargin);
    weights.emplace_back(sizes[i] + kMargin), rates.push_back({float(i % 5) + 1});
    for (size_t at = 0; at < gradients[i].size(); ++at) {
      gradients[i][at] = from_float<bf16>(valueAt(i, at));
      weights[i][at] = valueAt(i + 1, at);
    }
  }
  runtime::Launch launch;
  std::vector<void *> buffers;
  int blocks = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (void *buffer : {(void *)gradients[i].data(), (void *)rates[i].data(), (void *)weights[i].data(),
                         (void *)copies[i].data()})
      buffers.push_back(buffer);
    launch.counts.push_back(sizes[i]);
    launch.shares.push_back((sizes[i] / 8 + 255) / 256);
    blocks += int(launch.shares.back());
  }
  const std::vector<int64_t> words = runtime::instanceTable(launch, buffers);
  const std::vector<long long> table(words.begin(), words.end());
  emulation::launch(blocks, 256, 16, /*seed=*/3,
                    [&] { batched_flat(table.data(), (long long)sizes.size()); });
  int wrong = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t at = 0; at < weights[i].size(); ++at) {
      const bool inside = at < size_t(sizes[i]);
      const float before = valueAt(i + 1, at), after = before - valueAt(i, at) * rates[i][0];
      wrong += weights[i][at] != (inside ? after : before);
      wrong += copies[i][at].bits != (inside ? from_float<bf16>(after).bits : 0);
    }
  report("flat", sizes, wrong);
}

/// Sums of squares of rows of 768; whole numbers, whose sums are exact in any order.
void rows(const std::vector<long long> &sizes) {
  std::vector<std::vector<bf16>> matrices;
  std::vector<std::vector<float>> sums;
  runtime::Launch launch;
  std::vector<void *> buffers;
  int blocks = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    matrices.emplace_back(sizes[i] * 768), sums.emplace_back(sizes[i] + 1, -1.0f);
    for (size_t at = 0; at < matrices[i].size(); ++at)
      matrices[i][at] = from_float<bf16>(valueAt(i, at));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    buffers.push_back(matrices[i].data()), buffers.push_back(sums[i].data());
    launch.counts.push_back(sizes[i]);
    launch.shares.push_back((sizes[i] + 3) / 4);
    blocks += int(launch.shares.back());
  }
  const std::vector<int64_t> words = runtime::instanceTable(launch, buffers);
  const std::vector<long long> table(words.begin(), words.end());
  emulation::launch(blocks, 128, 16, /*seed=*/3,
                    [&] { batched_rows(table.data(), (long long)sizes.size()); });
  int wrong = 0;
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t row = 0; row < sums[i].size(); ++row) {
      float wanted = row < size_t(sizes[i]) ? 0.0f : -1.0f;
      for (size_t at = 0; row < size_t(sizes[i]) && at < 768; ++at)
        wanted += valueAt(i, row * 768 + at) * valueAt(i, row * 768 + at);
      wrong += sums[i][row] != wanted;
    }
  report("rows", sizes, wrong);
}

} // namespace

int main() {
  std::vector<long long> many, empty;
  for (int i = 0; i < 75; ++i)
    many.push_back(8 * (1 + i * i % 300));
  for (int i = 0; i < 33; ++i)
    empty.push_back(i % 3 ? 0 : 2056);
  for (const std::vector<long long> &sizes :
       {std::vector<long long>{8}, {2048, 8}, {2056, 4096, 16}, many, empty})
    flat(sizes);
  std::vector<long long> warp(32, 5), beyond(65, 1);
  for (const std::vector<long long> &sizes : {std::vector<long long>{1}, {4, 3}, {9, 1, 5}, warp, beyond})
    rows(sizes);
  std::printf("%d of %d failed\n", failures, runs);
  return failures != 0;
}
