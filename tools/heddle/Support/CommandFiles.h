//===- CommandFiles.h - The files that a command line names -----*- C++ -*-===//
//
// A flag that names a file or a folder says so by `namesFile`. Before a subcommand does anything,
// `checkFiles` looks at all of them together: what one flag writes must not be what another reads or writes.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_COMMANDFILES_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_COMMANDFILES_H

#include "runtime/base/Status.h"

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace heddle::driver {

/// What a command does with a file.
enum class FileUse : int {
  Read,    ///< A file, or a folder with files of a model. What is not there (a preset's name) is no file.
  Input,   ///< Read, as [NAME=]FILE.
  Resume,  ///< Read, before what is replaced takes its place.
  Write,   ///< A file; a device or a pipe loses nothing by being written.
  Replace, ///< A folder, with all that is in it.
  Into,    ///< A folder that the IR of each phase is written into.
};

/// Every flag and positional that names a file or a folder goes through here; refuses an empty name. Returns
/// `option`.
CLI::Option *namesFile(CLI::Option *option, FileUse use);

/// InvalidInput where a file that is written, or is in a folder that is replaced, is read or written by
/// another flag, too; names both flags and the file. Files that are there are the same by device and inode,
/// others by their absolute path, links resolved. Also where what is read is neither a file nor a folder.
runtime::Status checkFiles(CLI::App &parser);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_COMMANDFILES_H
