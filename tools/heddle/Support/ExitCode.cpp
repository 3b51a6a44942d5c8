//===- ExitCode.cpp - What the process tells its caller -------------------===//
#include "tools/heddle/Support/ExitCode.h"

#include "runtime/base/HalfWritten.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

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

void endProcess(ExitCode code, const char *message) {
  runtime::removeHalfWritten();
  for (const char *part : {"error: ", message, "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0)
      break; // Nobody listens.
  _exit(code);
}

void endOnUncaughtMemoryFault() {
  std::set_terminate([] {
    try {
      if (std::exception_ptr current = std::current_exception())
        std::rethrow_exception(current);
    } catch (const std::bad_alloc &) {
      endProcess(MachineFault, kMemoryEnded);
    } catch (const std::exception &error) {
      endProcess(InternalFault, error.what());
    } catch (...) {
    }
    endProcess(InternalFault, "the program ended itself");
  });
}

} // namespace heddle::driver
