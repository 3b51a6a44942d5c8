//===- Safetensors.cpp - Named tensors in one file ------------------------===//
#include "runtime/tooling/Safetensors.h"

#include "runtime/base/Json.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace heddle::runtime {
namespace {

using Json = nlohmann::json;

/// The format's own limit.
constexpr uint64_t kMaxHeader = 100'000'000;

/// Element types of the format that take whole bytes. Those without a DType may be in a file, in tensors that
/// nobody asks for.
struct TypeName {
  const char *name;
  int64_t bytes;
  std::optional<DType> dtype;
};
constexpr TypeName kTypes[] = {
    {"F32", 4, DType::F32},       {"BF16", 2, DType::BF16},     {"F16", 2, DType::F16},
    {"I32", 4, DType::I32},       {"I64", 8, DType::I64},       {"BOOL", 1, DType::Bool},
    {"U8", 1, DType::U8},         {"F64", 8, std::nullopt},     {"I8", 1, std::nullopt},
    {"I16", 2, std::nullopt},     {"U16", 2, std::nullopt},     {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},     {"F8_E4M3", 1, std::nullopt}, {"F8_E5M2", 1, std::nullopt},
    {"F8_E8M0", 1, std::nullopt}, {"C64", 8, std::nullopt},
};

const char *nameInFile(DType dtype) {
  for (const TypeName &type : kTypes)
    if (type.dtype == dtype)
      return type.name;
  return "";
}

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

std::string range(uint64_t begin, uint64_t end) {
  return "[" + std::to_string(begin) + ", " + std::to_string(end) + "]";
}

/// `offset` is still that of the header: from the data's begin.
StatusOr<StoredTensor> readEntry(const std::string &name, const Json &value) {
  std::string where = "tensor " + shown(name) + ": ";
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets"))
    return invalidInput(where + "wanted an object with dtype, shape and data_offsets, found " +
                        shownValue(value));
  const Json &dtype = value["dtype"];
  const auto *type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const TypeName &t) { return dtype.is_string() && dtype == t.name; });
  if (type == std::end(kTypes)) {
    std::string known;
    for (const TypeName &candidate : kTypes)
      known += (known.empty() ? "" : ", ") + std::string(candidate.name);
    return invalidInput(where + "dtype " + shownValue(dtype) + "; wanted one of " + known);
  }
  StoredTensor tensor{type->name, type->dtype, {}, 0, type->bytes};
  if (!readIntegers(value["shape"], tensor.shape))
    return invalidInput(where +
                        "shape is not a list of non-negative integers: " + shownValue(value["shape"]));
  std::vector<int64_t> offsets;
  if (!readIntegers(value["data_offsets"], offsets) || offsets.size() != 2 || offsets[0] > offsets[1])
    return invalidInput(
        where + "data_offsets is not [begin, end] with begin <= end: " + shownValue(value["data_offsets"]));
  for (int64_t dim : tensor.shape)
    if (__builtin_mul_overflow(tensor.bytes, dim, &tensor.bytes))
      return invalidInput(where + shown(describe(tensor)) + " has more bytes than a 64-bit number holds");
  if (tensor.bytes != offsets[1] - offsets[0])
    return invalidInput(where + shown(describe(tensor)) + " needs " + std::to_string(tensor.bytes) +
                        " bytes, its data_offsets " + range(offsets[0], offsets[1]) + " span " +
                        std::to_string(offsets[1] - offsets[0]));
  tensor.offset = static_cast<uint64_t>(offsets[0]);
  return tensor;
}

Status checkMetadata(const Json &metadata) {
  bool strings = metadata.is_object();
  for (const Json &value : metadata)
    strings &= value.is_string();
  return strings ? Status::ok() : invalidInput("__metadata__: wanted an object of strings");
}

/// In the order of the data, each tensor must begin where the one before it ends, and the last end the file.
Status checkCover(std::vector<std::pair<const std::string *, StoredTensor *>> &order, uint64_t dataBytes) {
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return std::tie(a.second->offset, a.second->bytes, *a.first) <
           std::tie(b.second->offset, b.second->bytes, *b.first);
  });
  uint64_t position = 0;
  for (auto [name, tensor] : order) {
    uint64_t end = tensor->offset + static_cast<uint64_t>(tensor->bytes);
    if (tensor->offset != position || end > dataBytes)
      return invalidInput("tensor " + shown(*name) + ": data_offsets " + range(tensor->offset, end) +
                          (tensor->offset < position ? " overlap another tensor's" : "") +
                          "; wanted to begin at " + std::to_string(position) + " and to end within " +
                          std::to_string(dataBytes) + " bytes of data");
    position = end;
  }
  if (position != dataBytes)
    return invalidInput(std::to_string(dataBytes - position) + " bytes at the end belong to no tensor");
  return Status::ok();
}

} // namespace

std::string describe(const StoredTensor &tensor) {
  std::string text = describe(DType::F32, tensor.shape);
  return (tensor.dtype ? std::string(nameOf(*tensor.dtype)) : tensor.typeName) + text.substr(text.find('['));
}

StatusOr<std::map<std::string, StoredTensor>>
parseSafetensorsHeader(std::string_view json, uint64_t dataOffset, uint64_t dataBytes) {
  HEDDLE_ASSIGN_OR_RETURN(Json header, parseJsonObject(json, "the header", "tensor"));
  std::map<std::string, StoredTensor> tensors;
  std::vector<std::pair<const std::string *, StoredTensor *>> order;
  for (const auto &[name, value] : header.items()) {
    if (name == "__metadata__") {
      HEDDLE_RETURN_IF_ERROR(checkMetadata(value));
      continue;
    }
    HEDDLE_ASSIGN_OR_RETURN(StoredTensor tensor, readEntry(name, value));
    auto entry = tensors.emplace(name, std::move(tensor)).first;
    order.emplace_back(&entry->first, &entry->second);
  }
  HEDDLE_RETURN_IF_ERROR(checkCover(order, dataBytes));
  for (auto &[name, tensor] : tensors)
    tensor.offset += dataOffset;
  return tensors;
}

StatusOr<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::open(path));
  uint8_t prefix[8];
  if (file.size() < sizeof(prefix))
    return invalidInput(path + ": not a safetensors file: it has fewer than 8 bytes");
  HEDDLE_RETURN_IF_ERROR(file.read(0, prefix));
  uint64_t length = 0, rest = file.size() - sizeof(prefix);
  std::memcpy(&length, prefix, sizeof(length));
  if (length > kMaxHeader || length > rest)
    return invalidInput(path + ": not a safetensors file, or truncated: a header of " +
                        std::to_string(length) + " bytes in a file of " + std::to_string(file.size()));
  std::vector<uint8_t> text(length);
  HEDDLE_RETURN_IF_ERROR(file.read(sizeof(prefix), text));
  auto tensors = parseSafetensorsHeader({reinterpret_cast<const char *>(text.data()), text.size()},
                                        sizeof(prefix) + length, rest - length);
  if (!tensors)
    return std::move(tensors).status().with(path);
  return SafetensorsFile(std::move(file), *std::move(tensors));
}

Status SafetensorsFile::read(const StoredTensor &tensor, int64_t byteOffset,
                             std::span<uint8_t> destination) const {
  if (byteOffset < 0 || byteOffset > tensor.bytes ||
      destination.size() > static_cast<uint64_t>(tensor.bytes - byteOffset))
    return internalError("a read of " + std::to_string(destination.size()) + " bytes at " +
                         std::to_string(byteOffset) + " of a tensor of " + std::to_string(tensor.bytes));
  return file_.read(tensor.offset + static_cast<uint64_t>(byteOffset), destination);
}

StatusOr<std::map<std::string, HostTensor>> readSafetensors(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(SafetensorsFile file, SafetensorsFile::open(path));
  for (const auto &[name, tensor] : file.tensors())
    if (!tensor.dtype)
      return invalidInput(path + ": tensor " + shown(name) + ": dtype " + tensor.typeName +
                          "; wanted F32, BF16, F16, I32, I64, BOOL or U8");
  std::map<std::string, HostTensor> tensors;
  for (const auto &[name, tensor] : file.tensors()) {
    HostTensor &host = tensors[name];
    host = {*tensor.dtype, tensor.shape, std::vector<uint8_t>(static_cast<size_t>(tensor.bytes))};
    HEDDLE_RETURN_IF_ERROR(file.read(tensor, 0, host.data));
  }
  return tensors;
}

StatusOr<SafetensorsWriter> SafetensorsWriter::create(const std::string &path,
                                                      const std::vector<Tensor> &tensors,
                                                      const std::map<std::string, std::string> &metadata) {
  // Ordered, so that the header follows the data.
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  int64_t position = 0;
  for (const Tensor &tensor : tensors) {
    StatusOr<int64_t> bytes = byteCount(tensor.dtype, tensor.shape);
    if (!bytes)
      return std::move(bytes).status().with("tensor " + shown(tensor.name));
    int64_t end = position + *bytes;
    if (header.contains(tensor.name))
      return internalError(path + ": tensor " + shown(tensor.name) + " would be there twice");
    header[tensor.name] = {
        {"dtype", nameInFile(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kMaxHeader)
    return invalidInput(path + ": a header of " + std::to_string(text.size()) +
                        " bytes; the format allows 100 MB");
  uint64_t length = text.size();
  std::vector<uint8_t> prefix(sizeof(length));
  std::memcpy(prefix.data(), &length, sizeof(length));
  HEDDLE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  HEDDLE_RETURN_IF_ERROR(file.append(std::span<const uint8_t>(prefix)));
  HEDDLE_RETURN_IF_ERROR(file.append(text));
  return SafetensorsWriter(std::move(file), position);
}

Status SafetensorsWriter::append(std::span<const uint8_t> bytes) {
  left_ -= static_cast<int64_t>(bytes.size());
  return file_.append(bytes);
}

Status SafetensorsWriter::commit() {
  if (left_ != 0)
    return internalError("a safetensors file whose data has " + std::to_string(-left_) +
                         " bytes more than its header says");
  return file_.commit();
}

Status writeSafetensors(const std::string &path, const std::map<std::string, HostTensor> &tensors) {
  // Larger elements first would also align each tensor, but the order of names is the one that a diff can
  // follow.
  std::vector<SafetensorsWriter::Tensor> entries;
  entries.reserve(tensors.size());
  for (const auto &[name, tensor] : tensors)
    entries.push_back({name, tensor.dtype, tensor.shape});
  HEDDLE_ASSIGN_OR_RETURN(SafetensorsWriter writer, SafetensorsWriter::create(path, entries));
  for (const auto &[name, tensor] : tensors)
    HEDDLE_RETURN_IF_ERROR(writer.append(tensor.data));
  return writer.commit();
}

} // namespace heddle::runtime
