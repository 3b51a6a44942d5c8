//===- Dropout.cpp - Which elements dropout keeps -------------------------===//
#include "runtime/base/Dropout.h"

#include "runtime/base/Random.h"

#include <cmath>

namespace heddle::runtime {

static uint32_t mix(uint32_t x) {
  for (const MixStep &step : kMixSteps)
    x = (x ^ (x >> step.shift)) * step.factor;
  return x;
}

int64_t dropoutKey(uint64_t seed, uint64_t run) {
  static const uint64_t stream =
      streamOf(kDropoutInput); // Apart from batches, which count with the seed, too.
  std::array<uint32_t, 4> block =
      philox4x32({static_cast<uint32_t>(run), static_cast<uint32_t>(run >> 32), static_cast<uint32_t>(stream),
                  static_cast<uint32_t>(stream >> 32)},
                 {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return static_cast<int64_t>((uint64_t{block[0]} << 32 | block[1]) >> 11);
}

int64_t dropoutThreshold(double probability) { return std::llround(probability * 0x1p31); }

double dropoutScale(double probability) { return probability < 1 ? 1 / (1 - probability) : 0; }

uint32_t dropoutBits(int64_t key, int64_t layer, uint32_t index) {
  auto low = static_cast<uint32_t>(key), high = static_cast<uint32_t>(key >> 32);
  uint32_t first = mix(low + static_cast<uint32_t>(layer) * kLayerStride);
  uint32_t second = mix(first ^ high);
  return mix(mix(index ^ first) + second);
}

} // namespace heddle::runtime
