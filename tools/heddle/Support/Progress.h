//===- Progress.h - What long work is doing ---------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H

#include <string>

namespace heddle::driver {

/// One line on stderr that is written over, and gone when the object is. Silent where stderr is no terminal:
/// a log must not fill up with it.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void show(const std::string &text);
  void clear();

private:
  bool terminal_;
  bool shown_ = false;
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H
