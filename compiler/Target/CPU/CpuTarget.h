//===- CpuTarget.h - What the CPU lowering knows of a processor -*- C++ -*-===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
#define HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace heddle::cpu {

/// A level of the x86-64 psABI. Everything that differs between levels is a number here; no lowering asks for
/// a name.
struct CpuTarget {
  llvm::StringRef name; ///< "x86-64-v3" or "x86-64-v4", also LLVM's name for the processor.
  int64_t lanes;        ///< float32 values of one vector register.
  /// Registers that a cheap columns loop takes at a time: as many accumulators as hide the latency of an
  /// addition.
  int64_t unroll;
  /// Rows of the register block of attention's products; `unroll` registers wide. Leaves room for operands.
  int64_t productRows;
};

/// The target of that name, or none.
std::optional<CpuTarget> lookupCpuTarget(llvm::StringRef name);

/// Columns that one item of a kernel without rows covers: enough work to be worth a thread, a multiple of
/// every block.
constexpr int64_t kColumnsPerItem = 4096;

/// Bytes of kept rows that a kernel may put on the stack; rows beyond it are recomputed. Worker threads have
/// stacks of 512 KB at least.
constexpr int64_t kStackBytes = 256 * 1024;

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPUTARGET_H
