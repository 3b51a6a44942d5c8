//===- FolderLock.cpp - One process alone replaces a folder ---------------===//
#include "tools/heddle/Support/FolderLock.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace heddle::driver {

using namespace runtime;

StatusOr<FolderLock> FolderLock::take(const std::string &folder) {
  std::string path = folder + kLockEnd;
  auto problem = [&](int error) {
    return unavailable("cannot lock " + folder + ": " + path + ": " + std::strerror(error));
  };
  for (;;) {
    int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor < 0)
      return problem(errno);
    FolderLock lock(path, descriptor);
    struct stat held = {}, named = {};
    if (fstat(descriptor, &held) != 0)
      return problem(errno);
    if (!S_ISREG(held.st_mode) || held.st_size != 0) {
      lock.path_.clear(); // It is not ours to remove.
      return invalidInput(path + ": wanted an empty file, which locks " + folder + ", found something else");
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      int error = errno;
      lock.path_.clear();
      if (error == EWOULDBLOCK)
        return unavailable(folder + ": another training saves to this folder (it holds " + path +
                           "); wait for its end, or name another folder");
      if (error != ENOSYS && error != ENOLCK && error != EOPNOTSUPP)
        return problem(error);
      ::unlink(path.c_str());
      std::fprintf(stderr, "note: %s cannot be locked here (%s): nothing keeps a second training out\n",
                   folder.c_str(), std::strerror(error));
      return FolderLock("", std::exchange(lock.descriptor_, -1));
    }
    // The one before may have removed the name between the opening and the lock.
    if (stat(path.c_str(), &named) == 0 && named.st_dev == held.st_dev && named.st_ino == held.st_ino) {
      lock.file_ = HalfWritten(path);
      return lock;
    }
    lock.path_.clear();
  }
}

FolderLock::FolderLock(FolderLock &&other) noexcept
    : path_(std::exchange(other.path_, "")), descriptor_(std::exchange(other.descriptor_, -1)),
      file_(std::move(other.file_)) {}

FolderLock::~FolderLock() {
  file_ = {}; // Behind the lock's end the name may be another process'.
  struct stat held = {}, named = {};
  bool ours = !path_.empty() && fstat(descriptor_, &held) == 0 && stat(path_.c_str(), &named) == 0 &&
              held.st_dev == named.st_dev && held.st_ino == named.st_ino && named.st_size == 0;
  if (ours)
    ::unlink(path_.c_str()); // While it is held: whoever opened it meanwhile sees that the name is gone.
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

} // namespace heddle::driver
