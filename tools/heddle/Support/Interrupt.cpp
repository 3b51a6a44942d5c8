//===- Interrupt.cpp - Ctrl-C that lets a step end ------------------------===//
#include "tools/heddle/Support/Interrupt.h"

#include "tools/heddle/Support/EndBySignal.h"

#include <csignal>

namespace heddle::driver {
namespace {

volatile std::sig_atomic_t came = 0;

constexpr int kSignals[] = {SIGINT, SIGTERM};

/// Either signal has its usual effect from now on.
void note(int signal) {
  came = signal;
  for (int each : kSignals)
    std::signal(each, endBySignal);
}

} // namespace

Interrupt::Interrupt() {
  came = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  // A write that is under way goes on.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int each : kSignals) {
    struct sigaction before = {};
    // What the caller ignores stays ignored: a job in the background of a script.
    if (sigaction(each, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(each, &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (int each : kSignals) {
    struct sigaction now = {};
    if (sigaction(each, nullptr, &now) == 0 && now.sa_handler == note)
      std::signal(each, endBySignal);
  }
}

int Interrupt::signal() const { return came; }

} // namespace heddle::driver
