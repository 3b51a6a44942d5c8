//===- Hash.h - Content hashes ----------------------------------*- C++ -*-===//
//
// 128 bits of XXH3 (xxHash 0.8, a stable format): keys of caches and the checksum of files. Not for security:
// it finds damage and tells contents apart, it does not stop a forger.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_HASH_H
#define HEDDLE_RUNTIME_BASE_HASH_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace heddle::runtime {

struct Hash128 {
  uint64_t high = 0, low = 0;
  bool operator==(const Hash128 &) const = default;
  /// 32 lower-case hexadecimal digits, high half first.
  std::string hex() const;
};

/// XXH3_128bits of the bytes, seed 0.
Hash128 hash128(std::span<const uint8_t> bytes);

/// Hashes several fields. Every field is preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
class Hasher {
public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher &) = delete;
  Hasher &operator=(const Hasher &) = delete;

  Hasher &add(std::span<const uint8_t> bytes);
  Hasher &add(std::string_view text);
  Hasher &add(int64_t number);
  Hash128 finish() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_HASH_H
