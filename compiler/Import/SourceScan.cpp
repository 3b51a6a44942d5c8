#include "compiler/Import/SourceScan.h"

#include "llvm/Support/JSON.h"

using namespace heddle::import;

std::optional<SourceIssue> heddle::import::scanSource(llvm::StringRef text) {
  size_t line = 1, lineStart = 0, quoted = 0; // `quoted`: characters of this line inside string literals.
  size_t depth = 0, signs = 0;
  bool inString = false, inComment = false;
  auto issue = [&](size_t at, std::string message) {
    return SourceIssue{line, at - lineStart + 1, std::move(message)};
  };
  // The first byte that is no UTF-8, else past the end.
  size_t broken = text.size();
  llvm::json::isUTF8(text, &broken);
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\0')
      return issue(i, "a zero byte: this is no text");
    if (i >= broken)
      return issue(i, "a byte that is no UTF-8: this is no text");
    if (c == '\n') {
      ++line;
      lineStart = i + 1;
      quoted = 0;
      inString = inComment = false; // A string literal ends on its line; the parser says so.
      continue;
    }
    if (i - lineStart - quoted >= kMaxLineLength)
      return issue(i, "the line is longer than " + std::to_string(kMaxLineLength) + " characters");
    if (inComment)
      continue;
    if (inString) {
      ++quoted;
      if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') {
        ++i;
        ++quoted;
      } else if (c == '"') {
        inString = false;
      }
      continue;
    }
    bool arrowHead = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '-') {
      if (++signs > kMaxNesting)
        return issue(i, "more than " + std::to_string(kMaxNesting) + " signs in a row");
      continue;
    }
    if (c != ' ' && c != '\t')
      signs = 0;
    if (c == '"') {
      inString = true;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      inComment = true;
    } else if (c == '{' || c == '[' || c == '(' || c == '<') {
      if (++depth > kMaxNesting)
        return issue(i, "nested deeper than " + std::to_string(kMaxNesting) + " levels");
    } else if ((c == '}' || c == ']' || c == ')' || c == '>') && !arrowHead && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}
