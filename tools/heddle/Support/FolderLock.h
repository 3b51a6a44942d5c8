//===- FolderLock.h - One process alone replaces a folder -------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_FOLDERLOCK_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_FOLDERLOCK_H

#include "runtime/base/HalfWritten.h"
#include "runtime/base/Status.h"

#include <string>

namespace heddle::driver {

/// What a training makes beside a folder FOLDER, and removes: FOLDER with one of these behind it. The lock;
/// the next checkpoint while it is written; the former one while it is replaced.
constexpr const char *kLockEnd = ".lock", *kUnfinishedEnd = ".unfinished", *kPreviousEnd = ".previous";

/// Holds FOLDER.lock, an empty file beside a folder that is replaced as a whole: in the folder, the lock
/// would go with what is replaced. The system lets go of it when the process ends, however that is: a file
/// that is left behind locks nothing. The file is removed with the object.
class FolderLock {
public:
  /// Unavailable where another process holds it, or the file cannot be made; InvalidInput where FOLDER.lock
  /// is something else. Where the file system has no locks, a note on stderr says so.
  static runtime::StatusOr<FolderLock> take(const std::string &folder);
  FolderLock(FolderLock &&other) noexcept;
  FolderLock &operator=(FolderLock &&) = delete;
  ~FolderLock();

private:
  FolderLock(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_ = -1;
  runtime::HalfWritten file_; ///< path_, while it is ours.
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_FOLDERLOCK_H
