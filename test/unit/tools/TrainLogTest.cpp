#include "tools/heddle/Support/TrainLog.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>

using namespace heddle::driver;
using heddle::runtime::StatusCode;

namespace {

class TrainLogTest : public testing::Test {
protected:
  void TearDown() override { std::remove(path_.c_str()); }
  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string &text) { std::ofstream(path_) << text; }
  std::string openError(const std::string &rows) {
    write("step,loss,lr,grad_norm,tokens_per_s\n" + rows);
    auto log = TrainLog::open(path_, 10);
    return log ? "" : log.status().message();
  }
  std::string path_ = testing::TempDir() + "heddle-log-" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_F(TrainLogTest, RowsAreThereAsSoonAsTheyCome) {
  write(""); // As mktemp leaves it.
  auto log = TrainLog::open(path_, 0);
  ASSERT_TRUE(log.isOk());
  ASSERT_TRUE(log->append({1, 2.5, 0.001, 0.5, 1234.56}).isOk());
  ASSERT_TRUE(log->append({2, NAN, 1e-5, INFINITY, 10}).isOk());
  EXPECT_EQ(text(), "step,loss,lr,grad_norm,tokens_per_s\n1,2.5,0.001,0.5,1234.6\n2,nan,1e-05,inf,10.0\n");
}

TEST_F(TrainLogTest, ARateHasOneFormAndReadsBackAsWhatTheStepTook) {
  auto log = TrainLog::open(path_, 0);
  ASSERT_TRUE(log.isOk());
  // 0.001 / 5 times 1 to 5, of which two are no short float64.
  for (int64_t step = 1; step <= 5; ++step)
    ASSERT_TRUE(log->append({step, 1, 0.001 * static_cast<double>(step) / 5, 1, 1}).isOk());
  ASSERT_TRUE(log->append({6, 1, 0.001 / 3, 1, 1}).isOk());
  EXPECT_EQ(text(),
            "step,loss,lr,grad_norm,tokens_per_s\n1,1,0.0002,1,1.0\n2,1,0.0004,1,1.0\n3,1,0.0006,1,1.0\n"
            "4,1,0.0008,1,1.0\n5,1,0.001,1,1.0\n6,1,0.00033333333,1,1.0\n");
  auto again = TrainLog::open(path_, 6);
  ASSERT_TRUE(again.isOk());
  EXPECT_EQ(static_cast<float>(again->rows().back().learningRate), static_cast<float>(0.001 / 3));
}

TEST_F(TrainLogTest, TheRowsOfAnotherTrainingAreNotReplaced) {
  write("step,loss,lr,grad_norm,tokens_per_s\n1,2.5,0.001,0.5,10.0\n");
  auto log = TrainLog::open(path_, 0);
  ASSERT_FALSE(log.isOk());
  EXPECT_EQ(log.status().code(), StatusCode::InvalidInput);
  EXPECT_EQ(log.status().message(), path_ + ": there is such a file, and this training begins; name another "
                                            "one, remove it, or go on with --resume");
}

TEST_F(TrainLogTest, GoingOnKeepsTheRowsUpToTheStep) {
  write("step,loss,lr,grad_norm,tokens_per_s\n1,2.5,0.001,0.5,10.0\n2,nan,0.001,inf,10.0\n3,9,1,1,1\n4,5");
  auto log = TrainLog::open(path_, 2);
  ASSERT_TRUE(log.isOk()) << log.status().message();
  EXPECT_EQ(log->rows().size(), 2u);
  ASSERT_TRUE(log->append({3, 1.5, 0.001, 0.5, 10}).isOk());
  EXPECT_EQ(text(), "step,loss,lr,grad_norm,tokens_per_s\n1,2.5,0.001,0.5,10.0\n2,nan,0.001,inf,10.0\n"
                    "3,1.5,0.001,0.5,10.0\n");
}

TEST_F(TrainLogTest, ALineThatIsNoRowIsNamed) {
  EXPECT_NE(openError("1,2,3\n").find(":2: wanted"), std::string::npos);
  EXPECT_NE(openError("1,2,3,4,5\n1,2,3,4,5\n").find(":3: wanted a step after"), std::string::npos);
  EXPECT_NE(openError("1,2,3,4,5,6\n").find(":2:"), std::string::npos);
  for (const char *row :
       {"1,2,3,4,5,\n", "1,2,3,4,\n", ",1,2,3,4,5\n", "1,,2,3,4,5\n", "1 2 3 4 5\n", "0,2,3,4,5\n"})
    EXPECT_NE(openError(row).find(":2: wanted"), std::string::npos) << row;
  write("a,b\n");
  EXPECT_NE(TrainLog::open(path_, 1).status().message().find(":1: wanted step,loss"), std::string::npos);
}

TEST_F(TrainLogTest, AFileOfAnotherKindIsNotReplaced) {
  for (const char *other :
       {"notes without an end of line", "step,loss,lr,grad_norm,tokens_per_s,more", "steps", "\n"}) {
    write(other);
    auto log = TrainLog::open(path_, 1);
    ASSERT_FALSE(log.isOk()) << other;
    EXPECT_EQ(log.status().code(), StatusCode::InvalidInput);
    EXPECT_NE(log.status().message().find(":1: wanted step,loss"), std::string::npos)
        << log.status().message();
    EXPECT_EQ(text(), other);
  }
}

TEST_F(TrainLogTest, AHeaderThatWasCutOffIsWrittenAnew) {
  for (const char *cut : {"", "step,lo", "step,loss,lr,grad_norm,tokens_per_s"}) {
    write(cut);
    auto log = TrainLog::open(path_, 1);
    ASSERT_TRUE(log.isOk()) << log.status().message();
    ASSERT_TRUE(log->append({2, 1.5, 0.001, 0.5, 10}).isOk());
    EXPECT_EQ(text(), "step,loss,lr,grad_norm,tokens_per_s\n2,1.5,0.001,0.5,10.0\n");
  }
}

TEST_F(TrainLogTest, RowsMustReachTheStep) {
  EXPECT_EQ(openError("8,2,3,4,5\n9,2,3,4,5\n"),
            path_ + ": wanted rows up to step 10, which training goes on from; they end at step 9");
  EXPECT_NE(openError("9,2,3,4,5\n11,2,3,4,5\n").find("they end at step 9"), std::string::npos);
  EXPECT_NE(openError("9,2,3,4,5\n10,2,3").find("they end at step 9"), std::string::npos);
  EXPECT_EQ(openError("10,2,3,4,5\n"), "");
  // A file that was begun on going on.
  EXPECT_EQ(openError("11,2,3,4,5\n"), "");
  EXPECT_EQ(openError(""), "");
}

TEST_F(TrainLogTest, NothingChangesBeforeTheFirstRow) {
  auto fresh = TrainLog::open(path_, 0);
  ASSERT_TRUE(fresh.isOk());
  EXPECT_FALSE(std::ifstream(path_).good());
  std::string rows = "step,loss,lr,grad_norm,tokens_per_s\n1,2.5,0.001,0.5,10.0\n2,9,1,1,1\n";
  write(rows);
  for (int64_t step : {0, 1}) {
    EXPECT_EQ(TrainLog::open(path_, step).isOk(), step > 0);
    EXPECT_EQ(text(), rows);
  }
}

TEST_F(TrainLogTest, WhatCannotBeWrittenIsThePathsFaultOrTheMachines) {
  auto nowhere = TrainLog::open(path_ + "/new.csv", 0);
  ASSERT_FALSE(nowhere.isOk());
  EXPECT_EQ(nowhere.status().code(), StatusCode::InvalidInput);
  auto full = TrainLog::open("/dev/full", 0); // Is found out by writing alone.
  ASSERT_TRUE(full.isOk());
  EXPECT_EQ(full->append({1, 2.5, 0.001, 0.5, 10}).code(), StatusCode::Unavailable);
}

TEST(LossPicture, OneLineThatBreaksWhereTheLossIsNotFinite) {
  std::string svg = lossPicture({{1, 4}, {2, 3}, {3, NAN}, {4, 2}, {5, 1}}, "a <b> & c");
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt;b&gt; &amp; c"), std::string::npos);
  // The corners of the axes are those of the first and the last point.
  EXPECT_NE(svg.find("d=\"M70 40 L247.5 170 M602.5 300 L780 430\""), std::string::npos) << svg;
}

TEST(LossPicture, ManyStepsAreMeans) {
  std::vector<TrainRow> rows;
  for (int64_t step = 1; step <= 5000; ++step)
    rows.push_back({step, step % 2 ? 1.0 : 3.0});
  std::string svg = lossPicture(rows, "");
  EXPECT_EQ(count(svg, " L"), kMostPoints - 1);
}

TEST(LossPicture, NoRowsAndEqualRows) {
  EXPECT_EQ(count(lossPicture({}, ""), "<path"), 0u);
  EXPECT_EQ(count(lossPicture({{1, 2}}, ""), "<path"), 1u);
  EXPECT_EQ(count(lossPicture({{1, NAN}}, ""), "<path"), 0u);
  EXPECT_EQ(lossPicture({{1, 2}, {2, 2}}, "").find("nan"), std::string::npos);
}
