//===- HalfWritten.h - What must not outlive the process --------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_BASE_HALFWRITTEN_H
#define HEDDLE_RUNTIME_BASE_HALFWRITTEN_H

#include <string>

namespace heddle::runtime {

/// While it lives, its path is one that removeHalfWritten removes: a file under a temporary name, or a folder
/// that is filled. It removes nothing itself. Made before the file is, so that there is no gap. There is room
/// for a fixed number (see the source); beyond it, and for longer paths than the system takes, an object does
/// nothing.
class HalfWritten {
public:
  HalfWritten() = default;
  explicit HalfWritten(const std::string &path);
  HalfWritten(HalfWritten &&other) noexcept;
  HalfWritten &operator=(HalfWritten &&other) noexcept;
  ~HalfWritten();

private:
  void release();
  int slot_ = -1;
};

/// Removes the paths of all that live: files, then folders that are empty without them. For a process that
/// ends at once behind it: a thread that is done with one of them waits from then on. Safe in handlers of
/// signals.
void removeHalfWritten();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_HALFWRITTEN_H
