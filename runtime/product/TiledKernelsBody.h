//===- TiledKernelsBody.h - The inner loops, for any vector width -*- C++ -*-===//
//
// Included by one source file for each level, which is compiled with that level's instructions: so nothing
// here may be shared between them, and no header with inline functions may be included.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_TILEDKERNELSBODY_H
#define HEDDLE_RUNTIME_PRODUCT_TILEDKERNELSBODY_H

#include "runtime/product/TiledKernels.h"

namespace heddle::runtime {
namespace {

/// Rows × (Vectors · lanes) sums in registers. `Isa` has the vector type and its operations.
template <typename Isa, int Rows, int Vectors, bool Pack>
void multiplyRows(const TiledKernels::Block &block) {
  using Vector = typename Isa::Vector;
  constexpr int64_t columns = Vectors * Isa::kLanes;
  const float *b = block.b, *from = block.from;
  int64_t fromLd = block.fromLd;
  float *panel = block.panel;
  const int64_t depth = block.depth, aLd = block.aLd, bLd = Pack ? block.bLd : columns;
  // A pointer for every third row: with one and two leading dimensions as index all rows are addressed.
  constexpr int groups = (Rows + 2) / 3;
  const float *a[groups];
#pragma GCC unroll 8
  for (int g = 0; g < groups; ++g)
    a[g] = block.a + int64_t{3} * g * aLd;
  for (int64_t chain = 0; chain < depth; chain += block.chain) {
    const int64_t chainEnd = depth < chain + block.chain ? depth : chain + block.chain;
    Vector sums[Rows][Vectors] = {};
    // What the first sums are added to may be far away, and nobody else asks for it.
    if (from && chain == 0)
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          __builtin_prefetch(from + i * fromLd + v * Isa::kLanes, 0, 3);
    for (int64_t l = chain; l < chainEnd; ++l, b += bLd) {
      Vector right[Vectors];
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v) {
        right[v] = Isa::load(b + v * Isa::kLanes);
        if constexpr (Pack)
          Isa::store(panel + l * columns + v * Isa::kLanes, right[v]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        Vector left = Isa::broadcast(a[i / 3][i % 3 * aLd]);
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          sums[i][v] = Isa::multiplyAdd(left, right[v], sums[i][v]);
      }
#pragma GCC unroll 8
      for (int g = 0; g < groups; ++g)
        ++a[g];
    }
    // Not one loop with a choice inside: the sums would leave their registers.
    if (from)
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
        for (int v = 0; v < Vectors; ++v)
          sums[i][v] = Isa::add(sums[i][v], Isa::load(from + i * fromLd + v * Isa::kLanes));
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (int v = 0; v < Vectors; ++v)
        Isa::store(block.to + i * block.toLd + v * Isa::kLanes, sums[i][v]);
    from = block.to;
    fromLd = block.toLd;
  }
}

/// A perfect shuffle of the rows, log2(W) times, is a transposition: each round interleaves row i with row
/// i + W/2.
template <typename Isa>
void transposeBlock(const float *source, int64_t sourceLd, float *destination, int64_t destinationLd) {
  using Vector = typename Isa::Vector;
  constexpr int W = Isa::kLanes;
  for (int64_t bi = 0; bi < 16; bi += W)
    for (int64_t bj = 0; bj < 16; bj += W) {
      Vector rows[W];
#pragma GCC unroll 16
      for (int i = 0; i < W; ++i)
        rows[i] = Isa::load(source + (bi + i) * sourceLd + bj);
#pragma GCC unroll 4
      for (int round = 1; round < W; round *= 2) {
        Vector next[W];
#pragma GCC unroll 8
        for (int i = 0; i < W / 2; ++i) {
          next[2 * i] = Isa::interleaveLow(rows[i], rows[i + W / 2]);
          next[2 * i + 1] = Isa::interleaveHigh(rows[i], rows[i + W / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < W; ++i)
          rows[i] = next[i];
      }
#pragma GCC unroll 16
      for (int j = 0; j < W; ++j)
        Isa::store(destination + (bj + j) * destinationLd + bi, rows[j]);
    }
}

template <typename Isa, int Rows, int Vectors>
constexpr TiledKernels makeTiledKernels() {
  TiledKernels kernels{};
  kernels.rows = Rows;
  kernels.columns = Vectors * Isa::kLanes;
  kernels.transpose16 = transposeBlock<Isa>;
  auto fill = [&]<int Count>(auto &self) {
    kernels.multiply[Count - 1] = multiplyRows<Isa, Count, Vectors, false>;
    kernels.multiplyAndPack[Count - 1] = multiplyRows<Isa, Count, Vectors, true>;
    if constexpr (Count > 1)
      self.template operator()<Count - 1>(self);
  };
  fill.template operator()<Rows>(fill);
  return kernels;
}

} // namespace
} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_TILEDKERNELSBODY_H
