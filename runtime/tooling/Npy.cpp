//===- Npy.cpp - NumPy's array files --------------------------------------===//
#include "runtime/tooling/Npy.h"

#include "runtime/base/File.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace heddle::runtime {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct TypeName {
  std::string_view descr;
  DType dtype;
};
// "<" is little-endian, "|" is for types of one byte. "?" is an older spelling of b1.
constexpr TypeName kTypes[] = {{"<f4", DType::F32}, {"<f2", DType::F16},  {"<i4", DType::I32},
                               {"<i8", DType::I64}, {"|b1", DType::Bool}, {"|?", DType::Bool},
                               {"|u1", DType::U8},  {"<u1", DType::U8}};

/// Reads the header's dictionary: string keys; values are a string, a bool or a tuple of integers.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  Status parse() {
    if (!take('{'))
      return wrong("a dictionary");
    while (!take('}')) {
      std::optional<std::string_view> key = quoted();
      if (!key || !take(':'))
        return wrong("'key': value");
      if (*key == "descr" && !descr) {
        // A structured type is a list here, not a string.
        if (!(descr = quoted()))
          return invalidInput("the element type is not a plain one: " + std::string(rest_.substr(0, 40)));
      } else if (*key == "fortran_order" && !fortran) {
        fortran = takeWord("True")    ? std::optional(true)
                  : takeWord("False") ? std::optional(false)
                                      : std::nullopt;
        if (!fortran)
          return wrong("True or False for fortran_order");
      } else if (*key == "shape" && !hasShape) {
        hasShape = true;
        if (!tuple())
          return wrong("a tuple of integers for shape");
      } else {
        return invalidInput("unexpected key '" + std::string(*key) + "' in the header");
      }
      if (!take(',') && !peek('}'))
        return wrong("',' or '}'");
    }
    skipSpace();
    if (!rest_.empty())
      return wrong("the header's end");
    if (!descr || !fortran || !hasShape)
      return invalidInput("the header lacks descr, fortran_order or shape");
    return Status::ok();
  }

  std::optional<std::string_view> descr;
  std::optional<bool> fortran;
  bool hasShape = false;
  std::vector<int64_t> shape;

private:
  void skipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }
  bool peek(char c) {
    skipSpace();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest_.starts_with(word))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::string_view> quoted() {
    char quote = peek('"') ? '"' : '\'';
    if (!take(quote))
      return std::nullopt;
    size_t end = rest_.find(quote);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool tuple() {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t value = 0;
      auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc())
        return false;
      rest_.remove_prefix(end - rest_.data());
      takeWord("L"); // Python 2 wrote long integers so.
      shape.push_back(value);
      if (!take(',') && !peek(')'))
        return false;
    }
    return true;
  }
  Status wrong(const std::string &wanted) {
    return invalidInput("malformed header: wanted " + wanted + ", found '" +
                        std::string(rest_.substr(0, 40)) + "'");
  }

  std::string_view rest_;
};

StatusOr<HostTensor> parseNpy(std::span<const uint8_t> bytes) {
  HEDDLE_ASSIGN_OR_RETURN(NpyHeader header, parseNpyHeader(bytes));
  HostTensor tensor;
  const TypeName *type = nullptr;
  for (const TypeName &candidate : kTypes)
    if (candidate.descr == header.descr)
      type = &candidate;
  if (!type)
    return invalidInput("element type '" + header.descr +
                        "'; wanted <f4, <f2, <i4, <i8, |b1 or |u1 (little-endian)");
  tensor.dtype = type->dtype;
  tensor.shape = std::move(header.shape);
  HEDDLE_ASSIGN_OR_RETURN(int64_t wanted, byteCount(tensor.dtype, tensor.shape));
  std::span<const uint8_t> data = bytes.subspan(header.dataOffset);
  if (static_cast<int64_t>(data.size()) != wanted)
    return invalidInput(describe(tensor.dtype, tensor.shape) + " needs " + std::to_string(wanted) +
                        " bytes of data, found " + std::to_string(data.size()));
  tensor.data.assign(data.begin(), data.end());
  return tensor;
}

} // namespace

StatusOr<NpyHeader> parseNpyHeader(std::span<const uint8_t> bytes) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic) || text.size() < 10)
    return invalidInput("not a .npy file: it does not begin with \\x93NUMPY and a version");
  int version = bytes[6];
  if (version < 1 || version > 3)
    return invalidInput("version " + std::to_string(version) + " of the .npy format; wanted 1 to 3");
  // The header's length has two bytes in version 1 and four from version 2 on.
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (text.size() < 8 + lengthBytes)
    return invalidInput("truncated: no header");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, lengthBytes);
  size_t begin = 8 + lengthBytes + size_t{length};
  if (begin > text.size())
    return invalidInput("truncated: the header has " + std::to_string(length) + " bytes and the file " +
                        std::to_string(text.size()));

  HeaderParser parser(text.substr(8 + lengthBytes, length));
  HEDDLE_RETURN_IF_ERROR(parser.parse());
  if (*parser.fortran && parser.shape.size() > 1)
    return invalidInput("the array is in Fortran order; save numpy.ascontiguousarray(array) instead");
  return NpyHeader{std::string(*parser.descr), std::move(parser.shape), begin};
}

StatusOr<HostTensor> readNpy(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, readFile(path));
  StatusOr<HostTensor> tensor = parseNpy(bytes);
  if (!tensor)
    return std::move(tensor).status().with(path);
  return tensor;
}

Status writeNpy(const std::string &path, const HostTensor &tensor) {
  const TypeName *type = nullptr;
  for (const TypeName &candidate : kTypes)
    if (!type && candidate.dtype == tensor.dtype)
      type = &candidate;
  if (!type)
    return invalidInput(path + ": " + std::string(nameOf(tensor.dtype)) +
                        " has no type in NumPy; write .safetensors");
  std::string header = "{'descr': '" + std::string(type->descr) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    header += std::to_string(tensor.shape[i]) + (i + 1 < tensor.shape.size() ? ", " : "");
  header += tensor.shape.size() == 1 ? ",), }" : "), }";
  // The data begins at a multiple of 64, and the header ends in a newline.
  size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  if (header.size() > 0xffff)
    return invalidInput(path + ": too many dimensions for a .npy header");

  std::string text(kMagic);
  text += {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  HEDDLE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  HEDDLE_RETURN_IF_ERROR(file.append(text + header));
  HEDDLE_RETURN_IF_ERROR(file.append(std::span<const uint8_t>(tensor.data)));
  return file.commit();
}

} // namespace heddle::runtime
