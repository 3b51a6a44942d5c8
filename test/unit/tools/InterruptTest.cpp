#include "tools/heddle/Support/Interrupt.h"

#include <csignal>
#include <gtest/gtest.h>

using heddle::driver::Interrupt;

namespace {

/// What the caller ignores, a script that runs tests in the background, stays ignored: these tests begin with
/// what signals usually do, and leave what they found.
class InterruptTest : public testing::Test {
protected:
  void SetUp() override {
    for (int i : {0, 1})
      before_[i] = std::signal(kSignals[i], SIG_DFL);
  }
  void TearDown() override {
    for (int i : {0, 1})
      std::signal(kSignals[i], before_[i]);
  }

private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM};
  void (*before_[2])(int) = {};
};
using InterruptDeathTest = InterruptTest;

} // namespace

TEST_F(InterruptTest, TheFirstSignalIsNoted) {
  for (int signal : {SIGINT, SIGTERM}) {
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
}

TEST_F(InterruptDeathTest, SignalsHaveTheirUsualEffectAfterwards) {
  EXPECT_EXIT(
      {
        { Interrupt interrupt; }
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
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
