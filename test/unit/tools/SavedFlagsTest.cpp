#include "tools/heddle/Support/SavedFlags.h"

#include <gtest/gtest.h>

using namespace heddle::driver;
using Json = nlohmann::json;

namespace {

struct Values {
  int64_t steps = 5;
  uint64_t seed = 1;
  double lr = 0.5;
  std::string schedule = "constant";
  std::optional<int64_t> batch;

  std::vector<SavedFlag> flags() {
    return {{"steps", &steps, {1}},
            {"seed", &seed},
            {"lr", &lr, {0, 1, true}},
            {"schedule", &schedule, {}, {"constant", "cosine"}},
            {"batch", &batch, {1}}};
  }
};

Json saved() {
  return {{"steps", 9}, {"seed", ~uint64_t{0}}, {"lr", 0.1}, {"schedule", "cosine"}, {"batch", 4}};
}

std::string error(const char *name, Json value) {
  Values values;
  Json json = saved();
  json[name] = std::move(value);
  auto changes = restore(values.flags(), json, "f.json");
  EXPECT_FALSE(changes.isOk()) << json.dump();
  EXPECT_EQ(values.steps, 5) << "something was changed";
  return changes.isOk() ? "" : changes.status().message();
}

} // namespace

TEST(SavedFlags, WhatIsWrittenIsRestored) {
  Values values, other;
  values.lr = 0.1 + 0.2; // No short decimal.
  values.seed = ~uint64_t{0};
  values.batch = 3;
  auto changes = restore(other.flags(), Json::parse(valuesOf(values.flags()).dump()), "f.json");
  ASSERT_TRUE(changes.isOk()) << changes.status().message();
  EXPECT_TRUE(changes->empty());
  EXPECT_EQ(other.lr, values.lr);
  EXPECT_EQ(other.seed, values.seed);
  EXPECT_EQ(other.batch, values.batch);
}

TEST(SavedFlags, TheCommandLineTakesWhatAFileMayHold) {
  Values values;
  std::vector<SavedFlag> flags = values.flags();
  auto error = [&](size_t flag, const char *text) { return wanted(flags[flag], valueOf(flags[flag], text)); };
  EXPECT_EQ(valueOf(flags[0], "7"), Json(7));
  EXPECT_EQ(valueOf(flags[1], "18446744073709551615"), Json(~uint64_t{0}));
  EXPECT_EQ(valueOf(flags[2], "1e-3"), Json(1e-3));
  EXPECT_EQ(valueOf(flags[3], "7"), Json("7"));
  EXPECT_EQ(error(0, "7"), "");
  for (const char *text : {"0", "-1", "1.5", "7x", "", " 7", "9223372036854775808"})
    EXPECT_EQ(error(0, text), "a whole number from 1 on") << text;
  EXPECT_EQ(error(1, "18446744073709551615"), "");
  EXPECT_EQ(error(1, "-1"), "a whole number from 0 on");
  EXPECT_EQ(error(2, "1e-3"), "");
  for (const char *text : {"1", "fast", "nan", "inf", "0.5 "})
    EXPECT_EQ(error(2, text), "a number from 0 to below 1") << text;
  EXPECT_EQ(error(3, "cosine"), "");
  EXPECT_EQ(error(3, "step"), "one of constant, cosine");
}

TEST(SavedFlags, GivenFlagsWinAndAreNamed) {
  Values values;
  std::vector<SavedFlag> flags = values.flags();
  flags[0].given = flags[2].given = flags[4].given = true;
  auto changes = restore(flags, saved(), "f.json");
  ASSERT_TRUE(changes.isOk());
  EXPECT_EQ(*changes, (std::vector<std::string>{"--steps 5 instead of 9", "--lr 0.5 instead of 0.1",
                                                "--batch null instead of 4"}));
  EXPECT_EQ(values.steps, 5);
  EXPECT_EQ(values.schedule, "cosine");
}

TEST(SavedFlags, WhatTheModelDecidedIsNamed) {
  Values values;
  std::vector<SavedFlag> flags = values.flags();
  flags[0].given = true;
  Json json = saved();
  ASSERT_TRUE(restore(flags, json, "f.json").isOk());
  EXPECT_TRUE(changesOf(flags, json).empty()) << "what is given was named by then";
  values.batch = 2;
  values.schedule = "constant";
  EXPECT_EQ(changesOf(flags, json), (std::vector<std::string>{"schedule \"constant\" instead of \"cosine\"",
                                                              "batch 2 instead of 4"}));
  json["batch"] = nullptr;
  EXPECT_EQ(changesOf(flags, json).size(), 1u);
}

TEST(SavedFlags, ValuesThatNoFlagWouldTakeAreRefused) {
  EXPECT_EQ(error("steps", 0), "f.json: setting 'steps': wanted a whole number from 1 on, found 0");
  EXPECT_EQ(error("steps", 1.5), "f.json: setting 'steps': wanted a whole number from 1 on, found 1.5");
  EXPECT_EQ(error("steps", ~uint64_t{0}),
            "f.json: setting 'steps': wanted a whole number from 1 on, found 18446744073709551615");
  EXPECT_EQ(error("seed", -1), "f.json: setting 'seed': wanted a whole number from 0 on, found -1");
  EXPECT_EQ(error("lr", 1), "f.json: setting 'lr': wanted a number from 0 to below 1, found 1");
  EXPECT_EQ(error("lr", "x"), "f.json: setting 'lr': wanted a number from 0 to below 1, found \"x\"");
  EXPECT_EQ(error("schedule", "step"),
            "f.json: setting 'schedule': wanted one of constant, cosine, found \"step\"");
  EXPECT_EQ(error("batch", 0), "f.json: setting 'batch': wanted a whole number from 1 on, found 0");
  EXPECT_EQ(error("speed", 1), "f.json: unknown setting 'speed'");
  Values values;
  Json json = saved();
  json.erase("lr");
  EXPECT_EQ(restore(values.flags(), json, "f.json").status().message(), "f.json: no setting 'lr'");
  EXPECT_FALSE(restore(values.flags(), Json::array(), "f.json").isOk());
  // A flag that is younger than the checkpoint keeps its default.
  std::vector<SavedFlag> flags = values.flags();
  for (SavedFlag &flag : flags)
    flag.later = flag.name == "lr";
  EXPECT_TRUE(restore(flags, json, "f.json").isOk());
}
