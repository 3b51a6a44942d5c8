//===- JsonFile.cpp - Reading a JSON description --------------------------===//
#include "compiler/Import/JsonFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <set>
#include <vector>

using namespace heddle::import;
using heddle::runtime::invalidInput;
using heddle::runtime::StatusOr;
using Json = nlohmann::json;

namespace {

/// Walks the text and keeps its first fault. The library's own tree keeps the last of two equal fields and
/// nests without a limit.
class Checker : public nlohmann::json_sax<Json> {
public:
  size_t position = 0; ///< Bytes read at the fault, where it has a place.
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
    if (fields_.back().insert(name).second)
      return true;
    fault = "field " + excerpt(name) + " is there twice";
    return false;
  }
  bool parse_error(size_t at, const std::string &, const nlohmann::detail::exception &error) override {
    position = at;
    // "[json.exception.parse_error.101] parse error at line 1, column 2: reason".
    std::string what = error.what();
    size_t reason = what.find(": ");
    fault = "this is no JSON: " + what.substr(reason == std::string::npos ? 0 : reason + 2, 200);
    return false;
  }

private:
  bool open() {
    fields_.emplace_back();
    if (fields_.size() <= kMaxJsonDepth)
      return true;
    fault = "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels";
    return false;
  }
  bool close() {
    fields_.pop_back();
    return true;
  }

  std::vector<std::set<std::string>> fields_;
};

std::string placeOf(llvm::StringRef text, size_t position) {
  llvm::StringRef before = text.take_front(position > 0 ? position - 1 : 0);
  size_t line = before.count('\n') + 1, start = before.rfind('\n');
  size_t column = before.size() - (start == llvm::StringRef::npos ? 0 : start + 1) + 1;
  return ":" + std::to_string(line) + ":" + std::to_string(column);
}

} // namespace

std::string heddle::import::excerpt(const Json &value) {
  constexpr size_t kLength = 60;
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return text.size() <= kLength ? text : text.substr(0, kLength) + "...";
}

StatusOr<Json> heddle::import::readJsonObject(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return invalidInput("cannot read '" + path + "': " + error.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return invalidInput(path + ": wanted a file, found a folder or device");
  if (status.getSize() > kMaxJsonBytes)
    return invalidInput(path + ": wanted at most " + std::to_string(kMaxJsonBytes) + " bytes, found " +
                        std::to_string(status.getSize()));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return invalidInput("cannot read '" + path + "': " + buffer.getError().message());
  llvm::StringRef text = (*buffer)->getBuffer();
  // There the library would take the text to end.
  if (size_t zero = text.find('\0'); zero != llvm::StringRef::npos)
    return invalidInput(path + placeOf(text, zero + 1) + ": this is no JSON: a byte of it is zero");
  Checker checker;
  if (!Json::sax_parse(text.begin(), text.end(), &checker))
    return invalidInput(path + (checker.position ? placeOf(text, checker.position) : "") + ": " +
                        checker.fault);
  Json value = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return invalidInput(path + ": wanted a JSON object, found " + excerpt(value));
  return value;
}
