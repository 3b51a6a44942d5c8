//===- Panels.h - Parameters in the order that products read ----*- C++ -*-===//
//
// The inner loop of a tiled product reads, for each element of k, so many neighbouring columns of b. A weight
// is stored as n x k, so that these lie k elements apart and have to be gathered, in every run. In panels
// they lie next to each other: `panel` rows of the weight at a time, transposed, the last rows, which may be
// fewer, likewise. A panel takes the place of its rows: the order within it changes, and nothing is padded,
// so that a parameter's bytes, and where each panel's rows begin, are those of the row-major one.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_PLAN_PANELS_H
#define HEDDLE_RUNTIME_PLAN_PANELS_H

#include <cstdint>

namespace heddle::runtime {

/// A rows x columns matrix in panels: element (i, j) is at (i - i % panel) * columns + j * width(i) + i %
/// panel, where width(i) is the number of rows in the panel of row i.
struct PanelOrder {
  int64_t rows, columns, panel;

  int64_t panels() const { return (rows + panel - 1) / panel; }
  int64_t width(int64_t index) const { return index + 1 < panels() ? panel : rows - index * panel; }
  /// The elements before panel number `index`, in either order.
  int64_t begin(int64_t index) const { return index * panel * columns; }

  /// Writes the elements of one panel, each of `size` bytes (1, 2, 4 or 8), from its rows as they lie one
  /// after the other, or back. The two places do not overlap.
  void pack(int64_t index, int64_t size, const void *rowMajor, void *packed) const;
  void unpack(int64_t index, int64_t size, const void *packed, void *rowMajor) const;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_PLAN_PANELS_H
