//===- Table.h - Tables for people, rows for programs -----------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_TABLE_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_TABLE_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::driver {

/// Text in columns, each as wide as its widest cell, two spaces between them. Columns that hold numbers are
/// set to the right.
class Table {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string title;
    Align align = Align::Left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Ends in a newline; no line has spaces at its end.
  std::string text() const;

private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `value` with `digits` behind the point.
std::string fixed(double value, int digits);
/// Bytes in the largest unit that leaves at least one: "512 B", "1.5 KiB", "3.21 GiB".
std::string bytesText(int64_t bytes);
/// "2.31x"; "-" when `after` is zero.
std::string ratioText(double before, double after);
/// "1 step", "12 steps".
/// `many`: where it is not `one` with an s.
std::string countText(int64_t count, const std::string &one, const std::string &many = "");
/// "1,234,567".
std::string digitsText(int64_t value);
/// A CSV field: quoted where it holds a comma, a quote or a line's end.
std::string csvField(const std::string &text);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_TABLE_H
