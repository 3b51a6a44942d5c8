#include "tools/heddle/Support/Repeats.h"

#include <gtest/gtest.h>

using namespace heddle::driver;

namespace {

std::string shown(const std::vector<std::string> &rows) {
  std::string text;
  for (const Repeat &repeat : repeatsOf(rows))
    text += std::to_string(repeat.begin) + "+" + std::to_string(repeat.length) + "x" +
            std::to_string(repeat.times) + " ";
  return text;
}

} // namespace

TEST(Repeats, LayersThatAreLikeTheFirst) {
  EXPECT_EQ(shown({"embed", "a blocks.0.q", "b blocks.0.o", "a blocks.1.q", "b blocks.1.o", "a blocks.2.q",
                   "b blocks.2.o", "norm"}),
            "1+2x2 ");
}

TEST(Repeats, TheBackwardPassCountsDown) {
  EXPECT_EQ(shown({"a blocks.11", "optimizer", "a blocks.10", "optimizer", "a blocks.9", "optimizer"}),
            "0+2x2 ");
}

TEST(Repeats, ALayerThatDiffersEndsThem) {
  EXPECT_EQ(shown({"a blocks.0", "a blocks.1", "a blocks.2", "c blocks.3", "a blocks.4"}), "0+1x2 ");
}

TEST(Repeats, BlocksThatDoNotCountByOneAreNoRepeat) {
  EXPECT_EQ(shown({"a blocks.0", "a blocks.2", "a blocks.4"}), "");
  EXPECT_EQ(shown({"a blocks.1", "a blocks.1", "a blocks.1"}), "");
}

TEST(Repeats, RowsWithoutALayerAndSingleOnesStay) {
  EXPECT_EQ(shown({"a", "a", "a"}), "");
  EXPECT_EQ(shown({"a blocks.0", "a blocks.1"}), "");
  EXPECT_EQ(shown({}), "");
}

TEST(Repeats, EveryNumberOfARowCounts) {
  EXPECT_EQ(shown({"blocks.0 to blocks.1", "blocks.1 to blocks.2", "blocks.2 to blocks.3"}), "0+1x2 ");
  EXPECT_EQ(shown({"blocks.0 to blocks.1", "blocks.1 to blocks.1", "blocks.2 to blocks.1"}), "");
}
