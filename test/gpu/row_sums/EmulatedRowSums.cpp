// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row sums run thread by thread on the CPU (Emulation.h) against float32 sums in the order of the indices:
// the same bits. Rows that more belongs to than a list holds, several lists for a block, rows of several
// blocks and blocks of several rows, all types, indices outside of the rows, rows of the source that lie
// apart.

#include "test/gpu/attention/Emulation.h"

/// What row_sums.cuh calls besides attention's instructions.
static int __popc(unsigned int word) { return __builtin_popcount(word); }
static int atomicAdd(int *target, int value) {
  const int before = *target;
  *target += value;
  return before;
}

#include "compiler/Target/CUDA/device/row_sums.cuh"

using namespace heddle;

namespace {

int failures = 0, runs = 0;

struct Problem {
  const char *name;
  int count = 0, rows = 0;
  int ranges = 1;  ///< Blocks that the rows are cut into.
  int padding = 0; ///< Elements between rows of the source.
  /// Of the index at a position.
  long long (*index)(int position, int rows) = nullptr;
};

long long scattered(int position, int rows) { return (position * 7919LL + position / 3) % rows; }
long long one(int, int rows) { return rows / 2; }
long long two(int position, int) { return position % 3 == 0 ? 1 : 3; }
/// Some below the first row, some beyond the last.
long long outside(int position, int rows) { return position % (rows + 9) - 4; }

template <typename T>
bool sameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <int Width, int Vector, int Threads, int RowThreads, typename Source, typename Index, typename Out>
void run(const Problem &p) {
  const int stride = Width + p.padding;
  // Addresses aligned as those of a plan's buffers.
  std::vector<Source> source(size_t(p.count) * stride + 64);
  std::vector<Out> out(size_t(p.rows) * Width + 64);
  const auto aligned = [](auto *pointer) {
    return reinterpret_cast<decltype(pointer)>((reinterpret_cast<uintptr_t>(pointer) + 63) / 64 * 64);
  };
  Source *from = aligned(source.data());
  Out *to = aligned(out.data());
  std::vector<Index> indices(p.count);
  uint64_t random = 12345;
  for (int i = 0; i < p.count * stride; ++i) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    from[i] = from_float<Source>(float(int(random >> 40)) / 65536 - 128);
  }
  for (int i = 0; i < p.count; ++i)
    indices[i] = Index(p.index(i, p.rows));
  std::fill_n(to, size_t(p.rows) * Width, from_float<Out>(NAN));

  using Work = RowSums<Width, Vector, Threads, RowThreads, Source, Index, Out>;
  emulation::launch(p.ranges * Work::kChunks, Threads, sizeof(RowSumsShared), 1, [&] {
    row_sums<Width, Vector, Threads, RowThreads>((const Source *)from, (long long)stride, indices.data(),
                                                 (long long)p.count, to, (long long)p.rows);
  });

  std::vector<float> sums(size_t(p.rows) * Width);
  for (int i = 0; i < p.count; ++i)
    if (indices[i] >= 0 && indices[i] < p.rows)
      for (int c = 0; c < Width; ++c)
        sums[size_t(indices[i]) * Width + c] += to_float(from[size_t(i) * stride + c]);
  size_t wrong = 0;
  for (size_t i = 0; i < sums.size(); ++i)
    wrong += !sameBits(to[i], from_float<Out>(sums[i]));
  ++runs;
  failures += wrong != 0;
  std::printf("%s %s, %d of %d columns to %d rows: %zu of %zu differ\n", wrong ? "FAIL" : "ok  ", p.name,
              p.count, Width, p.rows, wrong, sums.size());
}

} // namespace

int main() {
  const Problem few{"scattered", 40, 17, 3, 0, scattered}, many{"scattered", 3000, 250, 1, 0, scattered},
      apart{"rows apart", 333, 70, 2, 8, scattered}, same{"one row", 2500, 9, 2, 0, one},
      pair{"two rows", 3500, 5, 1, 0, two}, beyond{"indices outside", 500, 20, 4, 0, outside},
      spare{"more blocks than rows", 9, 5, 4, 0, scattered},
      full{"as many rows as a block owns", 700, 512, 2, 0, scattered};
  for (const Problem &p : {few, many, apart, same, pair, beyond, spare, full}) {
    run<16, 4, 256, 4, float, int, float>(p);
    run<24, 8, 256, 3, bf16, long long, float>(p);
    run<40, 8, 32, 5, bf16, int, bf16>(p);
    run<40, 8, 64, 3, float, int, bf16>(p);      // two blocks share a row
    run<12, 4, 32, 2, float, long long, f16>(p); // as many, and the last column's threads are idle
    run<5, 1, 160, 5, f16, int, float>(p);
  }
  std::printf("%d of %d failed\n", failures, runs);
  return failures != 0;
}
