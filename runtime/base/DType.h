//===- DType.h - Element types of buffers -----------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_BASE_DTYPE_H
#define HEDDLE_RUNTIME_BASE_DTYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::runtime {

/// Element types that a buffer may hold. Bool is one byte, 0 or 1. The order is part of the plan artifact.
enum class DType : uint8_t { F32 = 0, BF16 = 1, F16 = 2, I32 = 3, I64 = 4, Bool = 5, U8 = 6 };

/// Bytes of one element.
constexpr int64_t sizeOf(DType type) {
  switch (type) {
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::BF16:
  case DType::F16:
    return 2;
  case DType::I64:
    return 8;
  case DType::Bool:
  case DType::U8:
    return 1;
  }
  return 0;
}

constexpr bool isFloating(DType type) {
  return type == DType::F32 || type == DType::BF16 || type == DType::F16;
}

/// The name used in messages, CSV and JSON: f32, bf16, f16, i32, i64, bool, u8.
std::string_view nameOf(DType type);
std::optional<DType> dtypeFromName(std::string_view name);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_DTYPE_H
