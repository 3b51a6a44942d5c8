// A file with given bytes in the test's temporary folder, removed afterwards.
#ifndef HEDDLE_TEST_UNIT_RUNTIME_TOOLING_TEMPFILE_H
#define HEDDLE_TEST_UNIT_RUNTIME_TOOLING_TEMPFILE_H

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace heddle::test {

class TempFile {
public:
  explicit TempFile(const std::string &bytes = "", const std::string &ending = "") {
    static int counter = 0;
    path_ = testing::TempDir() + "heddle-tooling-" + std::to_string(getpid()) + "-" +
            std::to_string(counter++) + ending;
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TempFile() { std::remove(path_.c_str()); }
  const std::string &path() const { return path_; }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

private:
  std::string path_;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_RUNTIME_TOOLING_TEMPFILE_H
