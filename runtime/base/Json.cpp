//===- Json.cpp - JSON from files that are not trusted --------------------===//
#include "runtime/base/Json.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

namespace heddle::runtime {

using Json = nlohmann::json;

namespace {

/// A character of the text. The parser passes copies on; all count what was read in one place, since it tells
/// a place only with faults that it finds itself.
class CountingIterator {
public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char *;
  using reference = const char &;

  CountingIterator(const char *at, size_t &count) : at_(at), count_(&count) {}
  reference operator*() const { return *at_; }
  CountingIterator &operator++() {
    ++*count_;
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator &other) const { return at_ == other.at_; }

private:
  const char *at_;
  size_t *count_;
};

/// Walks the text and keeps its first fault. The library's own tree keeps the last of two equal keys and
/// nests without a limit.
class Checker : public nlohmann::json_sax<Json> {
public:
  explicit Checker(const std::string &what) : what_(what) {}

  size_t read = 0; ///< Bytes, those of the fault included.
  std::string fault;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool start_array(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (keys_.back().insert(name).second)
      return true;
    fault = (keys_.size() == 1 ? what_ : "field") + " " + shown(name) + " is there twice";
    return false;
  }
  bool parse_error(size_t at, const std::string &, const nlohmann::detail::exception &error) override {
    read = at; // A number is known to be complete only by the character after it, which is none of it.
    constexpr int outOfRange = 406; // "[json.exception.out_of_range.406] number overflow parsing '1e999'".
    if (error.id == outOfRange) {
      fault = "a number is beyond the range of a double (1.8e308)";
      return false;
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 2: reason".
    std::string text = error.what();
    size_t reason = text.find(": ");
    fault = "this is no JSON: " + text.substr(reason == std::string::npos ? 0 : reason + 2, 200);
    return false;
  }

private:
  bool open() {
    keys_.emplace_back();
    if (keys_.size() <= kMaxJsonDepth)
      return true;
    fault = "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels";
    return false;
  }
  bool close() {
    keys_.pop_back();
    return true;
  }

  const std::string &what_;
  std::vector<std::set<std::string>> keys_; ///< Of every object that is open; an array has none.
};

/// "file:line:column: " of the last of the first `read` bytes.
std::string placeOf(const std::string &file, std::string_view text, size_t read) {
  std::string_view before = text.substr(0, read > 0 ? read - 1 : 0);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t start = before.rfind('\n');
  size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
}

} // namespace

StatusOr<Json> parseJsonObject(std::string_view text, const std::string &file, const std::string &what) {
  if (size_t zero = text.find('\0'); zero != std::string_view::npos)
    return invalidInput(placeOf(file, text, zero + 1) + "this is no JSON: a byte of it is zero");
  Checker checker(what);
  CountingIterator begin(text.data(), checker.read), end(text.data() + text.size(), checker.read);
  if (!Json::sax_parse(begin, end, &checker))
    return invalidInput(placeOf(file, text, checker.read) + checker.fault);
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return invalidInput(placeOf(file, text, text.find_first_not_of(" \t\r\n") + 1) +
                        "wanted a JSON object, found " + shownValue(value));
  return value;
}

std::string shown(std::string_view name) {
  constexpr size_t kMost = 200;
  std::string text = "'";
  for (char c : name.substr(0, kMost))
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > kMost ? "…'" : "'");
}

std::string shownValue(const Json &value) {
  constexpr size_t kMost = 60;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

} // namespace heddle::runtime
