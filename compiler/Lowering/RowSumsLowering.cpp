//===- RowSumsLowering.cpp - embedding_grad becomes kernel.row_sums -------===//
#include "compiler/Layout/MatrixAccess.h"
#include "compiler/Lowering/FuncBuilder.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

std::optional<LoweredKernel> heddle::lowerRowSumsGroup(GroupOp group, const llvm::StringMap<int64_t> &symbols,
                                                       std::string &reason) {
  auto sums = *group.getBody().front().getOps<EmbeddingGradOp>().begin();
  SymbolicShape table = symbolicShape(sums.getResult().getType());
  if (!table[1].isStatic()) {
    reason = "the columns of embedding_grad must be static";
    return std::nullopt;
  }
  // A cast in the group is what the kernel does anyway: it reads the one type and writes the other.
  Value gradient = sums.getGradient();
  if (auto cast = gradient.getDefiningOp<CastOp>(); cast && cast->getParentOp() == group)
    gradient = cast.getOperand();
  std::optional<MatrixAccess> rows = rowsAccess(gradient);
  std::optional<VectorAccess> indices = flatVector(sums.getIndices());
  if (!rows || !indices) {
    reason = rows ? "indices do not lie one behind the other" : "rows of the gradient do not lie evenly";
    return std::nullopt;
  }
  FuncBuilder func(group.getContext(), group.getLoc(), "embedding_grad_" + std::to_string(table[1].value));
  Value source = func.bufferAt(rows->base, rows->offset, "gradient");
  Value ids = func.bufferAt(indices->base, indices->offset, "indices");
  Value out = func.bufferAt(group.getResult(0), 0, "out");
  Value count = func.count("count", sums.getIndices().getType().getNumElements());
  Value stride = func.count("stride", rows->ld);
  Value numRows = func.count("rows", table[0].value);
  kernel::RowSumsOp::create(func.builder(), func.loc(), table[1].value, source, stride, ids, count, out,
                            numRows);
  return func.finish(symbols);
}
