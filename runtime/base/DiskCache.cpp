//===- DiskCache.cpp - Results that are kept between processes ------------===//
//
// An entry is: the line "heddle-cache-1", the key, the title's length as a little-endian 64-bit number, the
// title, the payload, and the hash of all that in hex.
//
//===----------------------------------------------------------------------===//
#include "runtime/base/DiskCache.h"

#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/base/LittleEndian.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace heddle::runtime {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "heddle-cache-1\n";
constexpr size_t kHashLength = 32;
constexpr size_t kHeaderLength = kMagic.size() + kHashLength + 8;
/// A title is for a line of a table.
constexpr size_t kLongestTitle = 400;
/// A temporary file this old belongs to a process that is gone.
constexpr int64_t kStaleNanoseconds = int64_t(3600) * 1'000'000'000;
constexpr const CacheKind *kKinds[] = {&kKernelEntries, &kProductEntries};

std::string checksumOf(std::string_view text) {
  return hash128({reinterpret_cast<const uint8_t *>(text.data()), text.size()}).hex();
}

bool isKey(std::string_view name) {
  return name.size() == kHashLength && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// AtomicFile's temporary name for an entry.
bool isTemporary(std::string_view name) {
  return name.size() > kHashLength && isKey(name.substr(0, kHashLength)) &&
         name.substr(kHashLength).starts_with(".part-");
}

int64_t modified(const struct stat &info) {
  return int64_t(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// The title in an entry's first bytes, or nothing.
std::string readTitle(const std::string &file) {
  std::string head(kHeaderLength + kLongestTitle, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), std::streamsize(head.size()));
  head.resize(size_t(in.gcount()));
  if (head.size() < kHeaderLength || !head.starts_with(kMagic))
    return "";
  uint64_t length = little64At(head, kMagic.size() + kHashLength);
  return length <= head.size() - kHeaderLength ? head.substr(kHeaderLength, length) : "";
}

/// Calls `visit(kind, name, path, info)` for every regular file in the kinds' folders.
template <typename Visit>
void forEachFile(const std::string &folder, Visit visit) {
  if (folder.empty())
    return;
  for (const CacheKind *kind : kKinds) {
    std::error_code error;
    fs::directory_iterator next(folder + "/" + kind->folder, error), end;
    for (; !error && next != end; next.increment(error)) {
      std::string path = next->path().string();
      struct stat info;
      // Another process may have removed it since.
      if (lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode))
        visit(*kind, next->path().filename().string(), path, info);
    }
  }
}

} // namespace

std::string DiskCache::defaultFolder() {
  auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string folder = variable("HEDDLE_CACHE_DIR"); !folder.empty())
    return folder;
  if (std::string folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/heddle";
  if (std::string folder = variable("HOME"); !folder.empty())
    return folder + "/.cache/heddle";
  return "";
}

std::optional<std::string> DiskCache::load(const std::string &key) {
  if (folder_.empty())
    return std::nullopt;
  std::string file = fileOf(key);
  auto damaged = [&](const std::string &reason) {
    remarkDamage(key, reason);
    return std::nullopt;
  };
  StatusOr<std::vector<uint8_t>> read = readFile(file);
  // An entry that is not there is a miss, also where another process removes and writes it meanwhile.
  struct stat info;
  for (int attempt = 0; !read && attempt < 3; ++attempt) {
    if (lstat(file.c_str(), &info) != 0)
      return std::nullopt;
    read = readFile(file);
  }
  if (!read)
    return damaged("unreadable (" + read.status().message() + ")");
  std::string_view bytes(reinterpret_cast<const char *>(read->data()), read->size());
  if (bytes.size() < kHeaderLength + kHashLength)
    return damaged("cut short");
  std::string_view content = bytes.substr(0, bytes.size() - kHashLength);
  if (!content.starts_with(kMagic) || content.substr(kMagic.size(), kHashLength) != key ||
      checksumOf(content) != bytes.substr(content.size()))
    return damaged("damaged");
  uint64_t titleLength = little64At(content, kMagic.size() + kHashLength);
  if (titleLength > content.size() - kHeaderLength)
    return damaged("damaged");
  // In a folder that is only read, entries keep the age of their writing.
  (void)utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return std::string(content.substr(kHeaderLength + titleLength));
}

void DiskCache::store(const std::string &key, std::string_view payload, std::string_view title) {
  if (folder_.empty())
    return;
  title = title.substr(0, kLongestTitle);
  std::string bytes(kMagic);
  bytes += key;
  appendLittle64(bytes, title.size());
  bytes += title;
  bytes += payload;
  bytes += checksumOf(bytes);
  // Where the folder cannot be made, writing says why.
  std::error_code error;
  fs::create_directories(fs::path(fileOf(key)).parent_path(), error);
  Status written = writeFile(fileOf(key), bytes);
  if (!written)
    return remark(std::string(kind_.title) + ": " + written.message() + "; " + kind_.lost);
  std::lock_guard<std::mutex> lock(mutex_);
  stored_ = true;
}

void DiskCache::trim() {
  StatusOr<int64_t> limit = cacheLimit();
  if (!limit)
    remark(limit.status().message());
  trim(limit ? *limit : kDefaultCacheLimit);
}

void DiskCache::trim(int64_t limit) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!std::exchange(stored_, false))
      return;
  }
  CacheRemoval removal = trimCache(folder_, limit);
  if (!removal.problem.empty())
    remark(std::string(kind_.title) + ": " + removal.problem);
}

void DiskCache::remark(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex_);
  // One remark says it; a thousand entries in an unwritable folder do not need a thousand.
  if (note_.empty())
    note_ = text;
}

void DiskCache::remarkDamage(const std::string &key, const std::string &what) {
  remark(std::string(kind_.title) + ": " + fileOf(key) + " is " + what + "; " + kind_.damaged);
}

std::string DiskCache::note() {
  std::lock_guard<std::mutex> lock(mutex_);
  return note_;
}

std::vector<CacheEntry> listCache(const std::string &folder) {
  std::vector<CacheEntry> entries;
  forEachFile(folder, [&](const CacheKind &kind, const std::string &name, const std::string &path,
                          const struct stat &info) {
    if (isKey(name))
      entries.push_back({kind.folder, name, readTitle(path), int64_t(info.st_size), modified(info)});
  });
  std::sort(entries.begin(), entries.end(), [](const CacheEntry &a, const CacheEntry &b) {
    return a.lastUse != b.lastUse ? a.lastUse > b.lastUse : a.key < b.key;
  });
  return entries;
}

CacheRemoval trimCache(const std::string &folder, int64_t limit) {
  struct File {
    int64_t lastUse, bytes;
    std::string path;
  };
  std::vector<File> files;
  std::vector<std::string> stale;
  int64_t total = 0, time = now();
  forEachFile(folder, [&](const CacheKind &, const std::string &name, const std::string &path,
                          const struct stat &info) {
    if (isKey(name)) {
      files.push_back({modified(info), int64_t(info.st_size), path});
      total += info.st_size;
    } else if (isTemporary(name) && time - modified(info) > kStaleNanoseconds) {
      stale.push_back(path);
    }
  });
  for (const std::string &path : stale)
    (void)::unlink(path.c_str()); // Another process may have done it already.
  std::sort(files.begin(), files.end(), [](const File &a, const File &b) {
    return a.lastUse != b.lastUse ? a.lastUse < b.lastUse : a.path < b.path;
  });
  CacheRemoval removal;
  for (const File &file : files) {
    if (total <= limit) {
      ++removal.kept;
      continue;
    }
    if (::unlink(file.path.c_str()) != 0 && errno != ENOENT) {
      if (removal.problem.empty())
        removal.problem = "cannot remove " + file.path + ": " + std::strerror(errno);
      ++removal.kept;
      continue;
    }
    total -= file.bytes;
    removal.bytes += file.bytes;
    ++removal.entries;
  }
  removal.keptBytes = total;
  return removal;
}

StatusOr<int64_t> parseSize(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest = text.substr(size_t(end - text.data()));
  size_t unit = rest.size() == 1 ? kUnits.find(rest[0]) : std::string_view::npos;
  int64_t factor = unit == std::string_view::npos ? 1 : int64_t(1) << (10 * (unit + 1));
  if (error != std::errc() || value < 0 || (!rest.empty() && unit == std::string_view::npos) ||
      __builtin_mul_overflow(value, factor, &value))
    return invalidInput("'" + std::string(text) +
                        "' is no size; wanted a whole number of bytes, or one with K, M, G or T behind it");
  return value;
}

StatusOr<int64_t> cacheLimit() {
  const char *value = std::getenv("HEDDLE_CACHE_LIMIT");
  if (!value || !*value)
    return kDefaultCacheLimit;
  StatusOr<int64_t> size = parseSize(value);
  if (!size)
    return std::move(size).status().with("HEDDLE_CACHE_LIMIT");
  return size;
}

} // namespace heddle::runtime
