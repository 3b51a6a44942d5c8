//===- ResourceModel.h - Registers and shared memory of a kernel *- C++ -*-===//
//
// The estimates that choices rest on, in one place. test/unit/compiler holds them against the assembler's
// report for every kernel of the corpus.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CUDA_RESOURCEMODEL_H
#define HEDDLE_COMPILER_TARGET_CUDA_RESOURCEMODEL_H

#include "compiler/Target/CUDA/TargetInfo.h"
#include "dialects/Kernel/KernelDialect.h"

namespace heddle::cuda {

/// Registers that a thread may spend on kept rows and sums down the columns. With 1,024 threads a thread has
/// 64 in all, and the body needs the rest.
constexpr int64_t kKeptRegisters = 32;
/// Column vectors of a row that one thread takes, at most, while there are more threads to take them: enough
/// loads in flight to cover memory's latency, few enough that a row does not wait for one warp.
constexpr int64_t kVectorsPerThread = 8;
/// Threads of a row of a kernel with parts, at most, as long as a vector for each suffices.
constexpr int64_t kPartThreads = 512;
constexpr int64_t kMaxThreads = 1024;
/// Threads of a block that holds several rows, or of a flat kernel's.
constexpr int64_t kSmallBlock = 128;
constexpr int64_t kFlatBlock = 256;
/// Threads for a row whose length is known only at run time.
constexpr int64_t kRuntimeRowThreads = 128;

/// kernel.row_sums: threads of a block at most, and what device/row_sums.cuh says of its blocks (the
/// generated text asserts that it does): rows of the result that one owns at most, bytes of shared memory.
constexpr int64_t kRowSumsThreads = 256;
constexpr int64_t kRowSumsRange = 256;
constexpr int64_t kRowSumsSharedBytes = 14372;
/// Blocks of it that share a multiprocessor, and registers of a thread: above every kernel of the corpus.
constexpr int64_t kRowSumsMinBlocks = 2, kRowSumsRegisters = 120;

struct Resources {
  int64_t registers = 0;     ///< A thread; an upper estimate.
  int64_t staticShared = 0;  ///< Bytes a block.
  int64_t dynamicShared = 0; ///< Bytes a block.
};

/// 32-bit registers of one value of a type.
int64_t registersOf(mlir::Type type);

/// Whether a loop over columns is unrolled wholly: registers, which hold kept rows and sums down the columns,
/// have no addresses.
bool isUnrolled(kernel::ColumnsOp columns);

/// Registers that a thread spends on sums down the columns where `threads` threads share a row. Vectors are
/// set, columns are constant.
int64_t sumRegisters(kernel::RowsOp rows, int64_t threads);

/// Registers that a thread spends on kept rows where `threads` threads share a row: of all rows that are
/// alive at the same time, at worst; and on sums down the columns, which are alive all the time. As above.
int64_t keptRegisters(kernel::RowsOp rows, int64_t threads);

/// What a legalised kernel needs.
Resources resourcesOf(kernel::FuncOp func);

} // namespace heddle::cuda

#endif // HEDDLE_COMPILER_TARGET_CUDA_RESOURCEMODEL_H
