//===- HostTensor.cpp - A tensor in the host's memory ---------------------===//
#include "runtime/tooling/HostTensor.h"

namespace heddle::runtime {

StatusOr<int64_t> byteCount(DType dtype, std::span<const int64_t> shape) {
  int64_t bytes = sizeOf(dtype);
  for (int64_t dim : shape) {
    if (dim < 0)
      return invalidInput("negative dimension in " + describe(dtype, shape));
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return invalidInput(describe(dtype, shape) + " has more bytes than a 64-bit number holds");
  }
  return bytes;
}

std::string describe(DType dtype, std::span<const int64_t> shape) {
  std::string text(nameOf(dtype));
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + ']';
}

} // namespace heddle::runtime
