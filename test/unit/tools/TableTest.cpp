#include "tools/heddle/Support/Table.h"

#include <gtest/gtest.h>

using namespace heddle::driver;

TEST(Table, ColumnsAreAsWideAsTheirWidestCell) {
  Table table({{"name"}, {"ms", Table::Align::Right}});
  table.add({"a", "1.5"});
  table.add({"longer", "12.25"});
  EXPECT_EQ(table.text(), "name       ms\n"
                          "a         1.5\n"
                          "longer  12.25\n");
}

TEST(Table, WidthCountsCharactersAndNotBytes) {
  Table table({{"± std"}, {"x"}});
  table.add({"1", "2"});
  EXPECT_EQ(table.text(), "± std  x\n1      2\n");
}

TEST(Table, AShortRowLeavesNoSpacesAtItsEnd) {
  Table table({{"a"}, {"b"}});
  table.add({"1"});
  EXPECT_EQ(table.text(), "a  b\n1\n");
}

TEST(Table, BytesInTheLargestUnit) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(bytesText(int64_t{12} << 20), "12.0 MiB");
  EXPECT_EQ(bytesText(int64_t{3} << 40), "3.00 TiB");
}

TEST(Table, RatioOfZeroIsADash) {
  EXPECT_EQ(ratioText(3, 2), "1.50x");
  EXPECT_EQ(ratioText(3, 0), "-");
}

TEST(Table, CsvFieldsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csvField("plain"), "plain");
  EXPECT_EQ(csvField("a,b"), "\"a,b\"");
  EXPECT_EQ(csvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csvField("two\nlines"), "\"two\nlines\"");
}

TEST(Table, CountsAndLargeNumbersRead) {
  EXPECT_EQ(countText(1, "step"), "1 step");
  EXPECT_EQ(countText(0, "step"), "0 steps");
  EXPECT_EQ(digitsText(128620800), "128,620,800");
  EXPECT_EQ(digitsText(999), "999");
  EXPECT_EQ(digitsText(-1000), "-1,000");
}
