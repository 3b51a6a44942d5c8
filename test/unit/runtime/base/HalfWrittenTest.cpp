#include "runtime/base/HalfWritten.h"
#include "TemporaryFolder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace heddle::runtime;
namespace fs = std::filesystem;

namespace {

/// Ends as a handler of signals does.
[[noreturn]] void end() {
  removeHalfWritten();
  std::_Exit(0);
}

class HalfWrittenDeathTest : public testing::Test {
protected:
  std::string path(const std::string &name) const { return folder_.path + "/" + name; }
  TemporaryFolder folder_;
};

} // namespace

TEST_F(HalfWrittenDeathTest, FilesGoThenFoldersThatAreEmpty) {
  auto child = [&] {
    HalfWritten folder(path("new")), file(path("new/a")), kept(path("kept")), gone(path("none"));
    HalfWritten done(path("done"));
    HalfWritten moved = std::move(file);
    done = {};
    for (const char *name : {"new", "kept"})
      fs::create_directory(path(name));
    for (const char *name : {"new/a", "kept/mine", "done"})
      std::ofstream(path(name)) << "x";
    end();
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_TRUE(fs::exists(path("kept/mine")));
  EXPECT_TRUE(fs::exists(path("done")));
}

TEST_F(HalfWrittenDeathTest, ThereIsRoomForSixtyFour) {
  auto child = [&] {
    for (int i = 0; i < 100; ++i) // Whose room is free again.
      HalfWritten before(path("before"));
    std::vector<HalfWritten> files;
    for (int i = 0; i < 70; ++i) {
      std::string name = path(std::to_string(i));
      files.emplace_back(name);
      std::ofstream(name) << "x";
    }
    HalfWritten endless(std::string(100000, 'x'));
    end();
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "");
  for (int i = 0; i < 70; ++i)
    EXPECT_EQ(fs::exists(path(std::to_string(i))), i >= 64) << i;
}
