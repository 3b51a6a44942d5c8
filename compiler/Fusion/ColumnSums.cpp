//===- ColumnSums.cpp - Sums over the rows of a row kernel ----------------===//
#include "compiler/Fusion/ColumnSums.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Builders.h"

using namespace heddle;
using namespace heddle::graph;

int64_t heddle::columnsOf(ReduceOp sum) { return sum.getResult().getType().getNumElements(); }

bool heddle::isColumnSum(mlir::Operation *op) {
  auto sum = llvm::dyn_cast<ReduceOp>(op);
  if (!sum || sum.getKind() != ReduceKind::Sum || !sum.getResult().getType().getElementType().isF32() ||
      columnsOf(sum) == 1 || sum.getOperand().getDefiningOp<PartialSumsOp>())
    return false;
  if (!elementCount(symbolicShape(sum.getResult().getType())).isStatic())
    return false;
  SymbolicShape shape = symbolicShape(llvm::cast<mlir::RankedTensorType>(sum.getOperand().getType()));
  bool rows = false, columns = false;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (extent.isOne())
      continue;
    bool reduced = llvm::is_contained(sum.getAxes(), static_cast<int64_t>(axis));
    if (reduced && columns)
      return false;
    (reduced ? rows : columns) = true;
  }
  return rows;
}

int64_t heddle::partsFor(int64_t columns, int64_t parts) {
  const int64_t most = 2048 * parts, least = 512 * parts; // Partial sums altogether.
  int64_t result = parts;
  while (result > 1 && result * columns > most)
    result /= 2;
  while (result * columns < least)
    result *= 2;
  return result;
}

PartialSumsOp heddle::splitColumnSum(ReduceOp sum, int64_t parts) {
  SymbolicShape shape = symbolicShape(sum.getResult().getType());
  shape[*llvm::min_element(sum.getAxes())] = SymbolicDim::fixed(parts);
  mlir::OpBuilder builder(sum);
  auto type = tensorType(sum.getContext(), shape, builder.getF32Type());
  auto partial = PartialSumsOp::create(builder, sum.getLoc(), type, sum.getOperand(), sum.getAxes());
  sum.getOperandMutable().assign(partial.getResult());
  return partial;
}

void heddle::joinColumnSum(PartialSumsOp partial) {
  partial.getResult().replaceAllUsesWith(partial.getOperand());
  partial.erase();
}
