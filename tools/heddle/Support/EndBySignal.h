//===- EndBySignal.h - Signals leave nothing half-written -------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_ENDBYSIGNAL_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_ENDBYSIGNAL_H

namespace heddle::driver {

/// A handler: removes what is half-written and ends the process by `signal`, as if there were no handler.
void endBySignal(int signal);

/// From here on SIGINT, SIGTERM and SIGHUP end the process by endBySignal where the caller does not ignore
/// them, and a file beyond `ulimit -f` is a write that fails, with a message, and no SIGXFSZ.
void leaveNothingHalfWritten();

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_ENDBYSIGNAL_H
