//===- DiskCache.h - Results that are kept between processes ----*- C++ -*-===//
//
// One folder holds several kinds of entries (compiled kernels, timed products), each in a folder of its own
// below it. An entry is found by the hash of everything that it depends on, and so is never stale. Any number
// of processes may use one folder: an entry is written to a temporary name and renamed, so that a reader sees
// a whole one or none, and one that is removed while it is read stays whole for that reader. The cache never
// makes work fail; where it cannot be written it costs time, and says so once.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_DISKCACHE_H
#define HEDDLE_RUNTIME_BASE_DISKCACHE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::runtime {

/// What entries of one kind are called, and what their loss means, for notes.
struct CacheKind {
  const char *folder;  ///< "kernels".
  const char *title;   ///< "kernel cache".
  const char *damaged; ///< "the kernel is compiled again".
  const char *lost;    ///< "kernels are compiled again in every process".
};

/// Compiled kernels (runtime/nvrtc/KernelCache.h).
inline constexpr CacheKind kKernelEntries{"kernels", "kernel cache", "the kernel is compiled again",
                                          "kernels are compiled again in every process"};
/// Algorithms of products (runtime/product/PlanTuning.h).
inline constexpr CacheKind kProductEntries{"products", "product cache", "the product is timed again",
                                           "products are timed again in every process"};

class DiskCache {
public:
  /// An empty folder name means no cache at all: every load misses and stores do nothing.
  DiskCache(std::string folder, const CacheKind &kind) : folder_(std::move(folder)), kind_(kind) {}

  /// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; empty where none of the three is
  /// set.
  static std::string defaultFolder();

  /// The entry of `key` (32 hexadecimal digits), or nothing where there is none or where it is damaged. A hit
  /// counts as a use: entries that were not used for longest are the first to go.
  std::optional<std::string> load(const std::string &key);
  /// `title` is what people see of the entry: one line, such as a kernel's name.
  void store(const std::string &key, std::string_view payload, std::string_view title);
  /// Brings the whole folder, all kinds, back under `limit` bytes if something was stored since.
  void trim(int64_t limit);
  /// The same with cacheLimit(), or the default and a remark where that is no size.
  void trim();

  const std::string &folder() const { return folder_; }
  std::string fileOf(const std::string &key) const { return folder_ + "/" + kind_.folder + "/" + key; }
  /// What the user should know: an unwritable folder, damaged entries. Empty when all is well.
  std::string note();
  /// Keeps `text` as the note, unless there is one already. May be called from any thread.
  void remark(const std::string &text);
  /// Remarks that the entry of `key` is `what` ("cut short") and what that costs. For payloads, too, of which
  /// only the caller can tell.
  void remarkDamage(const std::string &key, const std::string &what);

private:
  std::string folder_;
  CacheKind kind_;
  std::mutex mutex_;
  std::string note_;
  bool stored_ = false;
};

/// One entry as people see it.
struct CacheEntry {
  std::string kind;  ///< CacheKind::folder.
  std::string key;   ///< Its file's name.
  std::string title; ///< Empty where the entry is damaged.
  int64_t bytes = 0;
  int64_t lastUse = 0; ///< Nanoseconds since 1970.
};

/// All entries of a cache folder, the one used last first; files of other names are not looked at. Empty for
/// a folder that is not there.
std::vector<CacheEntry> listCache(const std::string &folder);

struct CacheRemoval {
  int64_t entries = 0, bytes = 0;
  int64_t kept = 0, keptBytes = 0;
  std::string problem; ///< Why an entry could not be removed; empty when all went.
};

/// Removes the entries used longest ago until the rest fits into `limit` bytes (0: all of them), and
/// temporary files that a killed process left an hour ago or more. What other processes remove at the same
/// time is no error.
CacheRemoval trimCache(const std::string &folder, int64_t limit);

/// What a cache folder may grow to unless $HEDDLE_CACHE_LIMIT says otherwise.
inline constexpr int64_t kDefaultCacheLimit = int64_t(2) << 30;

/// $HEDDLE_CACHE_LIMIT, or the default where it is not set. InvalidInput where it is no size.
StatusOr<int64_t> cacheLimit();

/// "500M" as bytes: a whole number, and K, M, G or T for powers of 1024. InvalidInput for anything else.
StatusOr<int64_t> parseSize(std::string_view text);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_DISKCACHE_H
