#include "tools/heddle/Support/Statistics.h"

#include <gtest/gtest.h>

using heddle::driver::Statistics;
using heddle::driver::statisticsOf;

TEST(Statistics, OfKnownValues) {
  // Mean 5, squared deviations 9 + 1 + 1 + 9 = 20, over n - 1 = 3.
  Statistics s = statisticsOf({8, 2, 6, 4});
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.deviation * s.deviation, 20.0 / 3);
  EXPECT_DOUBLE_EQ(s.median, 5);
}

TEST(Statistics, MedianOfAnOddNumberIsTheMiddleOne) { EXPECT_DOUBLE_EQ(statisticsOf({100, 1, 3}).median, 3); }

TEST(Statistics, OneValueHasNoDeviation) {
  Statistics s = statisticsOf({7});
  EXPECT_DOUBLE_EQ(s.mean, 7);
  EXPECT_DOUBLE_EQ(s.deviation, 0);
  EXPECT_DOUBLE_EQ(s.median, 7);
}

TEST(Statistics, NoValuesGiveZeros) { EXPECT_DOUBLE_EQ(statisticsOf({}).mean, 0); }
