//===- Progress.h - What long work is doing ---------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H

#include <string>

namespace heddle::driver {

/// One line on stderr that is written over, and gone when the object is. Where stderr is no terminal, `show`
/// is silent: a log must not fill up with it. There `line` says from time to time what a log should hold.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  bool onTerminal() const { return terminal_; }
  void show(const std::string &text);
  /// A line that stays.
  void line(const std::string &text);
  void clear();

private:
  bool terminal_;
  bool shown_ = false;
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_PROGRESS_H
