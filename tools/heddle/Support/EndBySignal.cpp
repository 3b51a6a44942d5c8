//===- EndBySignal.cpp - Signals leave nothing half-written ---------------===//
#include "tools/heddle/Support/EndBySignal.h"

#include "runtime/base/HalfWritten.h"

#include <csignal>

namespace heddle::driver {

void endBySignal(int signal) {
  runtime::removeHalfWritten();
  std::signal(signal, SIG_DFL);
  std::raise(signal); // Held back while its handler runs: it comes as this returns.
}

void leaveNothingHalfWritten() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
    if (std::signal(signal, SIG_IGN) != SIG_IGN) // A job in the background of a script, or under nohup.
      std::signal(signal, endBySignal);
}

} // namespace heddle::driver
