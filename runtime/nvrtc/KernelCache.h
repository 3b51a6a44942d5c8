//===- KernelCache.h - Compiled kernels on disk -----------------*- C++ -*-===//
//
// An entry is found by the hash of everything that its bits depend on, and so is never stale. Any number of
// processes may use one folder: an entry is written to a temporary name and renamed, and a damaged one is
// built again. The cache never makes a compilation fail; where it cannot be written it costs time, and says
// so once.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H
#define HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H

#include "runtime/nvrtc/Nvrtc.h"

#include <mutex>
#include <optional>
#include <string>

namespace heddle::runtime {

class KernelCache {
public:
  /// An empty folder name means no cache at all: every load misses and stores do nothing.
  explicit KernelCache(std::string folder) : folder_(std::move(folder)) {}

  /// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; empty where none of the three is
  /// set.
  static std::string defaultFolder();

  /// The key of a compilation: a 128-bit hash, in hex, over source, name, headers, options, architecture and
  /// NVRTC's version.
  static std::string keyOf(const CompileRequest &request, const std::vector<SourceHeader> &headers,
                           const std::string &nvrtcVersion);

  /// The entry of `key`, or nothing where there is none or where it is damaged.
  std::optional<CompiledKernel> load(const std::string &key);
  void store(const std::string &key, const CompiledKernel &kernel);

  const std::string &folder() const { return folder_; }
  std::string fileOf(const std::string &key) const { return folder_ + "/kernels/" + key; }
  /// What the user should know: an unwritable folder, damaged entries. Empty when all is well.
  std::string note();

private:
  void remark(const std::string &text);

  std::string folder_;
  std::mutex mutex_;
  std::string note_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H
