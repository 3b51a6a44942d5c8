//===- DynamicLibrary.cpp - Libraries loaded while running ----------------===//
#include "runtime/base/DynamicLibrary.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

using namespace heddle::runtime;

StatusOr<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string> &names,
                                              const std::vector<std::string> &folders) {
  std::string tried;
  auto attempt = [&](const std::string &file) -> void * {
    void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    // A file that is there and does not load says why (a missing dependency); a file that is not there needs
    // no more than its name.
    if (!handle) {
      const char *reason = dlerror();
      bool there = file.find('/') != std::string::npos && access(file.c_str(), F_OK) == 0;
      tried += (tried.empty() ? "" : ", ") + file + (there && reason ? " (" + std::string(reason) + ")" : "");
    }
    return handle;
  };

  void *handle = nullptr;
  for (const std::string &name : names)
    if (!handle)
      handle = attempt(name);
  for (const std::string &folder : folders)
    for (const std::string &name : names)
      if (!handle)
        handle = attempt(std::string(folder).append("/").append(name));
  if (!handle)
    return unavailable("no " + names.front() + "; tried " + tried);

  DynamicLibrary library;
  library.handle_ = handle;
  library.path_ = names.front();
  if (link_map *map = nullptr; dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0])
    library.path_ = map->l_name;
  return library;
}

void *DynamicLibrary::find(const char *name) const { return dlsym(handle_, name); }

std::vector<std::string> heddle::runtime::cudaLibraryFolders() {
  std::vector<std::string> folders;
  if (const char *given = std::getenv("HEDDLE_CUDA_LIB_DIR")) {
    std::string list = given;
    for (size_t begin = 0; begin <= list.size();) {
      size_t end = std::min(list.find(':', begin), list.size());
      if (end > begin)
        folders.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    folders.push_back(std::string(home) + "/lib64");
  for (const char *folder :
       {"/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/local/cuda/extras/CUPTI/lib64"})
    folders.push_back(folder);
  return folders;
}
