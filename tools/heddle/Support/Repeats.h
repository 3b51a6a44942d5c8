//===- Repeats.h - Layers that are like the one before ----------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_REPEATS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_REPEATS_H

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::driver {

/// Rows [begin, begin + length) come again `times` times behind themselves, for the next layer each time.
struct Repeat {
  size_t begin = 0, length = 0, times = 0;
  size_t next() const { return begin + length; }              ///< The first row that is left out.
  size_t end() const { return begin + length * (times + 1); } ///< The first row behind them.
};

/// Where layers repeat each other in a table of rows, in order, none inside another. Two rows are alike when
/// their texts differ in nothing but the number in "blocks.3", which all rows of a repetition have to count
/// up by one, or all down, as the backward pass does. Repeats that would leave out a single row are not
/// worth their line and left out themselves.
std::vector<Repeat> repeatsOf(const std::vector<std::string> &rows);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_REPEATS_H
