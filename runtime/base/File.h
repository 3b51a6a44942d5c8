//===- File.h - Files that are whole or absent ------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_BASE_FILE_H
#define HEDDLE_RUNTIME_BASE_FILE_H

#include "runtime/base/HalfWritten.h"
#include "runtime/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// A file that appears under its name only when it is complete: bytes go to a temporary name beside it, and
/// `commit` flushes them to the disk and renames. Destroyed without `commit`, it leaves nothing behind. A
/// path that names a device or a pipe is written directly, where something reads the pipe; of a link, the
/// file behind it is written. A process that ends by a signal can leave nothing, too: see HalfWritten. Errors
/// are cannotMake's and name the path and the reason; for a full disk, also the bytes wanted and free.
class AtomicFile {
public:
  static StatusOr<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Status append(std::span<const uint8_t> bytes);
  Status append(std::string_view text);
  Status commit();

private:
  AtomicFile(std::string path, std::string temporary, int descriptor, HalfWritten halfWritten);
  Status failure(const char *action, int error, size_t wanted) const;

  std::string path_, temporary_; ///< temporary_ is empty where path_ is written directly.
  int descriptor_ = -1;
  HalfWritten halfWritten_; ///< temporary_.
};

/// "cannot WHAT: REASON" for an errno: InvalidInput where the path is at fault, which no file can have or
/// which lies in no folder; Unavailable where the machine is, its disk or its rights.
Status cannotMake(const std::string &what, int error);

/// Whether an AtomicFile could be made there now, before what is to be written is computed. A device or a
/// pipe is not opened for it: what reads a pipe would see its end.
Status canWrite(const std::string &path);

/// The whole of an AtomicFile in one call.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);
Status writeFile(const std::string &path, std::string_view text);

/// The whole file. InvalidInput where it does not exist, is a folder or cannot be read.
StatusOr<std::vector<uint8_t>> readFile(const std::string &path);

/// A file that is read piece by piece. Unlike a mapping it survives another process that truncates the file:
/// a mapped page that is gone raises SIGBUS, a read that comes back short is an error with a message.
class RandomAccessFile {
public:
  /// InvalidInput where the file does not exist, is a folder or cannot be read.
  static StatusOr<RandomAccessFile> open(const std::string &path);
  RandomAccessFile(RandomAccessFile &&other) noexcept;
  RandomAccessFile &operator=(RandomAccessFile &&) = delete;
  ~RandomAccessFile();
  const std::string &path() const { return path_; }
  /// Bytes when it was opened.
  uint64_t size() const { return size_; }
  /// Fills `destination` from `offset` on. InvalidInput where the file has fewer bytes now. Any thread.
  Status read(uint64_t offset, std::span<uint8_t> destination) const;

private:
  RandomAccessFile(std::string path, int descriptor, uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), size_(size) {}
  std::string path_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

/// A file mapped into memory, read only. The file must not be truncated meanwhile.
class MappedFile {
public:
  static StatusOr<MappedFile> open(const std::string &path);
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&) = delete;
  ~MappedFile();
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

private:
  MappedFile(const uint8_t *data, size_t size) : data_(data), size_(size) {}
  const uint8_t *data_ = nullptr;
  size_t size_ = 0;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_FILE_H
