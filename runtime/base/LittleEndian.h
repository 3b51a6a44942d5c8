//===- LittleEndian.h - Numbers in files ------------------------*- C++ -*-===//
//
// 64-bit numbers as cache entries have them: eight bytes, the least significant first, on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_LITTLEENDIAN_H
#define HEDDLE_RUNTIME_BASE_LITTLEENDIAN_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// Adds the eight bytes of `value` to `bytes`.
inline void appendLittle64(std::string &bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i)
    bytes.push_back(char(uint8_t(value >> (8 * i))));
}

/// The number whose eight bytes begin at `at`; the caller has seen that they are there.
inline uint64_t little64At(std::string_view bytes, size_t at = 0) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i)
    value |= uint64_t(uint8_t(bytes[at + i])) << (8 * i);
  return value;
}

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_LITTLEENDIAN_H
