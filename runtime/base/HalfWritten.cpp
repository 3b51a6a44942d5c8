//===- HalfWritten.cpp - What must not outlive the process ----------------===//
#include "runtime/base/HalfWritten.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace heddle::runtime {

namespace {

enum State : int { Free, Filling, Named, Removed };

/// A handler of signals can neither allocate nor lock: the names lie in a table that is always there.
struct Slot {
  std::atomic<int> state{Free};
  char path[PATH_MAX];
};

/// Files are few: one for each thread that writes to a cache, and those of a checkpoint.
constexpr int kSlots = 64;
Slot slots[kSlots];

static_assert(std::atomic<int>::is_always_lock_free);

} // namespace

HalfWritten::HalfWritten(const std::string &path) {
  if (path.size() >= sizeof(Slot::path))
    return;
  for (int i = 0; i < kSlots; ++i) {
    int expected = Free;
    if (!slots[i].state.compare_exchange_strong(expected, Filling))
      continue;
    std::memcpy(slots[i].path, path.c_str(), path.size() + 1);
    slots[i].state = Named;
    slot_ = i;
    return;
  }
}

HalfWritten::HalfWritten(HalfWritten &&other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

HalfWritten &HalfWritten::operator=(HalfWritten &&other) noexcept {
  if (this != &other) {
    release();
    slot_ = std::exchange(other.slot_, -1);
  }
  return *this;
}

HalfWritten::~HalfWritten() { release(); }

void HalfWritten::release() {
  int expected = Named;
  // Where another thread's handler has taken the name, the process ends: what would follow here, such as
  // giving the file its place, must not be done with a file that is gone.
  if (slot_ >= 0 && !slots[slot_].state.compare_exchange_strong(expected, Free))
    for (;;)
      pause();
  slot_ = -1;
}

void removeHalfWritten() {
  int error = errno;
  bool folder[kSlots] = {};
  for (int i = 0; i < kSlots; ++i) {
    int expected = Named;
    if (slots[i].state.compare_exchange_strong(expected, Removed))
      folder[i] = ::unlink(slots[i].path) != 0 && errno == EISDIR;
  }
  for (int i = 0; i < kSlots; ++i)
    if (folder[i])
      (void)::rmdir(slots[i].path);
  errno = error;
}

} // namespace heddle::runtime
