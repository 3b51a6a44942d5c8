//===- Repeats.cpp - Layers that are like the one before ------------------===//
#include "tools/heddle/Support/Repeats.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace heddle::driver {
namespace {

/// A layer has fewer rows: what is longer is not looked for.
constexpr size_t kLongest = 200;

/// A row's text without the numbers of its blocks, and these.
struct Row {
  std::string text;
  std::vector<int64_t> blocks;
};

Row rowOf(const std::string &text) {
  static constexpr std::string_view kBlocks = "blocks.";
  Row row;
  for (size_t at = 0; at < text.size();) {
    size_t found = std::min(text.find(kBlocks, at), text.size());
    size_t number = std::min(found + kBlocks.size(), text.size());
    row.text.append(text, at, number - at);
    at = number;
    int64_t block = 0;
    // Seven digits are more layers than any model has; more of them are some other number, and stay text.
    for (; at < text.size() && at < number + 7 && std::isdigit(static_cast<unsigned char>(text[at])); ++at)
      block = block * 10 + (text[at] - '0');
    if (at > number)
      row.blocks.push_back(block);
  }
  return row;
}

/// Whether b is a with its blocks `shift` further.
bool follows(const Row &a, const Row &b, int64_t shift) {
  if (a.text != b.text || a.blocks.size() != b.blocks.size())
    return false;
  for (size_t i = 0; i < a.blocks.size(); ++i)
    if (b.blocks[i] != a.blocks[i] + shift)
      return false;
  return true;
}

/// How often `length` rows from `begin` on come again, with blocks that count by `shift`.
size_t timesOf(const std::vector<Row> &rows, size_t begin, size_t length, int64_t shift) {
  size_t row = begin + length;
  while (row < rows.size() && follows(rows[row - length], rows[row], shift))
    ++row;
  return (row - begin) / length - 1;
}

} // namespace

std::vector<Repeat> repeatsOf(const std::vector<std::string> &texts) {
  std::vector<Row> rows;
  for (const std::string &text : texts)
    rows.push_back(rowOf(text));
  std::vector<Repeat> repeats;
  for (size_t begin = 0; begin < rows.size();) {
    Repeat best;
    if (!rows[begin].blocks.empty())
      for (size_t length = 1; length <= kLongest && begin + 2 * length <= rows.size(); ++length)
        for (int64_t shift : {1, -1})
          if (size_t times = timesOf(rows, begin, length, shift); times * length > best.times * best.length)
            best = {begin, length, times};
    if (best.times * best.length < 2) {
      ++begin;
      continue;
    }
    repeats.push_back(best);
    begin = best.end();
  }
  return repeats;
}

} // namespace heddle::driver
