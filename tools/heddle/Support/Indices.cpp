//===- Indices.cpp - Values of inputs that index something ----------------===//
#include "tools/heddle/Support/Indices.h"

#include <cstring>

namespace heddle::driver {

using namespace runtime;

/// Every element is in [0, indexLimit), or the input's ignored index.
template <typename T>
static Status checkElements(const Buffer &input, std::span<const uint8_t> data) {
  for (size_t i = 0; i < data.size() / sizeof(T); ++i) {
    T value;
    std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
    if ((value < 0 || value >= input.indexLimit) && value != input.ignoredIndex)
      return invalidInput(
          "input '" + input.name + "': element " + std::to_string(i) + " is " + std::to_string(value) +
          ", outside [0, " + std::to_string(input.indexLimit) + ")" +
          (input.ignoredIndex ? " and not the ignored " + std::to_string(*input.ignoredIndex) : ""));
  }
  return Status::ok();
}

Status checkIndices(const Buffer &input, std::span<const uint8_t> data) {
  if (input.indexLimit <= 0)
    return Status::ok();
  return input.dtype == DType::I64 ? checkElements<int64_t>(input, data)
                                   : checkElements<int32_t>(input, data);
}

} // namespace heddle::driver
