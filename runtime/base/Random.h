//===- Random.h - Counter-based generator -----------------------*- C++ -*-===//
//
// Weights (and later dropout) are drawn by Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC'11), keyed by seed and stream and counted by element, so that any element can be drawn alone,
// in any order, by any number of threads. The normal variate is made with integer arithmetic and one float32
// multiplication, so that CPU and GPU draw the same bits: the eight 16-bit halves of one Philox block are
// summed; sum - 4*65535 has mean 0 and variance 8*(65536^2-1)/12, and is scaled to the wanted standard
// deviation. (A sum of eight uniforms: Irwin-Hall, within 0.01 of the normal's distribution function.)
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_RANDOM_H
#define HEDDLE_RUNTIME_BASE_RANDOM_H

#include <array>
#include <cstdint>
#include <string_view>

namespace heddle::runtime {

/// Philox4x32-10 of `counter` under `key`.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// The generator's stream of a named tensor: FNV-1a of the name, so that a tensor's values do not depend on
/// what else the model holds.
uint64_t streamOf(std::string_view name);

/// The float32 factor by which the centred integer sum is multiplied for standard deviation `scale`.
float normalFactor(double scale);

/// Element `index` of a normal tensor: normalFactor(scale) * (float)(sum of eight halves - 262140).
float normalElement(uint64_t seed, uint64_t stream, uint64_t index, float factor);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_RANDOM_H
