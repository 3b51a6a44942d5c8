//===- Indices.cpp - Values of inputs that index something ----------------===//
#include "tools/heddle/Support/Indices.h"

#include <cstring>

namespace heddle::driver {

using namespace runtime;

/// The first element outside [0, limit), or -1.
template <typename T>
static int64_t firstOutside(std::span<const uint8_t> data, int64_t limit) {
  int64_t count = static_cast<int64_t>(data.size() / sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
    if (value < 0 || static_cast<int64_t>(value) >= limit)
      return i;
  }
  return -1;
}

Status checkIndices(const Buffer &input, std::span<const uint8_t> data) {
  if (input.indexLimit <= 0)
    return Status::ok();
  int64_t bad = input.dtype == DType::I64   ? firstOutside<int64_t>(data, input.indexLimit)
                : input.dtype == DType::I32 ? firstOutside<int32_t>(data, input.indexLimit)
                                            : -1;
  if (bad >= 0)
    return invalidInput("input '" + input.name + "': element " + std::to_string(bad) + " is outside [0, " +
                        std::to_string(input.indexLimit) + ")");
  return Status::ok();
}

} // namespace heddle::driver
