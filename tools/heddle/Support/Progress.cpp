//===- Progress.cpp - What long work is doing -----------------------------===//
#include "tools/heddle/Support/Progress.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace heddle::driver {

Progress::Progress() {
  const char *term = std::getenv("TERM");
  terminal_ = isatty(STDERR_FILENO) && term && std::string_view(term) != "dumb";
}

Progress::~Progress() { clear(); }

void Progress::show(const std::string &text) {
  if (!terminal_)
    return;
  // Back to the line's start, the text, and an erase of what was longer before.
  std::fprintf(stderr, "\r%s\033[K", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::line(const std::string &text) {
  clear();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::clear() {
  if (!shown_)
    return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

} // namespace heddle::driver
