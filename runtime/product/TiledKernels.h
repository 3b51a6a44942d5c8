//===- TiledKernels.h - The inner loops of a tiled product ------*- C++ -*-===//
//
// One table of functions for each level of the processor, compiled for it alone. What they work on was packed
// by TiledProduct: no edges, no other types than float32.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PRODUCT_TILEDKERNELS_H
#define HEDDLE_RUNTIME_PRODUCT_TILEDKERNELS_H

#include <cstdint>

namespace heddle::runtime {

/// Elements of k that are packed and multiplied in one call, at the most: a tile's panels of b with so many
/// rows stay in the second-level cache, and the sums of most products are never read again.
constexpr int64_t kTiledDepth = 768;
/// Elements of k that are summed one after the other. Such chains' sums are then added: a chain's error grows
/// with its length, and the library's chains are no longer.
constexpr int64_t kTiledChain = 256;
/// For products of few rows the library's chains are shorter, too.
constexpr int64_t kTiledShortChain = 32, kTiledFewRows = 16;
/// Distance of the packed rows of a, in elements: not a power of two, so that a panel's rows do not share the
/// few sets of the first-level cache that a power of two would leave them.
constexpr int64_t kTiledRowStride = kTiledDepth + 16;
/// Columns of a panel of b with AVX2 and with AVX-512: parameters are stored so (runtime/plan/CpuAlgorithm.h,
/// which this header, compiled for several levels, may not include).
constexpr int64_t kTiledColumnsV3 = 16, kTiledColumnsV4 = 32;

struct TiledKernels {
  static constexpr int kMostRows = 14;

  int64_t rows;    ///< Of a panel of a, at most kMostRows.
  int64_t columns; ///< Of a panel of b.

  /// to[i * toLd + j] = sum over l < depth of a[i * aLd + l] * b[l * bLd + j], with from[i * fromLd
  /// + j] added where `from` is not null; it may be `to`. One fused multiply-add an element in the order of
  /// l, chain by chain.
  struct Block {
    int64_t depth;
    int64_t chain; ///< kTiledChain or, where rows are few and reading b takes the time, kTiledShortChain.
    const float *a;
    /// kTiledRowStride. Not a constant in the loops: addresses by register are shorter, and with
    /// displacements fetching the instructions takes longer than the sums.
    int64_t aLd;
    const float *b;
    int64_t bLd;
    float *panel; ///< multiplyAndPack: b is copied here, rows next to each other; aligned to 64 bytes.
    const float *from;
    int64_t fromLd;
    float *to;
    int64_t toLd;
  };
  using Multiply = void (*)(const Block &block);
  Multiply multiply[kMostRows];        ///< multiply[r - 1] does r rows; bLd is `columns`.
  Multiply multiplyAndPack[kMostRows]; ///< Stores b as it goes by, which costs nothing: the sums take longer.

  /// destination[j * destinationLd + i] = source[i * sourceLd + j] for 16 rows i and 16 columns j.
  void (*transpose16)(const float *source, int64_t sourceLd, float *destination, int64_t destinationLd);
};

extern const TiledKernels kTiledKernelsV4, kTiledKernelsV3, kTiledKernelsBaseline;

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PRODUCT_TILEDKERNELS_H
