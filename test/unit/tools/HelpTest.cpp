#include "tools/heddle/Support/Help.h"

#include <gtest/gtest.h>

using namespace heddle::driver;

namespace {

std::string words(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? " " : "") + std::string("word");
  return text;
}

} // namespace

TEST(Help, DescriptionsGoOnBelowThemselves) {
  std::string flag = "  --flag                      ";
  ASSERT_EQ(flag.size(), kHelpIndent);
  // 14 words of five columns fill the 70 that are left.
  EXPECT_EQ(wrappedHelp(flag + words(16) + "\n"),
            flag + words(14) + "\n" + std::string(kHelpIndent, ' ') + words(2) + "\n");
}

TEST(Help, OtherTextGoesOnAtTheLinesBegin) {
  EXPECT_EQ(wrappedHelp(words(21) + "\nshort\n"), words(20) + "\nword\nshort\n");
}

TEST(Help, LongWordsAndExamplesStayWhole) {
  std::string name = "  --stop-after TEXT:{" + std::string(120, 'x') + "}\n";
  EXPECT_EQ(wrappedHelp(name), name);
  std::string example = "Example:\n  heddle compile " + words(30) + "\n";
  EXPECT_EQ(wrappedHelp(example), example);
}
