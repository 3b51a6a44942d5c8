//===- Panels.cpp - Parameters in the order that products read ------------===//
#include "runtime/plan/Panels.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

/// to[j * rows + i] = from[i * columns + j], in squares that leave the lines of both in the cache.
template <typename T>
void transpose(const T *from, int64_t rows, int64_t columns, T *to) {
  constexpr int64_t square = 32;
  for (int64_t first = 0; first < columns; first += square)
    for (int64_t top = 0; top < rows; top += square)
      for (int64_t i = top; i < std::min(rows, top + square); ++i)
        for (int64_t j = first; j < std::min(columns, first + square); ++j)
          to[j * rows + i] = from[i * columns + j];
}

void transposeBytes(const void *from, int64_t rows, int64_t columns, int64_t size, void *to) {
  auto as = [&]<typename T>(T) {
    transpose(static_cast<const T *>(from), rows, columns, static_cast<T *>(to));
  };
  switch (size) {
  case 1:
    return as(uint8_t{});
  case 2:
    return as(uint16_t{});
  case 4:
    return as(uint32_t{});
  default:
    return as(uint64_t{});
  }
}

} // namespace

void PanelOrder::pack(int64_t index, int64_t size, const void *rowMajor, void *packed) const {
  transposeBytes(rowMajor, width(index), columns, size, packed);
}

void PanelOrder::unpack(int64_t index, int64_t size, const void *packed, void *rowMajor) const {
  transposeBytes(packed, columns, width(index), size, rowMajor);
}

} // namespace heddle::runtime
