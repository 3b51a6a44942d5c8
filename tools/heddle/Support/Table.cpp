//===- Table.cpp - Tables for people, rows for programs -------------------===//
#include "tools/heddle/Support/Table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace heddle::driver {
namespace {

/// Columns that a terminal needs for UTF-8 text of single-width characters.
size_t widthOf(const std::string &text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

} // namespace

std::string Table::text() const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    widths.push_back(widthOf(columns_[c].title));
    for (const auto &row : rows_)
      widths[c] = std::max(widths[c], c < row.size() ? widthOf(row[c]) : 0);
  }
  std::string out;
  auto line = [&](auto cellAt) {
    std::string text;
    for (size_t c = 0; c < columns_.size(); ++c) {
      std::string cell = cellAt(c);
      std::string pad(widths[c] - widthOf(cell), ' ');
      text += (c ? "  " : "") + (columns_[c].align == Align::Right ? pad + cell : cell + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](size_t c) { return columns_[c].title; });
  for (const auto &row : rows_)
    line([&](size_t c) { return c < row.size() ? row[c] : std::string(); });
  return out;
}

std::string fixed(double value, int digits) {
  std::array<char, 400> buffer;
  int length = std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
  return {buffer.data(), static_cast<size_t>(length)};
}

std::string bytesText(int64_t bytes) {
  static constexpr const char *kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (std::abs(value) >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fixed(value, unit == 0 ? 0 : value < 10 ? 2 : 1) + " " + kUnits[unit];
}

std::string ratioText(double before, double after) {
  return after == 0 ? "-" : fixed(before / after, 2) + "x";
}

std::string countText(int64_t count, const std::string &one, const std::string &many) {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string digitsText(int64_t value) {
  std::string text = std::to_string(value);
  size_t first = value < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;)
    text.insert(at -= 3, ",");
  return text;
}

std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

} // namespace heddle::driver
