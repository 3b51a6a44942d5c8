//===- HostTensor.h - A tensor in the host's memory -------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_HOSTTENSOR_H
#define HEDDLE_RUNTIME_TOOLING_HOSTTENSOR_H

#include "runtime/base/DType.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// What files hold and executors take and give: row-major, contiguous, little-endian.
struct HostTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data; ///< Exactly byteCount(dtype, shape) bytes.
};

/// Bytes of a contiguous tensor. InvalidInput for a negative dimension or a size beyond int64.
StatusOr<int64_t> byteCount(DType dtype, std::span<const int64_t> shape);

/// "i64[4, 128]", as messages show a tensor; a scalar is "f32[]".
std::string describe(DType dtype, std::span<const int64_t> shape);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_HOSTTENSOR_H
