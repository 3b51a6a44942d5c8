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

ExitCode exitCodeOf(const runtime::Status &status);

/// Prints "error: …" on stderr unless `status` is Ok; returns its exit code.
ExitCode report(const runtime::Status &status);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_EXITCODE_H
