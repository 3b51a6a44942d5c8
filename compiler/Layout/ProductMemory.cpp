//===- ProductMemory.cpp - What is held while a product runs --------------===//
#include "compiler/Layout/ProductMemory.h"
#include "compiler/Layout/Access.h"
#include "dialects/Graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

int64_t heddle::tensorBytes(Value value) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return type.getNumElements() * std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
}

static bool isCastOfParameter(Value value) {
  auto cast = value.getDefiningOp<CastOp>();
  return cast && baseOf(cast.getOperand()).getDefiningOp<ParameterOp>();
}

ProductMemory::ProductMemory(mlir::ModuleOp module) {
  for (auto func : module.getOps<mlir::func::FuncOp>())
    if (!func.isExternal())
      addBlock(func.getBody().front());
}

void ProductMemory::addBlock(mlir::Block &block) {
  llvm::SmallVector<Operation *> ops;
  llvm::DenseMap<Value, std::pair<size_t, size_t>> lives; // First and last op.
  for (Operation &op : block) {
    size_t number = ops.size();
    ops.push_back(&op);
    if (op.hasTrait<ViewLike>() || llvm::isa<ParameterOp, ConstantOp>(op))
      continue; // Views hold nothing, and what they show is read by their readers.
    for (Value operand : op.getOperands()) {
      Value base = baseOf(operand);
      if (auto life = lives.find(base); life != lives.end())
        life->second.second = number;
      else if (isCastOfParameter(base))
        lives[base] = {number, number};
    }
    for (Value result : op.getResults())
      if (!isCastOfParameter(result))
        lives[result] = {number, number};
  }
  llvm::SmallVector<int64_t> change(ops.size() + 1, 0);
  for (auto &[value, life] : lives) {
    change[life.first] += tensorBytes(value);
    change[life.second + 1] -= tensorBytes(value);
  }
  int64_t live = 0;
  for (auto [op, more] : llvm::zip_first(ops, change)) {
    live += more;
    if (!llvm::isa<MatmulOp>(op))
      continue;
    live_[op] = live;
    peak_ = std::max(peak_, live);
  }
}
