//===- Hash.cpp - Content hashes ------------------------------------------===//
#include "runtime/base/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::runtime {

std::string Hash128::hex() const {
  static const char digits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[15 - i] = digits[(high >> (4 * i)) & 15];
    text[31 - i] = digits[(low >> (4 * i)) & 15];
  }
  return text;
}

Hash128 hash128(std::span<const uint8_t> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

// XXH3_state_t wants 64-byte alignment, which `new` of an over-aligned type gives.
struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hasher::~Hasher() = default;

Hasher &Hasher::add(std::span<const uint8_t> bytes) {
  auto length = static_cast<uint64_t>(bytes.size());
  XXH3_128bits_update(&state_->xxh, &length, sizeof length);
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

Hasher &Hasher::add(std::string_view text) {
  return add(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

Hasher &Hasher::add(int64_t number) {
  return add(std::span(reinterpret_cast<const uint8_t *>(&number), sizeof number));
}

Hash128 Hasher::finish() const {
  XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.high64, hash.low64};
}

} // namespace heddle::runtime
