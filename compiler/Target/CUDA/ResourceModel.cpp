//===- ResourceModel.cpp - Registers and shared memory of a kernel --------===//
#include "compiler/Target/CUDA/ResourceModel.h"
#include "compiler/Target/CUDA/Access.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::cuda;

int64_t heddle::cuda::registersOf(mlir::Type type) {
  return type.isIndex() ? 2 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 32);
}

/// Columns of a loop that one thread takes.
static int64_t columnsPerThread(kernel::ColumnsOp columns, int64_t threads) {
  llvm::APInt extent;
  int64_t vector = columns.getVector().value_or(1);
  if (!matchPattern(columns.getExtent(), mlir::m_ConstantInt(&extent)))
    return vector;
  return llvm::divideCeil(llvm::divideCeil(extent.getSExtValue(), vector), threads) * vector;
}

bool heddle::cuda::isUnrolled(kernel::ColumnsOp columns) {
  return columns.getNumKept() != 0 ||
         llvm::any_of(columns.getBody().front(), llvm::IsaPred<kernel::GetOp, kernel::AccumulateOp>);
}

int64_t heddle::cuda::sumRegisters(kernel::RowsOp rows, int64_t threads) {
  int64_t registers = 0;
  for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>())
    registers += llvm::range_size(columns.getBody().getOps<kernel::AccumulateOp>()) *
                 columnsPerThread(columns, threads);
  return registers;
}

int64_t heddle::cuda::keptRegisters(kernel::RowsOp rows, int64_t threads) {
  mlir::Block &body = rows.getBody().front();
  int64_t worst = 0;
  for (auto at : body.getOps<kernel::ColumnsOp>()) {
    int64_t alive = 0;
    for (auto columns : body.getOps<kernel::ColumnsOp>()) {
      if (at->isBeforeInBlock(columns))
        break;
      for (mlir::Value kept : columns.getResults().take_front(columns.getNumKept())) {
        bool readLater = llvm::any_of(kept.getUsers(), [&](mlir::Operation *user) {
          return !user->getParentOp()->isBeforeInBlock(at);
        });
        if (columns == at || readLater)
          alive += registersOf(llvm::cast<kernel::RowType>(kept.getType()).getElementType()) *
                   columnsPerThread(columns, threads);
      }
    }
    worst = std::max(worst, alive);
  }
  return worst + sumRegisters(rows, threads);
}

/// Registers of what one vector of a loop has read or is about to write. Halves of pairs count once.
static int64_t vectorRegisters(kernel::ColumnsOp columns) {
  int64_t registers = 0;
  for (mlir::Operation &op : columns.getBody().front())
    if (Access access = Access::of(&op))
      registers +=
          llvm::divideCeil((access.width() > 1 ? *columns.getVector() : 1) * access.elementBytes(), 4);
  return registers;
}

/// Addresses, indices and what the compiler keeps beside them; with two for an argument, above every kernel
/// of the corpus.
static constexpr int64_t kBaseRegisters = 20;

Resources heddle::cuda::resourcesOf(kernel::FuncOp func) {
  Resources resources;
  for (mlir::Operation &op : func.getBody().front()) {
    if (auto skeleton = llvm::dyn_cast<kernel::SkeletonOp>(op)) {
      // The launch bound is the limit, and the tiles were chosen to use it.
      resources.registers = std::min<int64_t>(255, 65536 / (skeleton.getThreads() * skeleton.getMinBlocks()));
      resources.dynamicShared = skeleton.getSharedBytes();
    }
    if (llvm::isa<kernel::RowSumsOp>(op)) {
      resources.registers = kRowSumsRegisters;
      resources.dynamicShared = kRowSumsSharedBytes;
    }
    auto rows = llvm::dyn_cast<kernel::RowsOp>(op);
    if (!rows)
      continue;
    kernel::MappingAttr mapping = *func.getMapping();
    int64_t inFlight = 0;
    bool reduces = false;
    for (auto columns : rows.getBody().getOps<kernel::ColumnsOp>()) {
      // Loops are unrolled by four; where they keep a row wholly, but then the row itself is what is in
      // flight.
      bool keeps = isUnrolled(columns);
      int64_t loads = mapping.getFlat() || keeps ? 1 : 4;
      inFlight = std::max(inFlight, loads * vectorRegisters(columns));
      reduces |= columns.getNumReductions() != 0;
    }
    int64_t arguments = func.getBuffers().size() + func.getCounts().size();
    resources.registers = kBaseRegisters + 2 * arguments + inFlight +
                          (mapping.getFlat() ? 0 : keptRegisters(rows, mapping.getThreadsPerRow()));
    if (reduces && mapping.getThreadsPerRow() > 32)
      resources.staticShared = 32 * 4 * mapping.getRowsPerBlock();
  }
  return resources;
}
