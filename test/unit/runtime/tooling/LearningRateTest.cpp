#include "runtime/tooling/LearningRate.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

TEST(LearningRate, ConstantBehindTheWarmUp) {
  LearningRate rate{Schedule::Constant, 0.8, 4, 10};
  EXPECT_DOUBLE_EQ(rate.at(0), 0.2);
  EXPECT_DOUBLE_EQ(rate.at(3), 0.8);
  EXPECT_DOUBLE_EQ(rate.at(9), 0.8);
}

TEST(LearningRate, LinearToZeroAtTheEnd) {
  LearningRate rate{Schedule::Linear, 1.0, 2, 6};
  EXPECT_DOUBLE_EQ(rate.at(1), 1.0);
  EXPECT_DOUBLE_EQ(rate.at(2), 1.0);
  EXPECT_DOUBLE_EQ(rate.at(5), 0.25);
  EXPECT_DOUBLE_EQ(rate.at(6), 0.0);
  EXPECT_DOUBLE_EQ(rate.at(100), 0.0);
}

TEST(LearningRate, CosineToZeroAtTheEnd) {
  LearningRate rate{Schedule::Cosine, 2.0, 0, 4};
  EXPECT_DOUBLE_EQ(rate.at(0), 2.0);
  EXPECT_DOUBLE_EQ(rate.at(1), 1.0 + 0.70710678118654752);
  EXPECT_DOUBLE_EQ(rate.at(2), 1.0);
  // 1 + cos(pi) is exact.
  EXPECT_EQ(rate.at(4), 0.0);
}

TEST(LearningRate, AWarmUpAsLongAsTheTraining) {
  LearningRate rate{Schedule::Cosine, 1.0, 4, 4};
  EXPECT_DOUBLE_EQ(rate.at(3), 1.0);
}

TEST(LearningRate, NamesOfSchedulesAndNoOthers) {
  EXPECT_EQ(scheduleNames(), (std::vector<std::string>{"constant", "linear", "cosine"}));
  EXPECT_EQ(parseSchedule("constant"), Schedule::Constant);
  EXPECT_EQ(parseSchedule("linear"), Schedule::Linear);
  EXPECT_EQ(parseSchedule("cosine"), Schedule::Cosine);
  for (const char *name : {"", "Cosine", "cosine ", "step"})
    EXPECT_EQ(parseSchedule(name), std::nullopt) << name;
}
