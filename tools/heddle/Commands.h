//===- Commands.h - The subcommands of heddle -------------------*- C++ -*-===//
//
// Each function adds a subcommand to the program's parser; one file each.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_COMMANDS_H
#define HEDDLE_TOOLS_HEDDLE_COMMANDS_H

#include "tools/heddle/Support/Flags.h"

namespace heddle::driver {

Subcommand addCompile(CLI::App &program);
Subcommand addRun(CLI::App &program);
Subcommand addTrain(CLI::App &program);
Subcommand addBench(CLI::App &program);
Subcommand addExplain(CLI::App &program);
Subcommand addCheck(CLI::App &program);
Subcommand addDevices(CLI::App &program);
Subcommand addCache(CLI::App &program);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_COMMANDS_H
