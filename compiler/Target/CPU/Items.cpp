// What is known of a kernel once its counts are: numbers of items, sizes of kept rows.
#include "compiler/Target/CPU/KernelLowering.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

namespace {
/// Folds index arithmetic with the counts for the function's arguments.
class Evaluator {
public:
  Evaluator(kernel::FuncOp func, ArrayRef<int64_t> counts) {
    for (auto [argument, count] : llvm::zip(func.getCounts(), counts))
      known[argument] = count;
  }

  FailureOr<int64_t> operator()(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0)
      return failure();
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<int64_t> number = (*this)(operand);
      if (failed(number))
        return failure();
      operands.push_back(IntegerAttr::get(operand.getType(), *number));
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != 1)
      return failure();
    if (auto folded = dyn_cast<Value>(results[0]))
      return folded == value ? FailureOr<int64_t>(failure()) : (*this)(folded);
    auto number = dyn_cast<IntegerAttr>(cast<Attribute>(results[0]));
    if (!number)
      return failure();
    known[value] = number.getValue().getSExtValue();
    return known[value];
  }

private:
  llvm::DenseMap<Value, int64_t> known;
};
} // namespace

static int64_t ceilDiv(int64_t count, int64_t piece) { return (count + piece - 1) / piece; }

bool heddle::cpu::splitsColumns(kernel::RowsOp rows) { return rows.getExtents().empty() && rows.isFlat(); }

FailureOr<int64_t> heddle::cpu::itemsOf(kernel::FuncOp func, const CpuTarget &target,
                                        ArrayRef<int64_t> counts) {
  Evaluator evaluate(func, counts);
  auto number = [&](Value value, StringRef what) -> FailureOr<int64_t> {
    FailureOr<int64_t> result = evaluate(value);
    if (failed(result))
      return func.emitOpError() << "has a " << what << " that its counts do not determine";
    if (*result < 0)
      return func.emitOpError() << "has a " << what << " of " << *result;
    return result;
  };
  for (Operation &op : func.getBody().front()) {
    if (auto skeleton = dyn_cast<kernel::SkeletonOp>(op)) {
      // Tiles of queries or of keys, of the heads that have them.
      bool keys = skeleton.getName() == kernel::kAttentionKeys;
      bool bias = skeleton.getName() == kernel::kAttentionBias;
      ValueRange counts = skeleton.getCounts();
      FailureOr<int64_t> batch = number(bias ? skeleton.getBiasCounts()[0] : counts[0], "batch");
      FailureOr<int64_t> heads =
          number(bias ? skeleton.getBiasCounts()[1] : counts[keys ? 2 : 1], "number of heads");
      FailureOr<int64_t> length = number(counts[keys ? 4 : 3], keys ? "key length" : "query length");
      if (failed(batch) || failed(heads) || failed(length))
        return failure();
      return *batch * *heads * ceilDiv(*length, attentionColumns(skeleton, target));
    }
    if (auto sums = dyn_cast<kernel::RowSumsOp>(op))
      return number(sums.getRows(), "number of rows");
    auto rows = dyn_cast<kernel::RowsOp>(op);
    if (!rows)
      continue;
    if (splitsColumns(rows)) {
      auto columns = *rows.getBody().front().getOps<kernel::ColumnsOp>().begin();
      FailureOr<int64_t> extent = number(columns.getExtent(), "columns extent");
      if (failed(extent))
        return failure();
      return ceilDiv(*extent, kColumnsPerItem);
    }
    int64_t items = 1;
    for (Value extent : rows.getExtents()) {
      FailureOr<int64_t> rowExtent = number(extent, "row extent");
      if (failed(rowExtent))
        return failure();
      items *= *rowExtent;
    }
    return rows.getParts() ? static_cast<int64_t>(*rows.getParts()) : items;
  }
  return failure();
}

static unsigned bytesOf(Type type) { return std::max(8u, type.getIntOrFloatBitWidth()) / 8; }

FailureOr<int64_t> heddle::cpu::keptBytes(kernel::FuncOp func, ArrayRef<int64_t> counts) {
  Evaluator evaluate(func, counts);
  int64_t bytes = 0;
  WalkResult result = func.walk([&](kernel::ColumnsOp columns) {
    if (columns.getNumKept() == 0)
      return WalkResult::advance();
    FailureOr<int64_t> extent = evaluate(columns.getExtent());
    if (failed(extent))
      return WalkResult::interrupt();
    for (Value row : columns.getResults().take_front(columns.getNumKept()))
      bytes += *extent * bytesOf(cast<kernel::RowType>(row.getType()).getElementType());
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return bytes;
}

bool heddle::cpu::canRecompute(kernel::FuncOp func) {
  llvm::SmallPtrSet<Value, 8> written;
  func.walk([&](kernel::StoreOp store) { written.insert(store.getBuffer()); });
  bool possible = true;
  // Coarser than the slice of each kept value: no loop that keeps a value reads what the kernel writes.
  func.walk([&](kernel::ColumnsOp columns) {
    if (columns.getNumKept())
      columns.walk([&](kernel::LoadOp load) { possible &= !written.contains(load.getBuffer()); });
  });
  return possible;
}
