//===- TemporaryFolder.h - A folder that goes with its test -----*- C++ -*-===//
#ifndef HEDDLE_TEST_UNIT_RUNTIME_BASE_TEMPORARYFOLDER_H
#define HEDDLE_TEST_UNIT_RUNTIME_BASE_TEMPORARYFOLDER_H

#include <filesystem>
#include <stdlib.h>
#include <string>

namespace heddle::runtime {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "heddle-test-XXXXXX").string();
    path = mkdtemp(name.data()) ? name : "";
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string path;
};

} // namespace heddle::runtime

#endif // HEDDLE_TEST_UNIT_RUNTIME_BASE_TEMPORARYFOLDER_H
