//===- Interrupt.h - Ctrl-C that lets a step end ----------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H

namespace heddle::driver {

/// While one exists, the first SIGINT (Ctrl-C) or SIGTERM is only noted; a second one ends the process at
/// once. At most one object at a time.
class Interrupt {
public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  /// The signal that came, or 0.
  int signal() const;
};

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_INTERRUPT_H
