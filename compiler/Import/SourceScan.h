//===- SourceScan.h - Limits on text before it is parsed --------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_SOURCESCAN_H
#define HEDDLE_COMPILER_IMPORT_SOURCESCAN_H

#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::import {

/// MLIR's parser recurses on brackets and on signs, and looks a location up by scanning its line: unlimited
/// nesting overflows the stack, a line of megabytes takes hours. No graph comes near these limits.
constexpr size_t kMaxNesting = 64;
constexpr size_t kMaxLineLength = 256 * 1024; ///< Characters outside of string literals.

struct SourceIssue {
  size_t line = 0, column = 0; ///< From 1.
  std::string message;
};

/// The first place of MLIR text that goes beyond a limit or that is no text.
std::optional<SourceIssue> scanSource(llvm::StringRef text);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_SOURCESCAN_H
