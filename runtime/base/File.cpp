//===- File.cpp - Files that are whole or absent --------------------------===//
#include "runtime/base/File.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace heddle::runtime {

namespace {

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

std::string reason(int error) { return std::strerror(error); }

/// Opens for reading and gives the size; refuses what is not a regular file, without waiting for whoever
/// would write to a pipe.
StatusOr<std::pair<int, size_t>> openForReading(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return invalidInput("cannot open " + path + ": " + reason(errno));
  struct stat info;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(descriptor);
    return invalidInput("cannot read " + path + ": wanted a file, found " +
                        (S_ISDIR(info.st_mode) ? "a folder" : "something that is not a regular file"));
  }
  return std::make_pair(descriptor, static_cast<size_t>(info.st_size));
}

} // namespace

AtomicFile::AtomicFile(std::string path, std::string temporary, int descriptor, HalfWritten halfWritten)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor),
      halfWritten_(std::move(halfWritten)) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), descriptor_(other.descriptor_),
      halfWritten_(std::move(other.halfWritten_)) {
  other.descriptor_ = -1;
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

/// Where a chain of links ends: a file that is written through a link must not take the link's place.
static std::string behindLinks(const std::string &path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode))
    return path;
  std::unique_ptr<char, decltype(&std::free)> target(realpath(path.c_str(), nullptr), std::free);
  return target ? target.get() : path; // A link to nothing is replaced.
}

Status cannotMake(const std::string &what, int error) {
  bool isPathsFault = error == ENOENT || error == ENOTDIR || error == EISDIR || error == EEXIST ||
                      error == ENAMETOOLONG || error == ELOOP || error == EINVAL || error == ENXIO;
  std::string message = "cannot " + what + ": " + reason(error);
  return isPathsFault ? invalidInput(message) : unavailable(message);
}

StatusOr<AtomicFile> AtomicFile::create(const std::string &given) {
  struct stat info;
  if (stat(given.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    if (S_ISDIR(info.st_mode))
      return invalidInput("cannot write " + given + ": it is a folder");
    // A pipe that nothing reads is refused, not waited for; one that is read may be slow.
    int descriptor = ::open(given.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && errno == ENXIO && S_ISFIFO(info.st_mode))
      return invalidInput("cannot write " + given + ": it is a pipe that nothing reads");
    if (descriptor < 0 || fcntl(descriptor, F_SETFL, 0) != 0) {
      int error = errno;
      if (descriptor >= 0)
        ::close(descriptor);
      return cannotMake("write " + given, error);
    }
    return AtomicFile(given, "", descriptor, {});
  }
  std::string path = behindLinks(given);
  // The name is unique among processes and within this one.
  static std::atomic<unsigned> count{0};
  std::string temporary =
      path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
  HalfWritten halfWritten(temporary);
  int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return cannotMake("write " + path, errno);
  return AtomicFile(path, temporary, descriptor, std::move(halfWritten));
}

Status canWrite(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
    return Status::ok();
  return AtomicFile::create(path).status(); // Gone again.
}

Status AtomicFile::failure(const char *action, int error, size_t wanted) const {
  std::string message = std::string("cannot ") + action + " " + path_ + ": " + reason(error);
  struct statvfs disk;
  if (error == ENOSPC && statvfs(folderOf(path_).c_str(), &disk) == 0)
    message += " (wanted " + std::to_string(wanted) + " more bytes, free " +
               std::to_string(static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize) + ")";
  return unavailable(message);
}

Status AtomicFile::append(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return failure("write", errno, bytes.size());
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return Status::ok();
}

Status AtomicFile::append(std::string_view text) { return append(bytesOf(text)); }

Status AtomicFile::commit() {
  bool direct = temporary_.empty();
  // A pipe or a terminal cannot be flushed and says EINVAL; nothing is lost by that.
  if (fsync(descriptor_) != 0 && !direct)
    return failure("flush", errno, 0);
  int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0)
    return failure("close", errno, 0);
  if (direct)
    return Status::ok();
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return failure("rename to", errno, 0);
  temporary_.clear();
  halfWritten_ = {};
  // The rename itself reaches the disk with its folder. Some file systems refuse to flush a folder: the file
  // is whole either way.
  int folder = ::open(folderOf(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    (void)fsync(folder);
    ::close(folder);
  }
  return Status::ok();
}

Status writeFile(const std::string &path, std::span<const uint8_t> bytes) {
  HEDDLE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  HEDDLE_RETURN_IF_ERROR(file.append(bytes));
  return file.commit();
}

Status writeFile(const std::string &path, std::string_view text) { return writeFile(path, bytesOf(text)); }

StatusOr<std::vector<uint8_t>> readFile(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(auto opened, openForReading(path));
  auto [descriptor, size] = opened;
  std::vector<uint8_t> bytes(size);
  size_t done = 0;
  while (done < size) {
    ssize_t got = ::read(descriptor, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      int error = errno;
      ::close(descriptor);
      return invalidInput("cannot read " + path + ": " + reason(error));
    }
    if (got == 0) // Became shorter while it was read.
      break;
    done += static_cast<size_t>(got);
  }
  ::close(descriptor);
  bytes.resize(done);
  return bytes;
}

StatusOr<RandomAccessFile> RandomAccessFile::open(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(auto opened, openForReading(path));
  return RandomAccessFile(path, opened.first, opened.second);
}

RandomAccessFile::RandomAccessFile(RandomAccessFile &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

RandomAccessFile::~RandomAccessFile() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

Status RandomAccessFile::read(uint64_t offset, std::span<uint8_t> destination) const {
  while (!destination.empty()) {
    ssize_t got = ::pread(descriptor_, destination.data(), destination.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return invalidInput("cannot read " + path_ + ": " + reason(errno));
    if (got == 0)
      return invalidInput(path_ + " became shorter while it was read: wanted " +
                          std::to_string(destination.size()) + " bytes at " + std::to_string(offset) +
                          ", found its end; it had " + std::to_string(size_) + " bytes when it was opened");
    offset += static_cast<uint64_t>(got);
    destination = destination.subspan(static_cast<size_t>(got));
  }
  return Status::ok();
}

StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  HEDDLE_ASSIGN_OR_RETURN(auto opened, openForReading(path));
  auto [descriptor, size] = opened;
  if (size == 0) { // mmap refuses length 0.
    ::close(descriptor);
    return MappedFile(nullptr, 0);
  }
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  int error = errno;
  ::close(descriptor);
  if (data == MAP_FAILED)
    return unavailable("cannot map " + path + " (" + std::to_string(size) + " bytes): " + reason(error));
  return MappedFile(static_cast<const uint8_t *>(data), size);
}

MappedFile::MappedFile(MappedFile &&other) noexcept : data_(other.data_), size_(other.size_) {
  other.data_ = nullptr;
  other.size_ = 0;
}

MappedFile::~MappedFile() {
  if (data_)
    munmap(const_cast<uint8_t *>(data_), size_);
}

} // namespace heddle::runtime
