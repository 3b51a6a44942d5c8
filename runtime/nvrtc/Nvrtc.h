//===- Nvrtc.h - CUDA C++ to cubins -----------------------------*- C++ -*-===//
//
// NVRTC compiles without a GPU and without a toolkit. It is loaded at the first compilation.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_RUNTIME_NVRTC_NVRTC_H
#define HEDDLE_RUNTIME_NVRTC_NVRTC_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::runtime {

/// A header that sources may include by `name` ("heddle/row.cuh"), from memory.
struct SourceHeader {
  std::string name, text;
};

/// One translation unit. `options` are added to those that every compilation has (architecture, C++17, the
/// assembler's report); fast math is off unless they ask for it.
struct CompileRequest {
  std::string name;   ///< What messages call it; usually the kernel's.
  std::string source; ///< CUDA C++ with extern "C" entry points.
  std::string arch;   ///< "sm_80", "sm_90a".
  std::vector<std::string> options;
};

/// What the assembler says of one entry point: -1 where its report lacks the figure.
struct KernelResources {
  std::string entry;
  int32_t registers = -1;       ///< A thread.
  int32_t stackBytes = -1;      ///< A thread.
  int32_t spillStoreBytes = -1; ///< A thread.
  int32_t spillLoadBytes = -1;  ///< A thread.
  int32_t sharedBytes = 0;      ///< Static shared memory of a block.
};

struct CompiledKernel {
  std::vector<uint8_t> cubin;
  std::string log;                        ///< Warnings and the assembler's report.
  std::vector<KernelResources> resources; ///< By entry point, in the log's order.
};

/// Reads the assembler's `-v` report.
std::vector<KernelResources> parseAssemblerLog(std::string_view log);

/// Called after each kernel with the number done and the number of all; never by two threads at once.
using CompileProgress = std::function<void(int32_t done, int32_t total)>;

class Nvrtc {
public:
  /// The library, loaded at the first call. Unavailable lists where it was looked for.
  static StatusOr<const Nvrtc *> get();

  virtual ~Nvrtc() = default;
  virtual std::string path() const = 0;
  /// "13.0".
  virtual std::string version() const = 0;

  /// Compiles one source. InvalidInput carries the compiler's log under the source's name.
  virtual StatusOr<CompiledKernel> compile(const CompileRequest &request,
                                           const std::vector<SourceHeader> &headers) const = 0;

  /// The PTX of one source, for people to read. Errors as of `compile`.
  virtual StatusOr<std::string> ptx(const CompileRequest &request,
                                    const std::vector<SourceHeader> &headers) const = 0;
};

/// Every option that `request` is compiled with, in order; part of the cache's key.
std::vector<std::string> compilerOptions(const CompileRequest &request);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_NVRTC_NVRTC_H
