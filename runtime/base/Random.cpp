//===- Random.cpp - Counter-based generator -------------------------------===//
#include "runtime/base/Random.h"

#include <cmath>

namespace heddle::runtime {

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  // Multipliers and key increments (Weyl sequence) as published, table 2 of the paper.
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t{0xD2511F53u} * counter[0];
    uint64_t product1 = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

uint64_t streamOf(std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

float normalFactor(double scale) {
  return static_cast<float>(scale / std::sqrt(8.0 * (65536.0 * 65536.0 - 1.0) / 12.0));
}

float normalElement(uint64_t seed, uint64_t stream, uint64_t index, float factor) {
  std::array<uint32_t, 4> block =
      philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                  static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                 {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  int32_t sum = -262140;
  for (uint32_t word : block)
    sum += static_cast<int32_t>((word & 0xffffu) + (word >> 16));
  // |sum| < 2^24: the conversion is exact, and the product rounds once.
  return factor * static_cast<float>(sum);
}

} // namespace heddle::runtime
