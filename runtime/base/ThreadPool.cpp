//===- ThreadPool.cpp - Workers with a static partition -------------------===//
#include "runtime/base/ThreadPool.h"

#include <sched.h>

#include <algorithm>

namespace heddle::runtime {

namespace {
/// Set while this thread runs a range of some pool.
thread_local bool insideRange = false;

/// About 20 microseconds of `pause`, the gap between two steps; after it a worker sleeps.
constexpr int kSpins = 600;

inline void pauseBriefly() { __builtin_ia32_pause(); }
} // namespace

int availableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    if (int count = CPU_COUNT(&set); count > 0)
      return count;
  return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0)
    threads = availableCores();
  threads = std::min(threads, (1 << kChunkBits) - 1);
  for (int i = 1; i < threads; ++i) {
    // A machine that refuses more threads gets a smaller pool.
    try {
      workers_.emplace_back([this, i] { work(i); });
    } catch (const std::exception &) {
      break;
    }
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1u << kChunkBits, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread &worker : workers_)
    worker.join();
}

void ThreadPool::runChunk(int chunk) {
  int64_t units = (items_ + grain_ - 1) / grain_;
  int64_t begin = units * chunk / chunks_ * grain_;
  int64_t end = std::min(items_, units * (chunk + 1) / chunks_ * grain_);
  function_(context_, begin, end, chunk);
}

void ThreadPool::run(int64_t items, int64_t grain, void *context, Function function) {
  if (items <= 0)
    return;
  int64_t units = (items + grain - 1) / grain;
  int chunks = static_cast<int>(std::min<int64_t>(units, threads()));
  if (chunks <= 1 || insideRange) {
    bool outer = insideRange;
    insideRange = true;
    function(context, 0, items, 0);
    insideRange = outer;
    return;
  }
  std::lock_guard<std::mutex> lock(caller_);
  items_ = items;
  grain_ = grain;
  chunks_ = chunks;
  context_ = context;
  function_ = function;
  pending_.store(chunks - 1, std::memory_order_relaxed);
  uint32_t job = (epoch_.load(std::memory_order_relaxed) >> kChunkBits) + 1;
  // In one order with notify_all's look at who waits: a store that is only released may come behind it, and a
  // worker that goes to sleep in between is never woken.
  epoch_.store((job << kChunkBits) | static_cast<uint32_t>(chunks), std::memory_order_seq_cst);
  epoch_.notify_all();

  insideRange = true;
  runChunk(0);
  insideRange = false;
  for (int spin = 0; pending_.load(std::memory_order_acquire) != 0; ++spin) {
    if (spin < kSpins) {
      pauseBriefly();
      continue;
    }
    int32_t left = pending_.load(std::memory_order_acquire);
    if (left != 0)
      pending_.wait(left, std::memory_order_acquire);
  }
}

void ThreadPool::work(int index) {
  insideRange = true;
  uint32_t seen = 0;
  while (true) {
    uint32_t epoch = epoch_.load(std::memory_order_acquire);
    for (int spin = 0; epoch == seen && spin < kSpins; ++spin) {
      pauseBriefly();
      epoch = epoch_.load(std::memory_order_acquire);
    }
    if (epoch == seen) {
      epoch_.wait(seen, std::memory_order_acquire);
      continue;
    }
    seen = epoch;
    if (stop_.load(std::memory_order_relaxed))
      return;
    if (index >= static_cast<int>(epoch & ((1u << kChunkBits) - 1)))
      continue;
    runChunk(index);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      pending_.notify_one();
  }
}

} // namespace heddle::runtime
