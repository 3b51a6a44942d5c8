//===- Help.cpp - How help texts are laid out -----------------------------===//
#include "tools/heddle/Support/Help.h"

#include <sstream>

namespace heddle::driver {

std::string wrappedHelp(const std::string &help) {
  std::istringstream lines(help);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    size_t indent = line.starts_with("  ") ? kHelpIndent : 0;
    bool example = line.starts_with("  heddle ");
    while (line.size() > kHelpWidth && !example) {
      size_t space = line.rfind(' ', kHelpWidth);
      // Not in what was only moved in, nor in a name that has no description beside it.
      if (space == std::string::npos || space <= indent)
        space = line.find(' ', kHelpWidth);
      if (space == std::string::npos)
        break;
      out += line.substr(0, line.find_last_not_of(' ', space) + 1) + '\n';
      line = std::string(indent, ' ') + line.substr(line.find_first_not_of(' ', space));
    }
    out += line + '\n';
  }
  return out;
}

} // namespace heddle::driver
