//===- Help.h - How help texts are laid out ---------------------*- C++ -*-===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_HELP_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_HELP_H

#include <cstddef>
#include <string>

namespace heddle::driver {

/// Columns of the help, and of those the ones in front of a flag's description (the parser's default).
inline constexpr size_t kHelpWidth = 100, kHelpIndent = 30;

/// Breaks the lines of a help text that are longer than kHelpWidth at spaces. What follows goes below the
/// description where the line is of a flag or a subcommand (it begins with two spaces), else to the line's
/// begin. A word that is longer stays whole, and so does an example, which is for copying.
std::string wrappedHelp(const std::string &help);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_HELP_H
