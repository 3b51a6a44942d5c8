//===- main.cpp - The heddle program --------------------------------------===//
#include "tools/heddle/Commands.h"
#include "tools/heddle/Support/ExitCode.h"
#include "tools/heddle/Support/Help.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <new>

using namespace heddle::driver;

static int runProgram(int argc, char **argv) {
  CLI::App program(
      "Heddle compiles Transformers: a model description becomes fused kernels and a memory plan.", "heddle");
  program.require_subcommand(1);
  program.set_version_flag("--version", HEDDLE_VERSION);
  program.footer(
      "Exit codes: 0 success; 1 the model, a file or a value is at fault; 2 usage; 3 the machine lacks "
      "something; 70 a fault of Heddle itself.\n`heddle SUBCOMMAND --help` shows its flags and an example.");
  // Before the subcommands, which take it over.
  program.formatter_fn([](const CLI::App *app, std::string name, CLI::AppFormatMode mode) {
    return wrappedHelp(CLI::Formatter().make_help(app, std::move(name), mode));
  });
  const Subcommand subcommands[] = {addCompile(program), addRun(program),     addTrain(program),
                                    addBench(program),   addExplain(program), addCheck(program),
                                    addDevices(program), addCache(program)};
  program.failure_message([](const CLI::App *, const CLI::Error &error) {
    return std::string("error: ") + error.what() +
           "\n`heddle --help` and `heddle SUBCOMMAND --help` show what is wanted.\n";
  });
  // The parser would only say that a subcommand is required.
  bool known = argc < 2 || argv[1][0] == '-';
  for (const Subcommand &subcommand : subcommands)
    known = known || subcommand.parser->check_name(argv[1]);
  if (!known) {
    std::fprintf(stderr, "error: no subcommand '%s'; `heddle --help` lists them\n", argv[1]);
    return Usage;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // Help and version come as errors too, with code 0.
    return program.exit(error) == 0 ? Success : Usage;
  }
  for (const Subcommand &subcommand : subcommands)
    if (subcommand.parser->parsed())
      return report(subcommand.run());
  return Usage;
}

int main(int argc, char **argv) {
  // Libraries below may throw where memory ends; nothing else is expected to.
  endOnUncaughtMemoryFault();
  try {
    int code = runProgram(argc, argv);
    // What was printed may have met a full disk or a closed pipe.
    if ((std::fflush(stdout) != 0 || std::ferror(stdout)) && code == heddle::driver::Success)
      return report(
          heddle::runtime::unavailable("standard output takes no more: what was printed is incomplete"));
    return code;
  } catch (const std::bad_alloc &) {
    return report(heddle::runtime::outOfMemory(kMemoryEnded));
  } catch (const std::exception &error) {
    return report(heddle::runtime::internalError(error.what()));
  }
}
