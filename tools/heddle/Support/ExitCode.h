//===- ExitCode.h - What the process tells its caller -----------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_EXITCODE_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_EXITCODE_H

#include "runtime/base/Status.h"

namespace heddle::driver {

/// Exit codes, part of the driver's interface (README.md): scripts tell by them who is at fault.
enum ExitCode : int {
  Success = 0,
  InputFault = 1,   ///< The model, a file or a value is at fault; `check` also says so that it did not pass.
  Usage = 2,        ///< The command line.
  MachineFault = 3, ///< No GPU, no memory, a full disk, a missing library.
  InternalFault = 70,
};

/// What is said where memory ends in code that has no more to say.
inline constexpr const char *kMemoryEnded = "the host's memory ran out";

ExitCode exitCodeOf(const runtime::Status &status);

/// Prints "error: …" on stderr unless `status` is Ok; returns its exit code.
ExitCode report(const runtime::Status &status);

/// Ends the process at once with `code` and "error: …" on stderr and nothing half-written, without taking
/// memory and without leaving code below that could not be left in order: for handlers of libraries that
/// cannot go on.
[[noreturn]] void endProcess(ExitCode code, const char *message);

/// From here on a process that must end because memory could not be had, thrown where nobody may catch it (on
/// another thread, through a function that must not throw), ends with MachineFault and one message.
void endOnUncaughtMemoryFault();

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_EXITCODE_H
