//===- Interrupt.cpp - Ctrl-C that lets a step end ------------------------===//
#include "tools/heddle/Support/Interrupt.h"

#include "tools/heddle/Support/EndBySignal.h"

#include <csignal>
#include <cstddef>
#include <iterator>

namespace heddle::driver {
namespace {

volatile std::sig_atomic_t came = 0;

/// What ends a training in order: Ctrl-C, a request to end, a terminal that was closed.
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

/// Of kSignals, those that the caller did not ignore.
bool taken[sizeof(kSignals) / sizeof(*kSignals)] = {};

/// Those that a person sends have their usual effect from now on. A closed terminal is told twice, by the
/// system and by the shell, and behind SIGTERM where a session ends: that is no second wish.
void note(int signal) {
  came = signal;
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (taken[i])
      std::signal(kSignals[i], kSignals[i] == SIGHUP ? SIG_IGN : endBySignal);
}

} // namespace

Interrupt::Interrupt() {
  came = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  // A write that is under way goes on.
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    struct sigaction before = {};
    // What the caller ignores stays ignored: a job in the background of a script, or under nohup.
    taken[i] = sigaction(kSignals[i], nullptr, &before) == 0 && before.sa_handler != SIG_IGN;
    if (taken[i])
      sigaction(kSignals[i], &action, nullptr);
  }
  // Whoever reads the log may end first, by the same Ctrl-C.
  pipe_ = std::signal(SIGPIPE, SIG_IGN);
}

Interrupt::~Interrupt() {
  for (size_t i = 0; i < std::size(kSignals); ++i)
    if (taken[i])
      std::signal(kSignals[i], endBySignal);
  if (pipe_ != SIG_ERR)
    std::signal(SIGPIPE, pipe_);
}

int Interrupt::signal() const { return came; }

} // namespace heddle::driver
