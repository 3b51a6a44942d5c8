//===- Dropout.h - Which elements dropout keeps -----------------*- C++ -*-===//
//
// Whether element i of a tensor is kept is a function of four numbers: the seed and the run, which make the
// key, the number of the dropout in its model (`layer`), and i, the row-major index. Nothing is stored:
// backward and whoever computes something again draw the same bits. All of it is integer arithmetic, so that
// a CPU, a GPU and the float64 reference agree on every bit.
//
//   key     = the upper 53 bits of Philox4x32-10 (Random.h) of the run, keyed by the seed: once a run
//   first   = mix(low half of the key + layer * 0x9e3779b9)                              once a layer
//   second  = mix(first ^ upper half of the key)
//   bits    = mix(mix(i ^ first) + second)                                               each element
//   kept where bits >> 1 >= round(p * 2^31), and then multiplied by 1 / (1 - p)
//
// mix is the bijection of 32 bits that C. Wellons found by search ("Prospecting for hash functions", 2018:
// "lowbias32", each input bit flips each output bit with a probability within 0.2 % of one half). Two of them
// are 20 operations of a 32-bit element; a block of Philox is about 80, and what makes it cheap elsewhere,
// four numbers a block, cannot be had where each element is computed alone, in whatever order the kernel
// that it was fused into has. A second key between the two keeps masks of other layers and runs from being
// the same bits in another order, which one mix of i ^ key would give.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_DROPOUT_H
#define HEDDLE_RUNTIME_BASE_DROPOUT_H

#include <cstdint>

namespace heddle::runtime {

/// One step of `mix`: x ^= x >> shift; x *= factor. A factor of 1 multiplies nothing.
struct MixStep {
  uint32_t shift, factor;
};
constexpr MixStep kMixSteps[] = {{16, 0x7feb352du}, {15, 0x846ca68bu}, {16, 1u}};
/// From layer to layer: 2^32 over the golden ratio, odd, so that no two layers begin alike.
constexpr uint32_t kLayerStride = 0x9e3779b9u;

/// Keys are below this: float64 holds them exactly.
constexpr int64_t kDropoutKeys = int64_t{1} << 53;
/// The input of a model that takes its key: i64 [1], in [0, kDropoutKeys).
constexpr const char *kDropoutInput = "dropout_key";

/// The key of run number `run`. Two runs of a seed, or of two seeds, share one by chance alone.
int64_t dropoutKey(uint64_t seed, uint64_t run);

/// round(p * 2^31), p in [0, 1]. An element is kept where `dropoutBits` >> 1 is at least that: always for
/// p = 0, never for p = 1.
int64_t dropoutThreshold(double probability);

/// What those are multiplied by that are kept, 1 / (1 - p); 0 for p = 1, where none is.
double dropoutScale(double probability);

/// The bits of element `index`.
uint32_t dropoutBits(int64_t key, int64_t layer, uint32_t index);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_DROPOUT_H
