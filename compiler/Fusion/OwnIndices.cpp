//===- OwnIndices.cpp - Indices that dropouts are computed with -----------===//
#include "compiler/Fusion/Grouping.h"
#include "compiler/Layout/Access.h"

#include "mlir/IR/Builders.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

IotaOp heddle::ownIndex(DropoutOp dropout) {
  Value value = dropout.getIndex();
  while (value.hasOneUse()) {
    Operation *op = value.getDefiningOp();
    if (!op || !op->hasTrait<ViewLike>())
      return llvm::dyn_cast_or_null<IotaOp>(op);
    value = op->getOperand(0);
  }
  return {};
}

void heddle::giveOwnIndices(mlir::func::FuncOp func) {
  for (DropoutOp dropout : llvm::to_vector(func.getBody().front().getOps<DropoutOp>())) {
    if (!baseOf(dropout.getIndex()).getDefiningOp<IotaOp>() || ownIndex(dropout))
      continue;
    llvm::SmallVector<Operation *> chain; // From the dropout to the iota.
    for (Operation *op = dropout.getIndex().getDefiningOp();; op = op->getOperand(0).getDefiningOp()) {
      chain.push_back(op);
      if (llvm::isa<IotaOp>(op))
        break;
    }
    mlir::OpBuilder builder(dropout);
    Value index;
    for (Operation *op : llvm::reverse(chain)) {
      Operation *clone = builder.clone(*op);
      if (index)
        clone->setOperand(0, index);
      index = clone->getResult(0);
    }
    dropout.getIndexMutable().assign(index);
  }
  eraseUnusedOps(func);
}
