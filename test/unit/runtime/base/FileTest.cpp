//===- FileTest.cpp - Files that are whole or absent ----------------------===//
#include "runtime/base/File.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::runtime;
namespace fs = std::filesystem;

namespace {

class FileTest : public testing::Test {
protected:
  void SetUp() override {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / (std::string("heddle-file-") + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char *name) const { return (folder_ / name).string(); }
  size_t filesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(FileTest, WritesAndReadsBack) {
  std::vector<uint8_t> bytes = {0, 1, 2, 255, 0};
  ASSERT_TRUE(writeFile(path("a"), bytes).isOk());
  auto read = readFile(path("a"));
  ASSERT_TRUE(read.isOk());
  EXPECT_EQ(*read, bytes);
  auto mapped = MappedFile::open(path("a"));
  ASSERT_TRUE(mapped.isOk());
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), mapped->bytes().begin(), mapped->bytes().end()));
  EXPECT_EQ(filesInFolder(), 1u);
}

TEST_F(FileTest, NothingIsLeftWithoutCommit) {
  ASSERT_TRUE(writeFile(path("a"), std::vector<uint8_t>{1}).isOk());
  {
    auto file = AtomicFile::create(path("a"));
    ASSERT_TRUE(file.isOk());
    ASSERT_TRUE(file->append("half of it").isOk());
    EXPECT_EQ(filesInFolder(), 2u);
  }
  EXPECT_EQ(filesInFolder(), 1u);
  EXPECT_EQ(readFile(path("a"))->size(), 1u); // The old content is untouched.
}

TEST_F(FileTest, FullDiskIsOneClearError) {
  if (!fs::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full";
  Status status = writeFile("/dev/full", std::vector<uint8_t>{1, 2, 3});
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_NE(
      status.message().find("cannot write /dev/full: No space left on device (wanted 3 more bytes, free "),
      std::string::npos)
      << status.message();
  EXPECT_FALSE(fs::is_regular_file("/dev/full")); // Not replaced by a file.
}

TEST_F(FileTest, ErrorsNameThePath) {
  EXPECT_EQ(readFile(path("none")).status().message(),
            "cannot open " + path("none") + ": No such file or directory");
  EXPECT_EQ(readFile(folder_.string()).status().message(),
            "cannot read " + folder_.string() + ": wanted a file, found a folder");
  EXPECT_EQ(writeFile(path("no/where"), "").message(),
            "cannot write " + path("no/where") + ": No such file or directory");
  EXPECT_EQ(writeFile(folder_.string(), "").message(),
            "cannot write " + folder_.string() + ": it is a folder");
  // The path's fault, and not the machine's.
  EXPECT_EQ(readFile(path("none")).status().code(), StatusCode::InvalidInput);
  EXPECT_EQ(writeFile(path("no/where"), "").code(), StatusCode::InvalidInput);
  EXPECT_EQ(writeFile(folder_.string(), "").code(), StatusCode::InvalidInput);
}

TEST_F(FileTest, ALinkStaysAndItsFileIsWritten) {
  ASSERT_TRUE(writeFile(path("a"), std::string_view("old")).isOk());
  fs::create_symlink(path("a"), path("link"));
  ASSERT_TRUE(writeFile(path("link"), std::string_view("new")).isOk());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  auto read = readFile(path("a"));
  ASSERT_TRUE(read.isOk());
  EXPECT_EQ(std::string(read->begin(), read->end()), "new");
  EXPECT_EQ(filesInFolder(), 2u);
}

TEST_F(FileTest, APipeIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(readFile(path("pipe")).status().message(),
            "cannot read " + path("pipe") + ": wanted a file, found something that is not a regular file");
  EXPECT_EQ(writeFile(path("pipe"), "").message(),
            "cannot write " + path("pipe") + ": it is a pipe that nothing reads");
  int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(writeFile(path("pipe"), std::string_view("through")).isOk());
  char text[16] = "";
  EXPECT_EQ(::read(reader, text, sizeof(text)), 7);
  EXPECT_STREQ(text, "through");
  ::close(reader);
}

TEST_F(FileTest, EmptyFiles) {
  ASSERT_TRUE(writeFile(path("empty"), "").isOk());
  EXPECT_TRUE(readFile(path("empty"))->empty());
  EXPECT_TRUE(MappedFile::open(path("empty"))->bytes().empty());
}

} // namespace
