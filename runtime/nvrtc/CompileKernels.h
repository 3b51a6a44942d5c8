//===- CompileKernels.h - All kernels of a plan -----------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_NVRTC_COMPILEKERNELS_H
#define HEDDLE_RUNTIME_NVRTC_COMPILEKERNELS_H

#include "runtime/nvrtc/Nvrtc.h"
#include "runtime/plan/Plan.h"

#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

struct CompileOptions {
  std::vector<SourceHeader> headers; ///< For the sources' #include lines.
  std::vector<std::string> options;  ///< Added to every kernel's.
  std::string arch;                  ///< Compiles a plan's kernels for this instead of their own target.
  std::string cacheFolder;           ///< Empty: DiskCache::defaultFolder().
  bool useCache = true;
  int32_t threads = 0; ///< 0: one a core.
};

struct CompileStats {
  int32_t hits = 0;   ///< Taken from the cache.
  int32_t misses = 0; ///< Compiled now.
  double ms = 0;      ///< Wall time.
  std::string folder; ///< Of the cache; empty where there is none.
  std::string note;   ///< What the cache has to say (DiskCache::note).
};

/// Compiles `requests` on all cores, or takes them from the cache; results in the requests' order. Equal
/// requests are compiled once. On an error nothing is returned, and the error is the one of the first request
/// that failed.
StatusOr<std::vector<CompiledKernel>> compileKernels(std::span<const CompileRequest> requests,
                                                     const CompileOptions &options = {},
                                                     const CompileProgress &progress = nullptr,
                                                     CompileStats *stats = nullptr);

/// Fills Kernel::binary of every CUDA kernel that has none, for its target or for options.arch (which then
/// becomes its target). InvalidInput where a kernel has neither binary nor source, or where its source does
/// not compile; then the plan is unchanged.
Status compileKernels(Plan &plan, const CompileOptions &options = {},
                      const CompileProgress &progress = nullptr, CompileStats *stats = nullptr);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_NVRTC_COMPILEKERNELS_H
