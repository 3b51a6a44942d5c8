//===- TokenFile.cpp - Token ids to train on ------------------------------===//
#include "runtime/tooling/TokenFile.h"

#include "runtime/tooling/Npy.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace heddle::runtime {
namespace {

/// No header of an array of integers comes near it.
constexpr uint64_t kMostHeader = 1 << 20;

/// Ids that are read at once: large enough for the disk, small enough for any cache.
constexpr int64_t kPiece = 1 << 18;

template <typename T>
void widen(const std::vector<uint8_t> &bytes, std::span<int64_t> ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    ids[i] = static_cast<int64_t>(value);
  }
}

} // namespace

int64_t TokenFile::bytesOf(Element element) {
  switch (element) {
  case Element::Byte:
  case Element::U8:
    return 1;
  case Element::U16:
    return 2;
  case Element::U32:
  case Element::I32:
    return 4;
  case Element::I64:
    return 8;
  }
  return 0;
}

StatusOr<TokenFile> TokenFile::open(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(RandomAccessFile file, RandomAccessFile::open(path));
  uint64_t fileBytes = file.size();
  if (!path.ends_with(".npy"))
    return TokenFile(std::move(file), Element::Byte, 0, static_cast<int64_t>(fileBytes));

  std::vector<uint8_t> beginning(std::min(fileBytes, kMostHeader));
  HEDDLE_RETURN_IF_ERROR(file.read(0, beginning));
  StatusOr<NpyHeader> header = parseNpyHeader(beginning);
  if (!header)
    return std::move(header).status().with(path);
  struct {
    const char *descr;
    Element element;
  } const types[] = {{"|u1", Element::U8},  {"<u1", Element::U8},  {"<u2", Element::U16},
                     {"<u4", Element::U32}, {"<i4", Element::I32}, {"<i8", Element::I64}};
  auto type = std::find_if(std::begin(types), std::end(types),
                           [&](const auto &candidate) { return candidate.descr == header->descr; });
  if (type == std::end(types))
    return invalidInput(path + ": wanted token ids of type u1, u2, u4, i4 or i8 (little-endian), found '" +
                        header->descr + "'");
  if (header->shape.size() != 1)
    return invalidInput(path + ": wanted an array of one dimension, found " +
                        std::to_string(header->shape.size()));
  int64_t size = header->shape.front();
  uint64_t dataBytes = fileBytes - header->dataOffset, each = static_cast<uint64_t>(bytesOf(type->element));
  if (size < 0 || dataBytes % each != 0 || dataBytes / each != static_cast<uint64_t>(size))
    return invalidInput(path + ": the header says " + std::to_string(size) + " ids of " +
                        std::to_string(each) + " bytes, the file has " + std::to_string(dataBytes) +
                        " bytes of data");
  return TokenFile(std::move(file), type->element, header->dataOffset, size);
}

Status TokenFile::readWide(int64_t first, std::span<int64_t> ids) const {
  int64_t each = bytesOf(element_);
  if (first < 0 || first > size_ - static_cast<int64_t>(ids.size()))
    return internalError(path() + ": tokens " + std::to_string(first) + " on, " + std::to_string(ids.size()) +
                         " of them, asked of " + std::to_string(size_));
  std::vector<uint8_t> bytes(ids.size() * static_cast<size_t>(each));
  HEDDLE_RETURN_IF_ERROR(file_.read(offset_ + static_cast<uint64_t>(first * each), bytes));
  switch (element_) {
  case Element::Byte:
  case Element::U8:
    widen<uint8_t>(bytes, ids);
    break;
  case Element::U16:
    widen<uint16_t>(bytes, ids);
    break;
  case Element::U32:
    widen<uint32_t>(bytes, ids);
    break;
  case Element::I32:
    widen<int32_t>(bytes, ids);
    break;
  case Element::I64:
    widen<int64_t>(bytes, ids);
    break;
  }
  return Status::ok();
}

Status TokenFile::check(int64_t vocabulary) const {
  if (element_ == Element::Byte && vocabulary >= 256)
    return Status::ok();
  std::vector<int64_t> ids;
  for (int64_t first = 0; first < size_; first += kPiece) {
    ids.resize(static_cast<size_t>(std::min(kPiece, size_ - first)));
    HEDDLE_RETURN_IF_ERROR(readWide(first, ids));
    for (size_t i = 0; i < ids.size(); ++i)
      if (ids[i] < 0 || ids[i] >= vocabulary)
        return invalidInput(path() + ": token " + std::to_string(first + static_cast<int64_t>(i)) + " is " +
                            std::to_string(ids[i]) + "; the model's vocabulary ends at " +
                            std::to_string(vocabulary - 1) +
                            (element_ == Element::Byte ? " (bytes want one of 256: --vocab 256)" : ""));
  }
  return Status::ok();
}

Status TokenFile::read(int64_t first, std::span<int32_t> ids) const {
  std::vector<int64_t> wide(ids.size());
  HEDDLE_RETURN_IF_ERROR(readWide(first, wide));
  std::transform(wide.begin(), wide.end(), ids.begin(), [](int64_t id) { return static_cast<int32_t>(id); });
  return Status::ok();
}

} // namespace heddle::runtime
