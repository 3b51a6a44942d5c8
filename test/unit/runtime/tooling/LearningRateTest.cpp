#include "runtime/tooling/LearningRate.h"

#include <gtest/gtest.h>

using heddle::runtime::LearningRate;

TEST(LearningRate, ConstantBehindTheWarmUp) {
  LearningRate rate{"constant", 0.8, 4, 10};
  EXPECT_DOUBLE_EQ(rate.at(0), 0.2);
  EXPECT_DOUBLE_EQ(rate.at(3), 0.8);
  EXPECT_DOUBLE_EQ(rate.at(9), 0.8);
}

TEST(LearningRate, LinearToZeroAtTheEnd) {
  LearningRate rate{"linear", 1.0, 2, 6};
  EXPECT_DOUBLE_EQ(rate.at(1), 1.0);
  EXPECT_DOUBLE_EQ(rate.at(2), 1.0);
  EXPECT_DOUBLE_EQ(rate.at(5), 0.25);
  EXPECT_DOUBLE_EQ(rate.at(6), 0.0);
  EXPECT_DOUBLE_EQ(rate.at(100), 0.0);
}

TEST(LearningRate, CosineToZeroAtTheEnd) {
  LearningRate rate{"cosine", 2.0, 0, 4};
  EXPECT_DOUBLE_EQ(rate.at(0), 2.0);
  EXPECT_DOUBLE_EQ(rate.at(1), 1.0 + 0.70710678118654752);
  EXPECT_DOUBLE_EQ(rate.at(2), 1.0);
  // 1 + cos(pi) is exact.
  EXPECT_EQ(rate.at(4), 0.0);
}

TEST(LearningRate, AWarmUpAsLongAsTheTraining) {
  LearningRate rate{"cosine", 1.0, 4, 4};
  EXPECT_DOUBLE_EQ(rate.at(3), 1.0);
}
