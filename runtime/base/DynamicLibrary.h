//===- DynamicLibrary.h - Libraries loaded while running --------*- C++ -*-===//
//
// The driver, NVRTC, cuBLASLt and CUPTI are looked for while running, so that one binary works on machines
// with and without a GPU. What was looked for, and where, is part of every error.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_BASE_DYNAMICLIBRARY_H
#define HEDDLE_RUNTIME_BASE_DYNAMICLIBRARY_H

#include "runtime/base/Status.h"

#include <string>
#include <vector>

namespace heddle::runtime {

/// A loaded shared library. It stays loaded until the process ends: the libraries that this is for do not
/// survive being unloaded while their threads run.
class DynamicLibrary {
public:
  /// Loads the first of `names` that is there: by name alone, as the loader finds it, then in `folders` in
  /// order. Unavailable lists what was tried.
  static StatusOr<DynamicLibrary> open(const std::vector<std::string> &names,
                                       const std::vector<std::string> &folders);

  /// Sets `function` to the symbol `name`. Unavailable names the library's path and the symbol.
  template <typename Function>
  Status bind(const char *name, Function *&function) const {
    function = reinterpret_cast<Function *>(find(name));
    if (!function)
      return unavailable(path_ + " has no symbol " + name + ": its version is too old");
    return Status::ok();
  }

  /// The address of a symbol, or null.
  void *find(const char *name) const;

  /// The file that was loaded.
  const std::string &path() const { return path_; }

private:
  void *handle_ = nullptr;
  std::string path_;
};

/// Where NVIDIA's libraries are looked for after the loader's own path: the folders in $HEDDLE_CUDA_LIB_DIR
/// (separated by colons), $CUDA_HOME's, then the toolkit's usual place.
std::vector<std::string> cudaLibraryFolders();

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_DYNAMICLIBRARY_H
