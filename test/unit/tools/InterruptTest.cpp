#include "tools/heddle/Support/Interrupt.h"

#include <csignal>
#include <gtest/gtest.h>

using heddle::driver::Interrupt;

TEST(Interrupt, TheFirstSignalIsNoted) {
  for (int signal : {SIGINT, SIGTERM}) {
    Interrupt interrupt;
    EXPECT_EQ(interrupt.signal(), 0);
    std::raise(signal);
    EXPECT_EQ(interrupt.signal(), signal);
  }
}

TEST(InterruptDeathTest, TheSecondOneEndsTheProcess) {
  auto twice = [](int first, int second) {
    Interrupt interrupt;
    std::raise(first);
    std::raise(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGTERM, SIGINT), testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, SignalsHaveTheirUsualEffectAfterwards) {
  EXPECT_EXIT(
      {
        { Interrupt interrupt; }
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, WhatIsIgnoredStaysIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    Interrupt interrupt;
    std::raise(SIGINT);
    EXPECT_EQ(interrupt.signal(), 0);
  }
  std::raise(SIGINT); // Would end the test.
  std::signal(SIGINT, SIG_DFL);
}
