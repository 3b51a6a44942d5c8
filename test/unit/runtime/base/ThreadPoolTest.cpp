//===- ThreadPoolTest.cpp - Workers with a static partition ---------------===//
#include "runtime/base/ThreadPool.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace heddle::runtime;

namespace {

TEST(ThreadPool, CoversEveryItemOnce) {
  for (int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t items : {0, 1, 2, 5, 64, 1001})
      for (int64_t grain : {1, 3, 64, 5000}) {
        std::vector<int> visits(static_cast<size_t>(items), 0);
        pool.parallelFor(items, grain, [&](int64_t begin, int64_t end) {
          EXPECT_EQ(begin % grain, 0);
          for (int64_t i = begin; i < end; ++i)
            ++visits[static_cast<size_t>(i)];
        });
        EXPECT_EQ(visits, std::vector<int>(static_cast<size_t>(items), 1))
            << threads << " " << items << " " << grain;
      }
  }
}

TEST(ThreadPool, PartitionIsStatic) {
  ThreadPool pool(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<int> owner(10, -1);
    pool.parallelFor(10, 1, [&](int64_t begin, int64_t end, int thread) {
      for (int64_t i = begin; i < end; ++i)
        owner[static_cast<size_t>(i)] = thread;
    });
    EXPECT_EQ(owner, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2, 2}));
  }
}

TEST(ThreadPool, ManyLoopsInARow) {
  ThreadPool pool(4);
  std::vector<int64_t> partial(4);
  int64_t total = 0;
  for (int round = 0; round < 20000; ++round) {
    pool.parallelFor(
        4, 1, [&](int64_t begin, int64_t end) { partial[static_cast<size_t>(begin)] = round + end - begin; });
    total += std::accumulate(partial.begin(), partial.end(), int64_t{0}) - 4 - 4 * int64_t{round};
  }
  EXPECT_EQ(total, 0);
}

TEST(ThreadPool, NestedLoopsRunInPlace) {
  ThreadPool pool(2);
  std::atomic<int> count{0};
  pool.parallelFor(2, 1, [&](int64_t, int64_t) {
    pool.parallelFor(10, 1, [&](int64_t begin, int64_t end, int thread) {
      EXPECT_EQ(thread, 0);
      count += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(count, 20);
}

TEST(ThreadPool, TwoCallersTakeTurns) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  auto loop = [&] {
    for (int i = 0; i < 500; ++i)
      pool.parallelFor(8, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  };
  std::thread other(loop);
  loop();
  other.join();
  EXPECT_EQ(sum, 2 * 500 * 8);
}

} // namespace
