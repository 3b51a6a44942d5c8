//===- Fuzz.h - What the fuzzers share --------------------------*- C++ -*-===//
//
// Each fuzzer gives one reader bytes that no one vouches for, and holds it to its promise: an error value or
// a result that keeps the reader's own invariants; no crash, no undefined behaviour, no leak, no hang.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TEST_FUZZ_FUZZ_H
#define HEDDLE_TEST_FUZZ_FUZZ_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace heddle::fuzz {

/// Ends the program where a promise is broken; the fuzzer then keeps the input.
inline void require(bool holds, const char *promise, const std::string &found = "") {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %s%s%s\n", promise, found.empty() ? "" : ": ", found.c_str());
  std::abort();
}

/// An error must say something, in a length that a person reads, and blame the input.
inline void requireGoodError(const runtime::Status &status) {
  require(status.code() == runtime::StatusCode::InvalidInput, "an error of bad input is InvalidInput",
          status.message());
  require(!status.message().empty() && status.message().size() < 20'000, "a message has a readable length",
          std::to_string(status.message().size()));
}

/// A folder of this process for the inputs of readers that take a path.
class Folder {
public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-fuzz-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr, "a temporary folder can be made");
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  /// Writes a file and returns its path.
  std::string write(const std::string &name, const uint8_t *data, size_t size) const {
    std::string path = path_ + "/" + name;
    std::FILE *file = std::fopen(path.c_str(), "wb");
    require(file != nullptr && (size == 0 || std::fwrite(data, 1, size, file) == size) &&
                std::fclose(file) == 0,
            "an input can be written");
    return path;
  }

private:
  std::string path_;
};

} // namespace heddle::fuzz

#endif // HEDDLE_TEST_FUZZ_FUZZ_H
