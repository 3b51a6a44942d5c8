//===- Recompute.cpp - Rows that are not kept -----------------------------===//
#include "compiler/Target/CUDA/Recompute.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace heddle;
using namespace heddle::cuda;
using llvm::LogicalResult;
using mlir::failure;
using mlir::success;

static bool isStoredIn(kernel::RowsOp rows, mlir::Value buffer) {
  return rows
      ->walk([&](kernel::StoreOp store) {
        return store.getBuffer() == buffer ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Copies what `value`, made in the body of `from`, is made of to the builder's place. Values from outside
/// stay.
static LogicalResult copySlice(mlir::Value value, kernel::ColumnsOp from, kernel::RowsOp rows,
                               mlir::OpBuilder &builder, mlir::IRMapping &map) {
  mlir::Operation *op = value.getDefiningOp();
  if (map.contains(value) || !op || op->getBlock() != &from.getBody().front())
    return success();
  if (auto load = llvm::dyn_cast<kernel::LoadOp>(op); load && isStoredIn(rows, load.getBuffer())) {
    mlir::InFlightDiagnostic error =
        from.emitError("keeps a row that does not fit in registers and cannot be "
                       "computed again: it depends on a buffer that the kernel also writes");
    error.attachNote(load.getLoc()) << "read here";
    return error;
  }
  for (mlir::Value operand : op->getOperands())
    if (failed(copySlice(operand, from, rows, builder, map)))
      return failure();
  builder.clone(*op, map);
  return success();
}

/// Erases ops of the body whose results nobody uses; loads count as pure.
static void eraseDead(mlir::Block &body) {
  for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && (mlir::isPure(&op) || llvm::isa<kernel::LoadOp>(op)) &&
        !llvm::isa<kernel::YieldOp>(op))
      op.erase();
}

/// Replaces `columns` by a loop without kept results, or by nothing where nothing is left to do.
static void dropKept(kernel::ColumnsOp columns) {
  int64_t kept = columns.getNumKept();
  auto yield = llvm::cast<kernel::YieldOp>(columns.getBody().front().getTerminator());
  yield->eraseOperands(0, kept);
  llvm::SmallVector<kernel::ReduceKind> kinds;
  for (int64_t index = 0; index < columns.getNumReductions(); ++index)
    kinds.push_back(columns.getReduction(index));
  mlir::OpBuilder builder(columns);
  auto loop = kernel::ColumnsOp::create(builder, columns.getLoc(), columns.getExtent(),
                                        mlir::TypeRange(columns.getResultTypes()).drop_front(kept), kinds);
  loop.getBody().takeBody(columns.getBody());
  for (auto [before, after] : llvm::zip_equal(columns.getResults().drop_front(kept), loop.getResults()))
    before.replaceAllUsesWith(after);
  columns.erase();
  eraseDead(loop.getBody().front());
  bool writes = llvm::any_of(loop.getBody().front(), llvm::IsaPred<kernel::StoreOp, kernel::AccumulateOp>);
  if (kinds.empty() && !writes)
    loop.erase();
}

mlir::FailureOr<int64_t> heddle::cuda::recomputeKeptRows(kernel::RowsOp rows) {
  auto loops = llvm::to_vector(rows.getBody().getOps<kernel::ColumnsOp>());
  // In order: a copied slice has no kernel.get of its own any more, since its loop was rewritten before.
  for (kernel::ColumnsOp columns : loops) {
    llvm::DenseMap<mlir::Operation *, mlir::IRMapping> copies;
    for (auto get : llvm::to_vector(columns.getBody().getOps<kernel::GetOp>())) {
      auto from = get.getRow().getDefiningOp<kernel::ColumnsOp>();
      mlir::Value kept = from.getBody().front().getTerminator()->getOperand(
          llvm::cast<mlir::OpResult>(get.getRow()).getResultNumber());
      mlir::IRMapping &map = copies[from];
      map.map(from.getIndex(), columns.getIndex());
      mlir::OpBuilder builder(get);
      if (failed(copySlice(kept, from, rows, builder, map)))
        return failure();
      get.getResult().replaceAllUsesWith(map.lookupOrDefault(kept));
      get.erase();
    }
  }
  int64_t dropped = 0;
  for (kernel::ColumnsOp columns : loops)
    if (int64_t kept = columns.getNumKept()) {
      dropped += kept;
      dropKept(columns);
    }
  return dropped;
}
