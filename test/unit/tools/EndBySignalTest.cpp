#include "tools/heddle/Support/EndBySignal.h"

#include "runtime/base/File.h"
#include "tools/heddle/Support/ExitCode.h"
#include "tools/heddle/Support/Interrupt.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

using namespace heddle::driver;
using heddle::runtime::AtomicFile;
namespace fs = std::filesystem;

namespace {

class EndBySignalDeathTest : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("heddle-signal-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes half a file, and does `action` meanwhile.
  template <typename Action>
  void during(Action action) {
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) // Whoever runs the tests may ignore them.
      std::signal(signal, SIG_DFL);
    leaveNothingHalfWritten();
    auto file = AtomicFile::create((folder_ / "a").string());
    if (!file || !file->append("half of it") || fs::is_empty(folder_))
      std::_Exit(99);
    action();
    std::_Exit(98);
  }
  fs::path folder_;
};

} // namespace

TEST_F(EndBySignalDeathTest, NothingHalfWrittenIsLeft) {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(during([&] { std::raise(signal); }), testing::KilledBySignal(signal), "");
    EXPECT_TRUE(fs::is_empty(folder_)) << signal;
  }
}

TEST_F(EndBySignalDeathTest, TheSecondOneOfATrainingLeavesNothingEither) {
  auto twice = [] {
    Interrupt interrupt;
    std::raise(SIGINT);
    std::raise(SIGTERM);
  };
  EXPECT_EXIT(during(twice), testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(EndBySignalDeathTest, NorDoesOneBehindATraining) {
  auto behind = [] {
    { Interrupt interrupt; }
    std::raise(SIGINT);
  };
  EXPECT_EXIT(during(behind), testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(EndBySignalDeathTest, NorDoesAFaultThatEndsTheProcess) {
  EXPECT_EXIT(during([] { endProcess(MachineFault, "no more"); }), testing::ExitedWithCode(MachineFault), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(EndBySignalDeathTest, WhatIsIgnoredStaysIgnored) {
  auto ignored = [] {
    std::signal(SIGHUP, SIG_IGN);
    leaveNothingHalfWritten();
    std::raise(SIGHUP);
    std::_Exit(0);
  };
  EXPECT_EXIT(during(ignored), testing::ExitedWithCode(0), "");
}

TEST_F(EndBySignalDeathTest, AFileThatMayNotGrowIsAnError) {
  auto small = [&] {
    rlimit limit = {4096, 4096}; // The message goes to a file, too.
    setrlimit(RLIMIT_FSIZE, &limit);
    std::_Exit(report(heddle::runtime::writeFile((folder_ / "b").string(), std::string(5000, 'x'))));
  };
  EXPECT_EXIT(during(small), testing::ExitedWithCode(MachineFault), "cannot write .*b: File too large");
}
