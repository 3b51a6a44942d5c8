//===- ExitCode.cpp - What the process tells its caller -------------------===//
#include "tools/heddle/Support/ExitCode.h"

#include <cstdio>

namespace heddle::driver {

ExitCode exitCodeOf(const runtime::Status &status) {
  switch (status.code()) {
  case runtime::StatusCode::Ok:
    return Success;
  case runtime::StatusCode::InvalidInput:
    return InputFault;
  case runtime::StatusCode::Unavailable:
  case runtime::StatusCode::OutOfMemory:
    return MachineFault;
  case runtime::StatusCode::Internal:
    return InternalFault;
  }
  return InternalFault;
}

ExitCode report(const runtime::Status &status) {
  ExitCode code = exitCodeOf(status);
  if (code == InternalFault)
    std::fprintf(stderr, "error: %s\nThis is a fault of Heddle itself; please report it.\n",
                 status.message().c_str());
  else if (code != Success)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return code;
}

} // namespace heddle::driver
