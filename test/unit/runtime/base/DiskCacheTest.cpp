//===- DiskCacheTest.cpp --------------------------------------------------===//
//
// What an entry's bytes must be is tested where kernels are kept (KernelCacheTest.cpp); here: the folder as a
// whole.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/DiskCache.h"
#include "runtime/base/LittleEndian.h"

#include "runtime/base/Hash.h"
#include "test/unit/runtime/base/TemporaryFolder.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle::runtime;
namespace fs = std::filesystem;

static std::string keyOf(int number) { return Hasher().add(int64_t(number)).finish().hex(); }

/// Sets an entry's last use to so many seconds after 1970.
static void setAge(const std::string &file, int seconds) {
  timespec times[2] = {{seconds, 0}, {seconds, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0) << file;
}

static size_t countFiles(const std::string &folder) {
  size_t files = 0;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    files += entry.is_regular_file();
  return files;
}

TEST(DiskCache, ListsWhatIsThere) {
  TemporaryFolder folder;
  EXPECT_TRUE(listCache(folder.path).empty());
  EXPECT_TRUE(listCache("").empty());
  DiskCache kernels(folder.path, kKernelEntries), products(folder.path, kProductEntries);
  kernels.store(keyOf(1), std::string(5000, 'x'), "rms_norm sm_90a");
  products.store(keyOf(2), "fast", "4x8x16");
  setAge(kernels.fileOf(keyOf(1)), 100);
  setAge(products.fileOf(keyOf(2)), 200);
  std::vector<CacheEntry> entries = listCache(folder.path);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].kind, "products");
  EXPECT_EQ(entries[0].title, "4x8x16");
  EXPECT_EQ(entries[0].key, keyOf(2));
  EXPECT_EQ(entries[0].lastUse, int64_t(200) * 1'000'000'000);
  EXPECT_EQ(entries[1].kind, "kernels");
  EXPECT_EQ(entries[1].title, "rms_norm sm_90a");
  EXPECT_EQ(entries[1].bytes, int64_t(fs::file_size(kernels.fileOf(keyOf(1)))));
  EXPECT_EQ(products.load(keyOf(2)), "fast");
}

// The entry used longest ago goes first, whatever its kind; a load is a use.
TEST(DiskCache, LeastRecentlyUsedGoFirst) {
  TemporaryFolder folder;
  DiskCache kernels(folder.path, kKernelEntries), products(folder.path, kProductEntries);
  for (int i = 0; i < 4; ++i) {
    DiskCache &cache = i % 2 ? products : kernels;
    cache.store(keyOf(i), std::string(1000, 'x'), "");
    setAge(cache.fileOf(keyOf(i)), 1000 + i);
  }
  int64_t each = int64_t(fs::file_size(kernels.fileOf(keyOf(0))));
  EXPECT_TRUE(kernels.load(keyOf(0)));
  CacheRemoval removal = trimCache(folder.path, 2 * each);
  EXPECT_EQ(removal.entries, 2);
  EXPECT_EQ(removal.bytes, 2 * each);
  EXPECT_EQ(removal.kept, 2);
  EXPECT_EQ(removal.keptBytes, 2 * each);
  EXPECT_EQ(removal.problem, "");
  EXPECT_TRUE(kernels.load(keyOf(0)));
  EXPECT_FALSE(products.load(keyOf(1)));
  EXPECT_FALSE(kernels.load(keyOf(2)));
  EXPECT_TRUE(products.load(keyOf(3)));
  // Gone is not damaged.
  EXPECT_EQ(kernels.note() + products.note(), "");
}

// A process that stored something brings the folder back under its limit; one that only read does not look.
TEST(DiskCache, StoringKeepsTheLimit) {
  TemporaryFolder folder;
  DiskCache cache(folder.path, kKernelEntries);
  for (int i = 0; i < 10; ++i) {
    cache.store(keyOf(i), std::string(1000, 'x'), "");
    setAge(cache.fileOf(keyOf(i)), 1000 + i);
  }
  cache.trim(3500);
  EXPECT_EQ(listCache(folder.path).size(), 3u);
  EXPECT_TRUE(cache.load(keyOf(9)));
  cache.trim(0);
  EXPECT_EQ(listCache(folder.path).size(), 3u);
}

// What the cache did not write stays, and so does a temporary file that may still be written.
TEST(DiskCache, RemovesItsOwnFilesAlone) {
  TemporaryFolder folder;
  DiskCache cache(folder.path, kKernelEntries);
  cache.store(keyOf(1), "x", "");
  std::string kernels = folder.path + "/kernels/";
  for (const std::string &name : {std::string("notes.txt"), keyOf(2) + ".part-1-0", keyOf(3) + ".part-2-0"})
    std::ofstream(kernels + name) << "x";
  std::ofstream(folder.path + "/" + keyOf(4)) << "x";
  setAge(kernels + keyOf(3) + ".part-2-0", 1000);
  fs::create_directory(kernels + keyOf(5));
  EXPECT_EQ(trimCache(folder.path, 0).entries, 1);
  EXPECT_TRUE(fs::exists(kernels + "notes.txt"));
  EXPECT_TRUE(fs::exists(kernels + keyOf(2) + ".part-1-0"));
  EXPECT_FALSE(fs::exists(kernels + keyOf(3) + ".part-2-0"));
  EXPECT_TRUE(fs::exists(folder.path + "/" + keyOf(4)));
  EXPECT_TRUE(fs::exists(kernels + keyOf(5)));
}

// Readers, writers and removers at once: every read sees a whole entry or none, nobody complains, and the
// folder ends under its limit.
TEST(DiskCache, ProcessesMayRemoveWhatOthersRead) {
  TemporaryFolder folder;
  constexpr int64_t kLimit = 200'000;
  std::vector<pid_t> children;
  for (int child = 0; child < 6; ++child) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      DiskCache cache(folder.path, kKernelEntries);
      bool good = true;
      for (int turn = 0; turn < 60; ++turn) {
        int number = (turn * 7 + child) % 12;
        std::string wanted(40'000, char('a' + number));
        if (std::optional<std::string> payload = cache.load(keyOf(number)))
          good &= *payload == wanted;
        else
          cache.store(keyOf(number), wanted, "entry");
        cache.trim(child == 0 && turn % 10 == 0 ? 0 : kLimit);
      }
      _exit(good && cache.note().empty() ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  CacheRemoval removal = trimCache(folder.path, kLimit);
  EXPECT_LE(removal.keptBytes, kLimit);
  EXPECT_EQ(countFiles(folder.path), size_t(removal.kept));
}

TEST(DiskCache, DefaultFolderFollowsTheEnvironment) {
  auto with = [](const char *own, const char *xdg, const char *home) {
    for (auto [name, value] : {std::pair{"HEDDLE_CACHE_DIR", own}, {"XDG_CACHE_HOME", xdg}, {"HOME", home}})
      value ? setenv(name, value, 1) : unsetenv(name);
    return DiskCache::defaultFolder();
  };
  std::vector<std::pair<std::string, std::string>> saved;
  for (const char *name : {"HEDDLE_CACHE_DIR", "XDG_CACHE_HOME", "HOME"})
    if (const char *value = getenv(name))
      saved.emplace_back(name, value);
  EXPECT_EQ(with("/own", "/xdg", "/home"), "/own");
  EXPECT_EQ(with(nullptr, "/xdg", "/home"), "/xdg/heddle");
  EXPECT_EQ(with("", nullptr, "/home"), "/home/.cache/heddle");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
  for (const auto &[name, value] : saved)
    setenv(name.c_str(), value.c_str(), 1);
}

TEST(DiskCache, NumbersAreLittleEndian) {
  std::string bytes = "ab";
  appendLittle64(bytes, 0xf1e2d3c4b5a69788u);
  EXPECT_EQ(bytes, "ab\x88\x97\xa6\xb5\xc4\xd3\xe2\xf1");
  EXPECT_EQ(little64At(bytes, 2), 0xf1e2d3c4b5a69788u);
}

TEST(DiskCache, SizesAndTheLimit) {
  EXPECT_EQ(*parseSize("0"), 0);
  EXPECT_EQ(*parseSize("1000"), 1000);
  EXPECT_EQ(*parseSize("3K"), 3 << 10);
  EXPECT_EQ(*parseSize("500M"), int64_t(500) << 20);
  EXPECT_EQ(*parseSize("7T"), int64_t(7) << 40);
  for (const char *bad : {"", "M", "-1", "1.5G", "2g", "2GB", "9000000000T", "99999999999999999999", " 1"})
    EXPECT_FALSE(parseSize(bad)) << bad;
  unsetenv("HEDDLE_CACHE_LIMIT");
  EXPECT_EQ(*cacheLimit(), kDefaultCacheLimit);
  setenv("HEDDLE_CACHE_LIMIT", "64M", 1);
  EXPECT_EQ(*cacheLimit(), int64_t(64) << 20);
  setenv("HEDDLE_CACHE_LIMIT", "much", 1);
  StatusOr<int64_t> bad = cacheLimit();
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.status().message().find("HEDDLE_CACHE_LIMIT: 'much' is no size"), std::string::npos)
      << bad.status().message();
  unsetenv("HEDDLE_CACHE_LIMIT");
}
