//===- KernelCacheTest.cpp ------------------------------------------------===//
#include "runtime/nvrtc/KernelCache.h"

#include "test/unit/runtime/base/TemporaryFolder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle::runtime;
namespace fs = std::filesystem;

static const char *const kLog = "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
                                "ptxas info    : Used 9 registers\n";

static CompiledKernel someKernel(size_t bytes = 1000) {
  CompiledKernel kernel;
  for (size_t i = 0; i < bytes; ++i)
    kernel.cubin.push_back(uint8_t(i * 7));
  kernel.log = kLog;
  return kernel;
}

static std::string someKey() { return KernelCache::keyOf({"k", "source", "sm_80", {}}, {}, "13.0"); }

TEST(KernelCache, GivesBackWhatWasStored) {
  TemporaryFolder folder;
  KernelCache cache(folder.path + "/made/on/demand");
  EXPECT_FALSE(cache.load(someKey()));
  cache.store(someKey(), someKernel());
  std::optional<CompiledKernel> kernel = KernelCache(cache.folder()).load(someKey());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->cubin, someKernel().cubin);
  EXPECT_EQ(kernel->log, kLog);
  ASSERT_EQ(kernel->resources.size(), 1u);
  EXPECT_EQ(kernel->resources[0].registers, 9);
  EXPECT_EQ(cache.note(), "");
}

// Everything that the bits depend on is in the key, and neighbouring fields do not run together.
TEST(KernelCache, KeyDependsOnEveryInput) {
  CompileRequest base{"k", "source", "sm_80", {"-DA"}};
  std::vector<SourceHeader> headers{{"a.cuh", "text"}};
  std::vector<std::string> keys{KernelCache::keyOf(base, headers, "13.0")};
  auto add = [&](CompileRequest request, std::vector<SourceHeader> with, const char *version) {
    keys.push_back(KernelCache::keyOf(request, with, version));
  };
  add({"k2", "source", "sm_80", {"-DA"}}, headers, "13.0");
  add({"k", "source2", "sm_80", {"-DA"}}, headers, "13.0");
  add({"ksource", "", "sm_80", {"-DA"}}, headers, "13.0");
  add({"k", "source", "sm_90a", {"-DA"}}, headers, "13.0");
  add({"k", "source", "sm_80", {}}, headers, "13.0");
  add({"k", "source", "sm_80", {"-DA", "a.cuh", "text"}}, {}, "13.0");
  add(base, {{"b.cuh", "text"}}, "13.0");
  add(base, {{"a.cuh", "text2"}}, "13.0");
  add(base, {}, "13.0");
  add(base, headers, "13.1");
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(keys[i], keys[j]) << i << " and " << j;
  EXPECT_EQ(keys[0], KernelCache::keyOf(base, headers, "13.0"));
}

// Any byte changed, and any length cut, is noticed; storing again repairs it.
TEST(KernelCache, DamagedEntriesAreMisses) {
  TemporaryFolder folder;
  KernelCache cache(folder.path);
  cache.store(someKey(), someKernel(40));
  std::string file = cache.fileOf(someKey());
  std::string good;
  {
    std::ifstream in(file, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(good.size(), 100u);
  auto loadsAs = [&](const std::string &bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    KernelCache fresh(folder.path);
    bool hit = fresh.load(someKey()).has_value();
    EXPECT_EQ(hit, fresh.note().empty());
    return hit;
  };
  EXPECT_TRUE(loadsAs(good));
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 0x40;
    EXPECT_FALSE(loadsAs(bad)) << "byte " << i;
  }
  for (size_t length = 0; length < good.size(); length += 13)
    EXPECT_FALSE(loadsAs(good.substr(0, length))) << "length " << length;
  EXPECT_FALSE(loadsAs(good + "x"));
  cache.store(someKey(), someKernel(40));
  EXPECT_TRUE(KernelCache(folder.path).load(someKey()));
}

// An entry under another's name is not taken for it.
TEST(KernelCache, RenamedEntryIsAMiss) {
  TemporaryFolder folder;
  KernelCache cache(folder.path);
  cache.store(someKey(), someKernel());
  std::string other = KernelCache::keyOf({"other", "source", "sm_80", {}}, {}, "13.0");
  fs::rename(cache.fileOf(someKey()), cache.fileOf(other));
  EXPECT_FALSE(cache.load(other));
}

// A file where the folder should be cannot be written into, by anybody (root too).
TEST(KernelCache, UnwritableFolderCostsOneNote) {
  TemporaryFolder folder;
  std::ofstream(folder.path + "/file") << "in the way";
  KernelCache cache(folder.path + "/file");
  cache.store(someKey(), someKernel());
  EXPECT_NE(cache.note().find(folder.path + "/file"), std::string::npos) << cache.note();
  std::string first = cache.note();
  cache.store(KernelCache::keyOf({"k2", "source", "sm_80", {}}, {}, "13.0"), someKernel());
  EXPECT_EQ(cache.note(), first);
  EXPECT_FALSE(cache.load(someKey()));
}

TEST(KernelCache, NoFolderMeansNoCache) {
  KernelCache cache("");
  cache.store(someKey(), someKernel());
  EXPECT_FALSE(cache.load(someKey()));
  EXPECT_EQ(cache.note(), "");
}

// Writers and readers of one entry in several processes: every read sees a whole entry or none.
TEST(KernelCache, ProcessesMayRace) {
  TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      KernelCache cache(folder.path);
      bool good = true;
      for (int turn = 0; turn < 20; ++turn) {
        if (std::optional<CompiledKernel> kernel = cache.load(someKey()))
          good &= kernel->cubin == someKernel(50000).cubin;
        cache.store(someKey(), someKernel(50000));
      }
      _exit(good && cache.note().empty() && cache.load(someKey()) ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  // Nothing but the entry is left.
  size_t files = 0;
  for (const auto &entry : fs::recursive_directory_iterator(folder.path))
    files += entry.is_regular_file();
  EXPECT_EQ(files, 1u);
}
