//===- KernelQueries.cpp - What a kernel does, and what its counts tell ---===//
#include "dialects/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle::kernel;

llvm::SmallVector<BufferUse> heddle::kernel::bufferUses(FuncOp func) {
  llvm::SmallVector<BufferUse> uses(func.getBuffers().size());
  auto useOf = [&](mlir::Value buffer) -> BufferUse & {
    return uses[llvm::cast<mlir::BlockArgument>(buffer).getArgNumber()];
  };
  func.walk([&](mlir::Operation *op) {
    if (auto load = llvm::dyn_cast<LoadOp>(op)) {
      useOf(load.getBuffer()).read = true;
    } else if (auto store = llvm::dyn_cast<StoreOp>(op)) {
      useOf(store.getBuffer()).written = true;
    } else if (auto sums = llvm::dyn_cast<AccumulateOp>(op)) {
      useOf(sums.getSums()).written = true;
    } else if (auto sums = llvm::dyn_cast<RowSumsOp>(op)) {
      useOf(sums.getSource()).read = useOf(sums.getIndices()).read = useOf(sums.getOut()).written = true;
    } else if (auto skeleton = llvm::dyn_cast<SkeletonOp>(op)) {
      for (auto [operand, buffer] : llvm::zip(skeleton.getOperandList(), skeleton.getBuffers())) {
        useOf(buffer).read |= !operand.written || operand.added;
        useOf(buffer).written |= operand.written;
      }
    }
  });
  return uses;
}

std::optional<int64_t> heddle::kernel::evaluate(mlir::Value value, FuncOp func,
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
