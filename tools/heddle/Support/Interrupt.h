//===- Interrupt.h - Ctrl-C that lets a step end ----------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H

namespace heddle::driver {

/// While one exists, the first SIGINT (Ctrl-C), SIGTERM or SIGHUP (a closed terminal) is only noted; a second
/// SIGINT or SIGTERM ends the process at once. Output that nobody reads any more is lost and ends nothing
/// (SIGPIPE). At most one object at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// The signal that came, or 0.
  int signal() const;

private:
  void (*pipe_)(int); ///< What SIGPIPE did before.
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H
