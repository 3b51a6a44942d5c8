//===- DType.cpp - Element types of buffers -------------------------------===//
#include "runtime/base/DType.h"

#include <array>

namespace heddle::runtime {

namespace {
/// In the order of the enumeration.
constexpr std::array<std::string_view, 7> kNames = {"f32", "bf16", "f16", "i32", "i64", "bool", "u8"};
} // namespace

std::string_view nameOf(DType type) {
  auto index = static_cast<size_t>(type);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<DType> dtypeFromName(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace heddle::runtime
