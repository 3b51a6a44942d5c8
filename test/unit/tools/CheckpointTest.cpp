#include "tools/heddle/Support/Checkpoint.h"
#include "FakeExecutor.h"

#include "runtime/tooling/Safetensors.h"
#include "tools/heddle/Support/EndBySignal.h"
#include "tools/heddle/Support/Weights.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>

using namespace heddle::driver;
using namespace heddle::runtime;
using heddle::test::bytesOf;
using heddle::test::FakeExecutor;
namespace fs = std::filesystem;

namespace {

Buffer buffer(BufferRole role, std::vector<ParameterPart> parts) {
  Buffer buffer;
  buffer.role = role;
  buffer.parts = std::move(parts);
  return buffer;
}

class CheckpointTest : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / (std::string("heddle-checkpoint-") +
                                            testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
    plan_.buffers = {buffer(BufferRole::Parameter, {{"w", {2}}, {"b", {1}}}),
                     buffer(BufferRole::State, {{"exp_avg.w", {2}}, {"exp_avg.b", {1}}})};
    executor_.parts = {{"w", bytesOf({1, 2})},
                       {"b", bytesOf({3})},
                       {"exp_avg.w", bytesOf({4, 5})},
                       {"exp_avg.b", bytesOf({6})}};
    state_.model = "m";
    state_.step = 3;
    state_.windows = 12;
    state_.tokens = 1000;
    state_.settings = {{"lr", 0.25}};
  }
  void TearDown() override { fs::remove_all(root_); }
  std::string path(const char *name) const { return (root_ / name).string(); }
  void write(const std::string &name, const std::string &text) {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto &entry : fs::directory_iterator(root_))
      names.push_back(entry.path().filename());
    return names;
  }
  void save(const char *name, const std::string &resumed = "") {
    StatusOr<CheckpointFolder> folder = CheckpointFolder::open(path(name), resumed);
    ASSERT_TRUE(folder.isOk()) << folder.status().message();
    Status status = folder->save(executor_, plan_, state_);
    ASSERT_TRUE(status.isOk()) << status.message();
  }
  std::string stateError(const std::string &json) {
    write("bad/training.json", json);
    StatusOr<TrainingState> state = readTrainingState(path("bad"));
    EXPECT_FALSE(state.isOk());
    EXPECT_EQ(state.status().code(), StatusCode::InvalidInput);
    return state.status().message();
  }

  fs::path root_;
  Plan plan_;
  FakeExecutor executor_;
  TrainingState state_;
};

} // namespace

TEST_F(CheckpointTest, WhatIsSavedIsReadBack) {
  save("a");
  StatusOr<TrainingState> state = readTrainingState(path("a"));
  ASSERT_TRUE(state.isOk()) << state.status().message();
  EXPECT_EQ(state->model, "m");
  EXPECT_EQ(state->step, 3);
  EXPECT_EQ(state->windows, 12u);
  EXPECT_EQ(state->tokens, 1000);
  EXPECT_EQ(state->settings, state_.settings);
  auto model = readSafetensors(path("a/model.safetensors"));
  ASSERT_TRUE(model.isOk());
  EXPECT_EQ(model->size(), 2u);
  EXPECT_EQ(model->at("w").data, bytesOf({1, 2}));
  FakeExecutor fresh;
  Status status = readOptimizer(fresh, plan_, path("a"));
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(fresh.parts, (std::map<std::string, std::vector<uint8_t>>{{"exp_avg.w", bytesOf({4, 5})},
                                                                      {"exp_avg.b", bytesOf({6})}}));
}

TEST_F(CheckpointTest, PartsAreThoseOfARoleInTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const WantedWeight &part : partsOf(plan_, BufferRole::Parameter))
    names.push_back(part.name + " " + describe(part.dtype, part.shape));
  EXPECT_EQ(names, (std::vector<std::string>{"b f32[1]", "w f32[2]"}));
}

TEST_F(CheckpointTest, ALaterOneTakesTheFormersPlace) {
  save("a");
  state_.step = 4;
  executor_.parts["b"] = bytesOf({30});
  write("a.unfinished/model.safetensors", "cut off");
  save("a", path("a"));
  EXPECT_EQ(readTrainingState(path("a"))->step, 4);
  EXPECT_EQ(readSafetensors(path("a/model.safetensors"))->at("b").data, bytesOf({30}));
  EXPECT_EQ(entries(), std::vector<std::string>{"a"});
}

TEST_F(CheckpointTest, TwoRenamesWhereNamesCannotBeExchanged) {
  write("new/training.json", "new");
  write("old/training.json", "old");
  ASSERT_TRUE(replaceFolder(path("new"), path("old"), Replacement::TwoRenames).isOk());
  EXPECT_EQ(entries(), std::vector<std::string>{"old"});
  std::ifstream file(path("old/training.json"));
  std::string text;
  file >> text;
  EXPECT_EQ(text, "new");
}

TEST_F(CheckpointTest, BetweenTheTwoRenamesTheFormerOneIsFound) {
  save("a");
  fs::rename(path("a"), path("a.previous"));
  StatusOr<std::string> found = checkpointAt(path("a") + "/");
  ASSERT_TRUE(found.isOk());
  EXPECT_EQ(*found, path("a.previous"));
  EXPECT_FALSE(CheckpointFolder::open(path("a"), "").isOk());
  state_.step = 4;
  save("a", *found);
  EXPECT_EQ(readTrainingState(path("a"))->step, 4);
  EXPECT_EQ(entries(), std::vector<std::string>{"a"});
}

TEST_F(CheckpointTest, FoldersThatMustNotBeReplaced) {
  auto error = [&](const std::string &name, const std::string &resumed = "") {
    StatusOr<CheckpointFolder> folder = CheckpointFolder::open(name, resumed);
    return folder ? "" : folder.status().message();
  };
  save("a");
  EXPECT_NE(error(path("a")).find("holds a checkpoint"), std::string::npos);
  EXPECT_NE(error(path("a"), path("b")).find("holds a checkpoint"), std::string::npos);
  EXPECT_EQ(error(path("a"), path("a")), "");
  write("model/config.json", "{}");
  EXPECT_NE(error(path("model")).find("'config.json', which is no part of a checkpoint"), std::string::npos);
  write("b.unfinished/notes.txt", "");
  EXPECT_NE(error(path("b")).find("'notes.txt'"), std::string::npos);
  write("file", "");
  EXPECT_NE(error(path("file")).find("found a file"), std::string::npos);
  EXPECT_NE(error(path("none/c")).find("there is no folder"), std::string::npos);
  EXPECT_NE(error(".").find("replaced as a whole"), std::string::npos);
  EXPECT_NE(error("/").find("replaced as a whole"), std::string::npos);
  fs::create_directory(path("empty"));
  EXPECT_EQ(error(path("empty")), "");
}

TEST_F(CheckpointTest, OneTrainingAloneSavesToAFolder) {
  auto error = [&](const std::string &name) {
    StatusOr<CheckpointFolder> folder = CheckpointFolder::open(name, "");
    return folder ? "" : folder.status().message();
  };
  {
    std::optional<CheckpointFolder> copy;
    {
      StatusOr<CheckpointFolder> folder = CheckpointFolder::open(path("a"), "");
      ASSERT_TRUE(folder.isOk());
      copy = *folder;
    }
    EXPECT_EQ(error(path("a")), path("a") + ": another training saves to this folder (it holds " +
                                    path("a.lock") + "); wait for its end, or name another folder");
    EXPECT_EQ(error(path("b")), "");
    ASSERT_TRUE(copy->save(executor_, plan_, state_).isOk());
    EXPECT_NE(error(path("a")).find("another training"), std::string::npos); // The lock was not replaced.
  }
  EXPECT_EQ(entries(), std::vector<std::string>{"a"});
  // Left by a process that was killed.
  write("b.lock", "");
  EXPECT_EQ(error(path("b")), "");
  EXPECT_EQ(entries(), std::vector<std::string>{"a"});
  write("b.lock", "notes");
  EXPECT_EQ(error(path("b")),
            path("b.lock") + ": wanted an empty file, which locks " + path("b") + ", found something else");
  EXPECT_TRUE(fs::exists(path("b.lock")));
  fs::remove(path("b.lock"));
  fs::create_directory(path("b.lock"));
  EXPECT_EQ(error(path("b")), "cannot lock " + path("b") + ": " + path("b.lock") + ": Is a directory");
}

TEST_F(CheckpointTest, ASignalWhileItIsWrittenLeavesTheFormerOneAlone) {
  save("a");
  struct : FakeExecutor {
    StatusOr<std::vector<uint8_t>> parameter(const std::string &name) override {
      if (name == "exp_avg.w") // The model is written, the optimizer half.
        std::raise(SIGTERM);
      return FakeExecutor::parameter(name);
    }
  } interrupted;
  interrupted.parts = executor_.parts;
  state_.step = 4;
  auto child = [&] {
    std::signal(SIGTERM, SIG_DFL);
    leaveNothingHalfWritten();
    StatusOr<CheckpointFolder> folder = CheckpointFolder::open(path("a"), path("a"));
    if (folder)
      (void)folder->save(interrupted, plan_, state_);
    std::_Exit(99);
  };
  EXPECT_EXIT(child(), testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(entries(), std::vector<std::string>{"a"});
  EXPECT_EQ(readTrainingState(path("a"))->step, 3);
}

TEST_F(CheckpointTest, ALinkToAFolderStays) {
  fs::create_directory(path("disk"));
  fs::create_directory_symlink(path("disk"), path("link"));
  save("link");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(readTrainingState(path("disk"))->step, 3);
}

TEST_F(CheckpointTest, AStateThatDoesNotFitIsListed) {
  save("a");
  plan_.buffers[1].parts[0] = {"exp_avg.w", {3}};
  plan_.buffers[1].parts[1].name = "exp_avg.c";
  FakeExecutor fresh;
  Status status = readOptimizer(fresh, plan_, path("a"));
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  for (const char *part : {"optimizer.safetensors", "missing: 'exp_avg.c' f32[1]",
                           "'exp_avg.w': wanted f32[3], found f32[2]", "not wanted: 'exp_avg.b' f32[1]"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  EXPECT_TRUE(fresh.parts.empty());
}

TEST_F(CheckpointTest, ABadTrainingFileNamesTheField) {
  EXPECT_NE(stateError("{").find("training.json:1:"), std::string::npos);
  EXPECT_NE(stateError("{}").find("format: wanted 1, found nothing"), std::string::npos);
  EXPECT_NE(stateError(R"({"format": 2})").find("format: wanted 1, found 2"), std::string::npos);
  EXPECT_NE(
      stateError(R"({"format": 1, "step": -1})").find("step: wanted a whole number from 0 on, found -1"),
      std::string::npos);
  EXPECT_NE(
      stateError(R"({"format": 1, "step": 1, "windows": 1, "tokens": 18446744073709551615})").find("tokens"),
      std::string::npos);
  EXPECT_NE(stateError(R"({"format": 1, "step": 1, "windows": 1, "tokens": 1, "model": 3})").find("model"),
            std::string::npos);
}
