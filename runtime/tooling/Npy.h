//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// The format is NumPy's "NEP 1": a magic, a version, a header that is a Python dictionary literal, then the
// data.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_TOOLING_NPY_H
#define HEDDLE_RUNTIME_TOOLING_NPY_H

#include "runtime/tooling/HostTensor.h"

#include <string>

namespace heddle::runtime {

/// What a file's header says.
struct NpyHeader {
  std::string descr; ///< The element type as NumPy spells it: "<u2".
  std::vector<int64_t> shape;
  size_t dataOffset = 0; ///< Where the array begins in the file, in C order.
};

/// Parses the header at the beginning of a file; `bytes` may end anywhere behind it. InvalidInput as readNpy.
StatusOr<NpyHeader> parseNpyHeader(std::span<const uint8_t> bytes);

/// Reads a .npy file of versions 1 to 3. Types f4, f2, i4, i8, b1 and u1, little-endian, in C order;
/// InvalidInput names the file and says what else was found. bf16 has no type in NumPy: use safetensors.
StatusOr<HostTensor> readNpy(const std::string &path);

/// Writes version 1.0, whole or not at all. InvalidInput for bf16.
Status writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_NPY_H
