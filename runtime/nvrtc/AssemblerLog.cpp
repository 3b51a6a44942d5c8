//===- AssemblerLog.cpp - Registers, stack and spills of kernels ----------===//
//
// The report, as of CUDA 12 and 13, has three lines an entry point:
//   ptxas info    : Compiling entry function 'k' for 'sm_90a'
//   ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 14 registers, used 1 barriers, 256 bytes smem
// Device functions that were not inlined have a stack line of their own, under "Function properties for".
//
//===----------------------------------------------------------------------===//
#include "runtime/nvrtc/Nvrtc.h"

#include <algorithm>
#include <charconv>

using namespace heddle::runtime;

/// The number that stands right before `unit` in `line`, or -1.
static int32_t numberBefore(std::string_view line, std::string_view unit) {
  size_t at = line.find(unit);
  if (at == std::string_view::npos)
    return -1;
  size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  int32_t value = -1;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

/// The text between `prefix` and `end` in `line`; false where the line lacks the prefix.
static bool textAfter(std::string_view line, std::string_view prefix, char end, std::string_view &text) {
  size_t at = line.find(prefix);
  if (at == std::string_view::npos)
    return false;
  text = line.substr(at + prefix.size());
  text = text.substr(0, text.find(end));
  return true;
}

std::vector<KernelResources> heddle::runtime::parseAssemblerLog(std::string_view log) {
  std::vector<KernelResources> kernels;
  // Which function the next stack line is about; only the entry's own counts.
  std::string_view function, text;
  while (!log.empty()) {
    size_t length = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, length);
    log.remove_prefix(std::min(length + 1, log.size()));
    if (textAfter(line, "Compiling entry function '", '\'', text)) {
      kernels.emplace_back().entry = text;
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (textAfter(line, "Function properties for ", ' ', text)) {
      function = text;
    } else if (line.find(" bytes stack frame") != std::string_view::npos) {
      if (function == kernel.entry) {
        kernel.stackBytes = numberBefore(line, " bytes stack frame");
        kernel.spillStoreBytes = numberBefore(line, " bytes spill stores");
        kernel.spillLoadBytes = numberBefore(line, " bytes spill loads");
      }
    } else if (line.find("Used ") != std::string_view::npos) {
      kernel.registers = numberBefore(line, " registers");
      kernel.sharedBytes = std::max(0, numberBefore(line, " bytes smem"));
    }
  }
  return kernels;
}
