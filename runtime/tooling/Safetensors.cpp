//===- Safetensors.cpp - Named tensors in one file ------------------------===//
#include "runtime/tooling/Safetensors.h"

#include "runtime/base/File.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace heddle::runtime {
namespace {

using Json = nlohmann::json;

/// The format's own limit.
constexpr uint64_t kMaxHeader = 100'000'000;

struct TypeName {
  const char *name;
  DType dtype;
};
constexpr TypeName kTypes[] = {{"F32", DType::F32}, {"BF16", DType::BF16}, {"F16", DType::F16},
                               {"I32", DType::I32}, {"I64", DType::I64},   {"BOOL", DType::Bool},
                               {"U8", DType::U8}};

struct Entry {
  std::string name;
  HostTensor tensor;
  int64_t begin = 0, end = 0;
};

/// Non-negative integers only: a JSON number may also be a fraction or negative.
bool readIntegers(const Json &value, std::vector<int64_t> &out) {
  if (!value.is_array())
    return false;
  for (const Json &element : value) {
    if (!element.is_number_unsigned() || element.get<uint64_t>() > INT64_MAX)
      return false;
    out.push_back(element.get<int64_t>());
  }
  return true;
}

StatusOr<Entry> readEntry(const std::string &name, const Json &value) {
  std::string where = "tensor '" + name + "': ";
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    return invalidInput(where + "wanted an object with dtype, shape and data_offsets");
  Entry entry{name, {}};
  const Json &dtype = value["dtype"];
  const auto *type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeName &t) { return dtype.is_string() && dtype == t.name; });
  if (type == std::end(kTypes))
    return invalidInput(where + "dtype " + dtype.dump() + "; wanted F32, BF16, F16, I32, I64, BOOL or U8");
  entry.tensor.dtype = type->dtype;
  if (!readIntegers(value["shape"], entry.tensor.shape))
    return invalidInput(where + "shape is not a list of non-negative integers");
  std::vector<int64_t> offsets;
  if (!readIntegers(value["data_offsets"], offsets) || offsets.size() != 2 || offsets[0] > offsets[1])
    return invalidInput(where + "data_offsets is not [begin, end] with begin <= end");
  entry.begin = offsets[0];
  entry.end = offsets[1];
  StatusOr<int64_t> bytes = byteCount(entry.tensor.dtype, entry.tensor.shape);
  if (!bytes)
    return std::move(bytes).status().with("tensor '" + name + "'");
  if (*bytes != entry.end - entry.begin)
    return invalidInput(where + describe(entry.tensor.dtype, entry.tensor.shape) + " needs " +
                        std::to_string(*bytes) + " bytes, its data_offsets span " +
                        std::to_string(entry.end - entry.begin));
  return entry;
}

StatusOr<Json> parseHeader(std::string_view text) {
  // The JSON library keeps the last of two equal keys; here that is an error, found while parsing.
  std::set<std::string> names;
  std::string twice;
  auto callback = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (depth == 1 && event == Json::parse_event_t::key && !names.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  Json header = Json::parse(text, callback, /*allow_exceptions=*/false);
  if (header.is_discarded() || !header.is_object())
    return invalidInput("the header is no JSON object");
  if (!twice.empty())
    return invalidInput("tensor '" + twice + "' is there twice");
  return header;
}

StatusOr<std::map<std::string, HostTensor>> parseSafetensors(std::span<const uint8_t> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof(length))
    return invalidInput("not a safetensors file: it has fewer than 8 bytes");
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kMaxHeader || length > bytes.size() - sizeof(length))
    return invalidInput("not a safetensors file, or truncated: a header of " + std::to_string(length) +
                        " bytes in a file of " + std::to_string(bytes.size()));
  std::span<const uint8_t> data = bytes.subspan(sizeof(length) + length);
  HEDDLE_ASSIGN_OR_RETURN(
      Json header, parseHeader({reinterpret_cast<const char *>(bytes.data()) + sizeof(length), length}));

  std::vector<Entry> entries;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__")
      continue;
    HEDDLE_ASSIGN_OR_RETURN(Entry entry, readEntry(name, value));
    entries.push_back(std::move(entry));
  }
  // In the order of the data, each must begin where the one before it ends.
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t position = 0;
  std::map<std::string, HostTensor> tensors;
  for (Entry &entry : entries) {
    if (entry.begin != position || entry.end > static_cast<int64_t>(data.size()))
      return invalidInput("tensor '" + entry.name + "': data_offsets [" + std::to_string(entry.begin) + ", " +
                          std::to_string(entry.end) + "]; wanted to begin at " + std::to_string(position) +
                          " and to end within " + std::to_string(data.size()));
    entry.tensor.data.assign(data.begin() + entry.begin, data.begin() + entry.end);
    position = entry.end;
    tensors.emplace(std::move(entry.name), std::move(entry.tensor));
  }
  if (position != static_cast<int64_t>(data.size()))
    return invalidInput(std::to_string(data.size() - position) + " bytes at the end belong to no tensor");
  return tensors;
}

} // namespace

StatusOr<std::map<std::string, HostTensor>> readSafetensors(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  StatusOr<std::map<std::string, HostTensor>> tensors = parseSafetensors(file.bytes());
  if (!tensors)
    return std::move(tensors).status().with(path);
  return tensors;
}

Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors) {
  // Larger elements first would also align each tensor, but the order of names is the one that a diff can
  // follow.
  Json header = Json::object();
  int64_t position = 0;
  for (const auto &[name, tensor] : tensors) {
    const auto *type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const TypeName &t) { return t.dtype == tensor.dtype; });
    int64_t end = position + static_cast<int64_t>(tensor.data.size());
    header[name] = {{"dtype", type->name}, {"shape", tensor.shape}, {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  std::vector<uint8_t> lengthBytes(sizeof(length));
  std::memcpy(lengthBytes.data(), &length, sizeof(length));

  HEDDLE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  HEDDLE_RETURN_IF_ERROR(file.append(std::span<const uint8_t>(lengthBytes)));
  HEDDLE_RETURN_IF_ERROR(file.append(text));
  for (const auto &[name, tensor] : tensors)
    HEDDLE_RETURN_IF_ERROR(file.append(std::span<const uint8_t>(tensor.data)));
  return file.commit();
}

} // namespace heddle::runtime
