//===- Grid.cpp - Blocks of a launch --------------------------------------===//
#include "compiler/Target/CUDA/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace heddle::cuda;
using mlir::failure;

/// Blocks of a grid along x; along y and z there are 65,535, so that everything goes along x.
static constexpr int64_t kMaxBlocks = (int64_t(1) << 31) - 1;

/// Index arithmetic on constants and counts. Nothing where it is something else, or overflows.
static std::optional<int64_t> evaluate(mlir::Value value, kernel::FuncOp func,
                                       llvm::ArrayRef<int64_t> counts) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    int64_t index =
        static_cast<int64_t>(argument.getArgNumber()) - static_cast<int64_t>(func.getBuffers().size());
    if (argument.getOwner() != &func.getBody().front() || index < 0 ||
        index >= static_cast<int64_t>(counts.size()))
      return std::nullopt;
    return counts[index];
  }
  llvm::APInt constant;
  if (matchPattern(value, mlir::m_ConstantInt(&constant)))
    return constant.getSExtValue();
  mlir::Operation *op = value.getDefiningOp();
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> a = evaluate(op->getOperand(0), func, counts),
                         b = evaluate(op->getOperand(1), func, counts);
  if (!a || !b)
    return std::nullopt;
  int64_t result = 0;
  if (llvm::isa<mlir::arith::AddIOp>(op))
    return llvm::AddOverflow(*a, *b, result) ? std::nullopt : std::optional<int64_t>(result);
  if (llvm::isa<mlir::arith::SubIOp>(op))
    return llvm::SubOverflow(*a, *b, result) ? std::nullopt : std::optional<int64_t>(result);
  if (llvm::isa<mlir::arith::MulIOp>(op))
    return llvm::MulOverflow(*a, *b, result) ? std::nullopt : std::optional<int64_t>(result);
  if (llvm::isa<mlir::arith::MaxSIOp>(op))
    return std::max(*a, *b);
  if (llvm::isa<mlir::arith::MinSIOp>(op))
    return std::min(*a, *b);
  if (*b <= 0)
    return std::nullopt;
  if (llvm::isa<mlir::arith::DivSIOp>(op))
    return *a / *b;
  if (llvm::isa<mlir::arith::RemSIOp>(op))
    return *a % *b;
  return std::nullopt;
}

int64_t heddle::cuda::threadsOf(kernel::FuncOp func) {
  for (auto skeleton : func.getBody().getOps<kernel::SkeletonOp>())
    return skeleton.getThreads();
  return func.getMapping()->getThreadsPerRow() * func.getMapping()->getRowsPerBlock();
}

mlir::FailureOr<std::array<int64_t, 3>>
heddle::cuda::gridOf(kernel::FuncOp func, llvm::ArrayRef<int64_t> counts, mlir::Operation *launch) {
  // The factors' product is the number of items; `perBlock` of them share a block.
  llvm::SmallVector<int64_t> factors;
  int64_t perBlock = 1;
  auto add = [&](mlir::Value value, int64_t divisor) {
    std::optional<int64_t> number = evaluate(value, func, counts);
    if (!number) {
      launch->emitError() << "kernel '" << func.getName()
                          << "' has an extent that is no arithmetic on constants and counts"
                          << (value.getDefiningOp() ? ", or that overflows" : "");
      return failure();
    }
    factors.push_back(llvm::divideCeil(*number, divisor));
    return mlir::success();
  };
  for (mlir::Operation &op : func.getBody().front()) {
    if (auto skeleton = llvm::dyn_cast<kernel::SkeletonOp>(op)) {
      mlir::ValueRange lengths = skeleton.getCounts(); // batch, heads, key heads, query length
      if (failed(add(lengths[0], 1)) || failed(add(lengths[1], 1)) ||
          failed(add(lengths[3], skeleton.getTileM())))
        return failure();
    }
    if (auto rows = llvm::dyn_cast<kernel::RowsOp>(op)) {
      for (mlir::Value extent : rows.getExtents())
        if (failed(add(extent, 1)))
          return failure();
      perBlock = func.getMapping()->getRowsPerBlock();
      if (func.getMapping()->getFlat()) {
        perBlock = threadsOf(func);
        auto columns = *rows.getBody().getOps<kernel::ColumnsOp>().begin();
        if (failed(add(columns.getExtent(), *columns.getVector())))
          return failure();
      }
    }
  }
  int64_t items = 1;
  for (int64_t factor : factors)
    if (factor < 1)
      return launch->emitError() << "kernel '" << func.getName() << "' has nothing to do: an extent is "
                                 << factor;
    else if (llvm::MulOverflow(items, factor, items))
      return launch->emitError() << "kernel '" << func.getName() << "' has more items than 2^63";
  int64_t blocks = llvm::divideCeil(items, perBlock);
  if (blocks > kMaxBlocks)
    return launch->emitError() << "kernel '" << func.getName() << "' needs " << blocks
                               << " blocks; a grid has at most " << kMaxBlocks;
  return std::array<int64_t, 3>{blocks, 1, 1};
}
