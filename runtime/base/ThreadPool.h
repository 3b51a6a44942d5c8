//===- ThreadPool.h - Workers with a static partition -----------*- C++ -*-===//
//
// A loop is cut into one contiguous range a thread, by its length and the number of threads alone: which
// thread does what never depends on timing, so that results cannot either. Steps of a model follow each other
// within microseconds, so a worker spins for a moment before it sleeps.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_THREADPOOL_H
#define HEDDLE_RUNTIME_BASE_THREADPOOL_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace heddle::runtime {

class ThreadPool {
public:
  /// `threads` counts the caller too; 0: every core that this process may use.
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls fn(begin, end) or fn(begin, end, thread) on disjoint ranges that cover [0, items) and returns when
  /// all are done. Ranges begin at multiples of `grain`, and no range is shorter than it, the last excepted.
  /// `thread` is below threads() and no two ranges of one call share it. Inside a range a further parallelFor
  /// runs in place, as thread 0. `fn` must not throw.
  template <typename Fn>
  void parallelFor(int64_t items, int64_t grain, Fn &&fn) {
    using F = std::remove_reference_t<Fn>;
    run(items, grain < 1 ? 1 : grain, const_cast<void *>(static_cast<const void *>(&fn)),
        [](void *context, int64_t begin, int64_t end, int thread) {
          if constexpr (std::is_invocable_v<F &, int64_t, int64_t, int>)
            (*static_cast<F *>(context))(begin, end, thread);
          else
            (*static_cast<F *>(context))(begin, end);
        });
  }

private:
  using Function = void (*)(void *context, int64_t begin, int64_t end, int thread);

  void run(int64_t items, int64_t grain, void *context, Function function);
  void runChunk(int chunk);
  void work(int index);

  /// Low bits: how many threads take part; high bits: a count of jobs. A worker reads the job's other fields
  /// only when it takes part, and then the caller waits for it: so it never reads them while they change.
  static constexpr uint32_t kChunkBits = 12;
  std::atomic<uint32_t> epoch_{0};
  std::atomic<int32_t> pending_{0};
  std::atomic<bool> stop_{false};
  int64_t items_ = 0, grain_ = 1;
  int chunks_ = 0;
  void *context_ = nullptr;
  Function function_ = nullptr;
  std::mutex caller_; ///< Two threads may use one pool; their loops take turns.
  std::vector<std::thread> workers_;
};

/// Cores that this process may run on.
int availableCores();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_THREADPOOL_H
