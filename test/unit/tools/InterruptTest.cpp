#include "tools/heddle/Support/Interrupt.h"

#include <csignal>
#include <gtest/gtest.h>
#include <iterator>

using heddle::driver::Interrupt;

namespace {

/// What the caller ignores, a script that runs tests in the background, stays ignored: these tests begin with
/// what signals usually do, and leave what they found.
class InterruptTest : public testing::Test {
protected:
  void SetUp() override {
    for (size_t i = 0; i < std::size(kSignals); ++i)
      before_[i] = std::signal(kSignals[i], SIG_DFL);
  }
  void TearDown() override {
    for (size_t i = 0; i < std::size(kSignals); ++i)
      std::signal(kSignals[i], before_[i]);
  }

private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  void (*before_[std::size(kSignals)])(int) = {};
};
using InterruptDeathTest = InterruptTest;

} // namespace

TEST_F(InterruptTest, TheFirstSignalIsNoted) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    Interrupt interrupt;
    EXPECT_EQ(interrupt.signal(), 0);
    std::raise(signal);
    EXPECT_EQ(interrupt.signal(), signal);
  }
}

TEST_F(InterruptDeathTest, TheSecondOneEndsTheProcess) {
  auto twice = [](int first, int second) {
    Interrupt interrupt;
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGTERM, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGHUP, SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

TEST_F(InterruptTest, AClosedTerminalIsToldMoreThanOnce) {
  for (int signal : {SIGHUP, SIGTERM}) {
    Interrupt interrupt;
    std::raise(signal);
    std::raise(SIGHUP); // Would end the test.
    EXPECT_EQ(interrupt.signal(), signal);
  }
}

TEST_F(InterruptTest, ALogThatNobodyReadsEndsNothing) {
  Interrupt interrupt;
  std::raise(SIGPIPE); // Would end the test.
  EXPECT_EQ(interrupt.signal(), 0);
}

TEST_F(InterruptDeathTest, SignalsHaveTheirUsualEffectAfterwards) {
  auto after = [](int noted, int signal) {
    {
      Interrupt interrupt;
      if (noted)
        std::raise(noted);
    }
    std::raise(signal);
  };
  EXPECT_EXIT(after(0, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(after(SIGHUP, SIGHUP), testing::KilledBySignal(SIGHUP), "");
  EXPECT_EXIT(after(0, SIGPIPE), testing::KilledBySignal(SIGPIPE), "");
}

TEST_F(InterruptTest, WhatIsIgnoredStaysIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    Interrupt interrupt;
    std::raise(SIGINT);
    EXPECT_EQ(interrupt.signal(), 0);
  }
  std::raise(SIGINT); // Would end the test.
}
