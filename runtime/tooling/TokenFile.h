//===- TokenFile.h - Token ids to train on ----------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_TOKENFILE_H
#define HEDDLE_RUNTIME_TOOLING_TOKENFILE_H

#include "runtime/base/File.h"

#include <cstdint>
#include <span>
#include <string>

namespace heddle::runtime {

/// A sequence of token ids on disk. A name that ends in .npy is an array of one dimension of integers (u1,
/// u2, u4, i4 or i8); any other file is text, whose bytes are the tokens, 0 to 255. Ids are read where they
/// are asked for: the file may be larger than memory.
class TokenFile {
public:
  /// InvalidInput names the file: one that cannot be read, an array of another type or number of dimensions,
  /// or of another length than its header says.
  static StatusOr<TokenFile> open(const std::string &path);

  const std::string &path() const { return file_.path(); }
  int64_t size() const { return size_; } ///< In tokens.

  /// Reads the whole file once. InvalidInput names the first id outside [0, vocabulary), its value and its
  /// place. Text passes unread where the vocabulary has all bytes.
  Status check(int64_t vocabulary) const;

  /// Ids `first` on, which must all be in the file and must have passed `check`.
  Status read(int64_t first, std::span<int32_t> ids) const;

private:
  enum class Element : uint8_t { Byte, U8, U16, U32, I32, I64 };
  TokenFile(RandomAccessFile file, Element element, uint64_t offset, int64_t size)
      : file_(std::move(file)), element_(element), offset_(offset), size_(size) {}
  static int64_t bytesOf(Element element);
  Status readWide(int64_t first, std::span<int64_t> ids) const;

  RandomAccessFile file_;
  Element element_;
  uint64_t offset_; ///< Of the first id in the file, in bytes.
  int64_t size_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_TOKENFILE_H
