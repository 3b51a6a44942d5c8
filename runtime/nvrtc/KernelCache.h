//===- KernelCache.h - Compiled kernels on disk -----------------*- C++ -*-===//
//
// Entries of a DiskCache: what NVRTC made of one source. Like all of the cache it never makes a compilation
// fail.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H
#define HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H

#include "runtime/base/DiskCache.h"
#include "runtime/nvrtc/Nvrtc.h"

#include <optional>
#include <string>

namespace heddle::runtime {

class KernelCache {
public:
  /// An empty folder name means no cache at all: every load misses and stores do nothing.
  explicit KernelCache(std::string folder) : disk_(std::move(folder), kKernelEntries) {}

  /// The key of a compilation: a 128-bit hash, in hex, over source, name, headers, options, architecture and
  /// NVRTC's version.
  static std::string keyOf(const CompileRequest &request, const std::vector<SourceHeader> &headers,
                           const std::string &nvrtcVersion);

  /// The entry of `key`, or nothing where there is none or where it is damaged.
  std::optional<CompiledKernel> load(const std::string &key);
  /// `title` is what `heddle cache list` shows: the kernel's name and architecture.
  void store(const std::string &key, const CompiledKernel &kernel, const std::string &title = "");
  /// Brings the cache back under its limit if something was stored.
  void trim() { disk_.trim(); }

  const std::string &folder() const { return disk_.folder(); }
  std::string fileOf(const std::string &key) const { return disk_.fileOf(key); }
  /// What the user should know: an unwritable folder, damaged entries. Empty when all is well.
  std::string note() { return disk_.note(); }

private:
  DiskCache disk_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_NVRTC_KERNELCACHE_H
