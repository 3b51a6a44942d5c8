// kernel.rows: a loop over rows, and in it columns loops by blocks of lanes.
#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Terms that a lane adds up in float32 before they join its sum of the row, in float64. One after the other
/// thousands would be off by many roundings, all to one side where they are alike; in float64 they would take
/// twice the registers and four times the instructions.
static constexpr int64_t kSumSteps = 16;

namespace {
class RowsLowering {
public:
  RowsLowering(LaneEmitter &emitter, kernel::RowsOp rows, const CpuTarget &target)
      : e(emitter), b(emitter.b), rows(rows), target(target) {}

  LogicalResult run(bool keepRows, Value begin, Value end);

private:
  LogicalResult allocateKeptRows();
  /// The parts [begin, end) of the rows.
  LogicalResult emitParts(Value begin, Value end);
  /// Stack buffers for the sums of a part, one for each accumulate.
  LogicalResult allocateSums();
  /// Zeros for the sums of a part.
  void startSums();
  /// The sums of part `part`, rounded to where they go.
  void storeSums(Value part);
  /// The rows [begin, end).
  LogicalResult emitRows(Value begin, Value end);
  LogicalResult emitRow(Value first, Value last);
  LogicalResult emitColumns(kernel::ColumnsOp op, Value first, Value last);
  /// Whole blocks of `lanes` columns in [begin, end); updates the accumulators.
  LogicalResult emitBlocks(kernel::ColumnsOp op, int64_t lanes, Value begin, Value end,
                           SmallVectorImpl<Value> &sums);
  /// The same for accumulators at their identities, where blocks may be many.
  LogicalResult emitManyBlocks(kernel::ColumnsOp op, int64_t lanes, Value begin, Value end,
                               SmallVectorImpl<Value> &sums);
  /// One block of columns from `column` on; updates the accumulators.
  LogicalResult emitBlock(kernel::ColumnsOp op, const cpu::LaneBlock &block, Value column,
                          SmallVectorImpl<Value> &sums);
  void pairStores(kernel::ColumnsOp op);

  Value inFloat64(Value vector);
  Value inFloat32(Value vector);
  Value reduce(kernel::ReduceKind kind, Value x, Value y);
  Value identity(kernel::ReduceKind kind, int64_t lanes);
  /// Adds halves until `lanes` are left; 1 gives a scalar. A fixed tree: the order depends on the extent
  /// alone.
  Value fold(kernel::ReduceKind kind, Value vector, int64_t lanes);

  LaneEmitter &e;
  ImplicitLocOpBuilder &b;
  kernel::RowsOp rows;
  const CpuTarget &target;
  /// Stores of neighbouring elements, two for a column: the second and the first of each pair.
  llvm::DenseMap<Operation *, kernel::StoreOp> firstOfPair;
  llvm::SmallPtrSet<Operation *, 4> deferred;
  /// What an accumulate adds to: float64 sums of the part that runs.
  struct PartSums {
    Value sums, extent;
  };
  llvm::MapVector<Operation *, PartSums> partSums;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

LogicalResult RowsLowering::run(bool keepRows, Value begin, Value end) {
  b.setLoc(rows.getLoc());
  if (keepRows && failed(allocateKeptRows()))
    return failure();
  if (splitsColumns(rows)) {
    Value piece = e.index(kColumnsPerItem);
    return emitRow(e.mul(begin, piece), e.mul(end, piece));
  }
  return rows.getParts() ? emitParts(begin, end) : emitRows(begin, end);
}

LogicalResult RowsLowering::emitParts(Value begin, Value end) {
  Value count = e.index(1), parts = e.index(*rows.getParts());
  for (Value extent : rows.getExtents())
    count = e.mul(count, e.uniform(extent));
  Value length = b.createOrFold<arith::CeilDivUIOp>(count, parts);
  if (failed(allocateSums()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  Value part = e.loop(begin, end, 1).getInductionVar();
  startSums();
  Value first = e.min(e.mul(part, length), count);
  if (failed(emitRows(first, e.min(e.add(first, length), count))))
    return failure();
  storeSums(part);
  return success();
}

/// At the function's entry, like kept rows, and in whole blocks like them. 128 KB at most from a graph:
/// groups hold no more than kMaxSums times kSumColumns sums.
LogicalResult RowsLowering::allocateSums() {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (auto columns : rows.getBody().front().getOps<kernel::ColumnsOp>())
    for (auto op : columns.getBody().front().getOps<kernel::AccumulateOp>()) {
      Value extent = e.uniform(columns.getExtent());
      if (std::optional<int64_t> constant = getConstantIntValue(columns.getExtent()))
        extent = e.index(*constant);
      if (!extent)
        return op.emitOpError("sums rows of an extent that is computed in the nest; wanted it outside");
      Value block = e.index(target.lanes * target.unroll);
      Value count = e.mul(b.createOrFold<arith::CeilDivUIOp>(extent, block), block);
      count = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), count);
      partSums[op] = {LLVM::AllocaOp::create(b, pointer, b.getF64Type(), count, /*alignment=*/64), extent};
    }
  return success();
}

void RowsLowering::startSums() {
  e.block = {target.lanes, Value()};
  for (auto &[op, part] : partSums) {
    OpBuilder::InsertionGuard guard(b);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(VectorType::get({target.lanes}, b.getF64Type())));
    Value column = e.loop(e.index(0), part.extent, target.lanes).getInductionVar();
    e.store(b.getF64Type(), {Lanes::Vector, zero}, part.sums, {Lanes::Linear, column, 1});
  }
  e.block = {};
}

void RowsLowering::storeSums(Value part) {
  Type f32 = b.getF32Type();
  for (auto &[op, from] : partSums) {
    Value to = e.uniform(cast<kernel::AccumulateOp>(op).getSums());
    to = e.element(f32, to, e.mul(part, from.extent));
    auto round = [&, sums = from.sums](Value column, Value mask) {
      Lanes at{Lanes::Linear, column, 1};
      e.block = {target.lanes, Value()};
      Value sum = e.load(b.getF64Type(), sums, at).value;
      e.block.mask = mask;
      e.store(f32, {Lanes::Vector, inFloat32(sum)}, to, at);
      e.block = {};
    };
    Value lanes = e.index(target.lanes), whole = e.mul(e.div(from.extent, lanes), lanes);
    {
      OpBuilder::InsertionGuard guard(b);
      round(e.loop(e.index(0), whole, target.lanes).getInductionVar(), Value());
    }
    Value rest = e.sub(from.extent, whole);
    if (getConstantIntValue(rest) == 0)
      continue;
    OpBuilder::InsertionGuard guard(b);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, e.index(0));
    auto branch = scf::IfOp::create(b, some, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    round(whole, e.firstLanes(target.lanes, rest));
  }
}

LogicalResult RowsLowering::emitRows(Value begin, Value end) {
  // The linear row becomes one index for each extent once; from row to row the indices count up.
  SmallVector<Value> extents, indices(rows.getExtents().size());
  for (Value extent : rows.getExtents())
    extents.push_back(e.uniform(extent));
  Value rest = begin;
  for (size_t dim = extents.size(); dim-- > 0;) {
    if (dim == 0) {
      indices[dim] = rest;
      break;
    }
    // An extent of zero has no rows, and must not divide all the same.
    Value divisor = e.max(extents[dim], e.index(1));
    indices[dim] = arith::RemUIOp::create(b, rest, divisor);
    rest = arith::DivUIOp::create(b, rest, divisor);
  }
  auto loop = scf::ForOp::create(b, begin, end, e.index(1), indices);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  for (auto [argument, index] : llvm::zip(rows.getBody().getArguments(), loop.getRegionIterArgs()))
    e.setUniform(argument, index);
  if (failed(emitRow(Value(), Value())))
    return failure();

  b.setLoc(rows.getLoc());
  SmallVector<Value> next(loop.getRegionIterArgs());
  Value carry;
  for (size_t dim = next.size(); dim-- > 0;) {
    Value counted = e.add(next[dim], e.index(1));
    Value advanced = carry ? arith::SelectOp::create(b, carry, counted, next[dim]).getResult() : counted;
    carry = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, advanced, extents[dim]);
    next[dim] = dim == 0 ? advanced : arith::SelectOp::create(b, carry, e.index(0), advanced).getResult();
  }
  if (!next.empty())
    scf::YieldOp::create(b, next);
  return success();
}

/// One stack buffer for each kept row, at the function's entry: in the row loop the stack would grow.
LogicalResult RowsLowering::allocateKeptRows() {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (auto columns : rows.getBody().front().getOps<kernel::ColumnsOp>()) {
    if (columns.getNumKept() == 0)
      continue;
    Value extent = e.uniform(columns.getExtent());
    if (std::optional<int64_t> constant = getConstantIntValue(columns.getExtent()))
      extent = e.index(*constant);
    if (!extent)
      return columns.emitOpError("keeps rows of an extent that is computed in the nest; wanted it outside");
    // Whole blocks, so that reads and writes of kept rows need no mask.
    int64_t block = target.lanes * target.unroll;
    Value blocks = b.createOrFold<arith::CeilDivUIOp>(extent, e.index(block));
    Value count = e.mul(blocks, e.index(block));
    count = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), count);
    for (Value row : columns.getResults().take_front(columns.getNumKept())) {
      Type element = stored(cast<kernel::RowType>(row.getType()).getElementType());
      e.keptRows[row] = LLVM::AllocaOp::create(b, pointer, element, count, /*alignment=*/64);
    }
  }
  return success();
}

/// The stages of one row. `first` and `last` bound the columns of a kernel that is cut by columns.
LogicalResult RowsLowering::emitRow(Value first, Value last) {
  for (Operation &op : rows.getBody().front()) {
    auto columns = dyn_cast<kernel::ColumnsOp>(op);
    if (!columns) {
      if (failed(e.emit(&op)))
        return failure();
      continue;
    }
    b.setLoc(op.getLoc());
    Value extent = e.uniform(columns.getExtent());
    Value from = first ? first : e.index(0);
    Value to = last ? e.min(last, extent) : extent;
    if (failed(emitColumns(columns, from, to)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

Value RowsLowering::inFloat64(Value vector) {
  return arith::ExtFOp::create(b, cast<VectorType>(vector.getType()).clone(b.getF64Type()), vector);
}

Value RowsLowering::inFloat32(Value vector) {
  return arith::TruncFOp::create(b, cast<VectorType>(vector.getType()).clone(b.getF32Type()), vector);
}

static arith::FastMathFlags ignoreZeroSign() { return arith::FastMathFlags::nsz; }

Value RowsLowering::reduce(kernel::ReduceKind kind, Value x, Value y) {
  // Which of two zeros wins does not matter here, and asking costs three instructions a step. A NaN does: it
  // stays.
  if (kind == kernel::ReduceKind::Max)
    return arith::MaximumFOp::create(b, x, y, ignoreZeroSign());
  if (kind == kernel::ReduceKind::Min)
    return arith::MinimumFOp::create(b, x, y, ignoreZeroSign());
  return arith::AddFOp::create(b, x, y);
}

Value RowsLowering::identity(kernel::ReduceKind kind, int64_t lanes) {
  double infinity = std::numeric_limits<double>::infinity();
  return e.f32(kind == kernel::ReduceKind::Max   ? -infinity
               : kind == kernel::ReduceKind::Min ? infinity
                                                 : 0.0,
               lanes);
}

Value RowsLowering::fold(kernel::ReduceKind kind, Value vector, int64_t lanes) {
  int64_t width = cast<VectorType>(vector.getType()).getNumElements();
  for (; width > lanes; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width / 2; ++lane) {
      low.push_back(lane);
      high.push_back(width / 2 + lane);
    }
    vector = reduce(kind, vector::ShuffleOp::create(b, vector, vector, low),
                    vector::ShuffleOp::create(b, vector, vector, high));
  }
  return lanes > 1 ? vector : vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{0}).getResult();
}

/// Registers a block of `op` takes at a time. Long bodies fill the processor by themselves and would spill;
/// indices that differ from lane to lane take twice the registers.
static int64_t registersPerBlock(kernel::ColumnsOp op, const CpuTarget &target) {
  int64_t wide = target.lanes * target.unroll;
  bool cheap = true;
  int64_t ops = 0;
  op.walk([&](Operation *inner) {
    ++ops;
    if (inner->getName().getDialectNamespace() == math::MathDialect::getDialectNamespace())
      cheap &= isa<math::SqrtOp, math::RsqrtOp, math::AbsFOp, math::FmaOp>(inner);
    AffineMap map;
    if (auto load = dyn_cast<kernel::LoadOp>(inner))
      map = load.getMap();
    else if (auto store = dyn_cast<kernel::StoreOp>(inner))
      map = store.getMap();
    if (!map)
      return;
    map.walkExprs([&](AffineExpr expression) {
      if (expression.getKind() != AffineExprKind::Mod && expression.getKind() != AffineExprKind::FloorDiv)
        return;
      auto divisor = dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(expression).getRHS());
      cheap &= divisor && divisor.getValue() % wide == 0;
    });
  });
  return cheap && ops <= 32 ? target.unroll : 1;
}

void RowsLowering::pairStores(kernel::ColumnsOp op) {
  llvm::SmallVector<kernel::StoreOp> stores(op.getBody().front().getOps<kernel::StoreOp>());
  for (size_t index = 0; index + 1 < stores.size(); ++index) {
    kernel::StoreOp x = stores[index], y = stores[index + 1];
    bool same = x.getBuffer() == y.getBuffer() && x.getIndices() == y.getIndices() &&
                x.getSymbols() == y.getSymbols() && !deferred.contains(x);
    if (!same || (y.getMap().getResult(0) - x.getMap().getResult(0)) != 1)
      continue;
    // The first store moves down to the second: nothing in between may read the buffer.
    bool read = false;
    for (Operation *inner = x->getNextNode(); inner != y; inner = inner->getNextNode())
      if (auto load = dyn_cast<kernel::LoadOp>(inner))
        read |= load.getBuffer() == x.getBuffer();
    if (read)
      continue;
    deferred.insert(x);
    firstOfPair[y] = x;
    ++index;
  }
}

LogicalResult RowsLowering::emitBlock(kernel::ColumnsOp op, const cpu::LaneBlock &block, Value column,
                                      SmallVectorImpl<Value> &sums) {
  // What a block computes is of no use outside it, and not even visible.
  llvm::DenseMap<Value, Lanes> outer = e.values;
  e.block = block;
  e.column = column;
  e.values[op.getIndex()] = {Lanes::Linear, column, 1, /*aligned=*/true};
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (deferred.contains(&inner))
      continue;
    if (auto accumulate = dyn_cast<kernel::AccumulateOp>(inner)) {
      b.setLoc(inner.getLoc());
      Lanes at{Lanes::Linear, column, 1};
      Value sums = partSums.lookup(&inner).sums, value = e.asVector(e.values.lookup(accumulate.getValue()));
      e.block.mask = Value();
      Value sum = e.load(b.getF64Type(), sums, at).value;
      e.store(b.getF64Type(), {Lanes::Vector, arith::AddFOp::create(b, sum, inFloat64(value))}, sums, at);
      e.block.mask = block.mask;
      continue;
    }
    if (kernel::StoreOp first = firstOfPair.lookup(&inner)) {
      b.setLoc(inner.getLoc());
      auto second = cast<kernel::StoreOp>(inner);
      Lanes at = e.address(first.getMap(), first.getIndices(), first.getSymbols());
      if (at.kind == Lanes::Linear && at.stride == 2 && !block.mask) {
        e.storeInterleaved(first.getValue().getType(), e.values.lookup(first.getValue()),
                           e.values.lookup(second.getValue()), e.uniform(first.getBuffer()), at);
        continue;
      }
      if (failed(e.emit(first)))
        return failure();
    }
    if (failed(e.emit(&inner)))
      return failure();
  }
  b.setLoc(op.getLoc());
  auto yield = cast<kernel::YieldOp>(op.getBody().front().getTerminator());
  for (auto [position, value] : llvm::enumerate(yield.getValues())) {
    if (int64_t(position) < op.getNumKept()) {
      Value buffer = e.keptRows.lookup(op.getResult(position));
      if (!buffer)
        continue;
      e.block.mask = Value();
      e.store(value.getType(), e.values.lookup(value), buffer, {Lanes::Linear, column, 1});
      e.block.mask = block.mask;
      continue;
    }
    int64_t reduction = position - op.getNumKept();
    Value &sum = sums[reduction];
    Value next = reduce(op.getReduction(reduction), sum, e.asVector(e.values.lookup(value)));
    sum = block.mask ? arith::SelectOp::create(b, block.mask, next, sum).getResult() : next;
  }
  e.values = std::move(outer);
  e.block = {};
  return success();
}

LogicalResult RowsLowering::emitBlocks(kernel::ColumnsOp op, int64_t lanes, Value begin, Value end,
                                       SmallVectorImpl<Value> &sums) {
  auto loop = scf::ForOp::create(b, begin, end, e.index(lanes), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> inner(loop.getRegionIterArgs());
  if (failed(emitBlock(op, {lanes, Value()}, loop.getInductionVar(), inner)))
    return failure();
  if (!inner.empty())
    scf::YieldOp::create(b, inner);
  sums.assign(loop.getResults().begin(), loop.getResults().end());
  return success();
}

LogicalResult RowsLowering::emitManyBlocks(kernel::ColumnsOp op, int64_t lanes, Value begin, Value end,
                                           SmallVectorImpl<Value> &sums) {
  auto isSum = [&](size_t reduction) { return op.getReduction(reduction) == kernel::ReduceKind::Add; };
  SmallVector<Value> zeros(sums.begin(), sums.end());
  for (auto [reduction, sum] : llvm::enumerate(sums))
    if (isSum(reduction))
      sum = inFloat64(sum);
  auto parts = scf::ForOp::create(b, begin, end, e.index(lanes * kSumSteps), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(parts.getBody());
    Value first = parts.getInductionVar();
    SmallVector<Value> inner(parts.getRegionIterArgs());
    for (auto [reduction, sum] : llvm::enumerate(inner))
      if (isSum(reduction))
        sum = zeros[reduction];
    if (failed(emitBlocks(op, lanes, first, e.min(end, e.add(first, e.index(lanes * kSumSteps))), inner)))
      return failure();
    for (auto [reduction, sum] : llvm::enumerate(inner))
      if (isSum(reduction))
        sum = arith::AddFOp::create(b, parts.getRegionIterArg(reduction), inFloat64(sum));
    scf::YieldOp::create(b, inner);
  }
  for (auto [reduction, sum] : llvm::enumerate(parts.getResults()))
    sums[reduction] = isSum(reduction) ? inFloat32(sum) : Value(sum);
  return success();
}

static bool hasSum(kernel::ColumnsOp op) {
  return llvm::any_of(llvm::seq<int64_t>(0, op.getNumReductions()), [&](int64_t reduction) {
    return op.getReduction(reduction) == kernel::ReduceKind::Add;
  });
}

/// Blocks of several registers, then of one, then one with a mask.
LogicalResult RowsLowering::emitColumns(kernel::ColumnsOp op, Value first, Value last) {
  pairStores(op);
  int64_t wide = target.lanes * registersPerBlock(op, target);
  SmallVector<int64_t> widths{wide};
  if (wide != target.lanes)
    widths.push_back(target.lanes);

  SmallVector<Value> sums;
  for (int64_t reduction = 0; reduction < op.getNumReductions(); ++reduction)
    sums.push_back(identity(op.getReduction(reduction), wide));
  // Pieces begin at multiples of every block, so that a constant extent tells whether blocks come out even.
  std::optional<int64_t> constant = getConstantIntValue(op.getExtent());
  auto even = [&](int64_t lanes) { return constant && *constant % lanes == 0; };
  Value at = first;
  bool done = false;
  for (int64_t lanes : widths) {
    for (auto [reduction, sum] : llvm::enumerate(sums))
      sum = fold(op.getReduction(reduction), sum, lanes);
    if (done)
      continue;
    done = even(lanes);
    Value whole = e.div(e.sub(last, at), e.index(lanes));
    if (getConstantIntValue(whole) == 0)
      continue;
    Value end = e.add(at, e.mul(whole, e.index(lanes)));
    std::optional<int64_t> blocks = getConstantIntValue(whole);
    bool many = lanes == wide && (!blocks || *blocks > kSumSteps) && hasSum(op);
    if (failed(many ? emitManyBlocks(op, lanes, at, end, sums) : emitBlocks(op, lanes, at, end, sums)))
      return failure();
    at = end;
  }

  Value remaining = e.sub(last, at);
  if (!done && getConstantIntValue(remaining) != 0) {
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, remaining, e.index(0));
    auto branch = scf::IfOp::create(b, ValueRange(sums).getTypes(), some, /*withElseRegion=*/!sums.empty());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value mask = e.firstLanes(target.lanes, remaining);
    SmallVector<Value> inner(sums);
    if (failed(emitBlock(op, {target.lanes, mask}, at, inner)))
      return failure();
    if (!sums.empty()) {
      scf::YieldOp::create(b, inner);
      b.setInsertionPointToStart(&branch.getElseRegion().front());
      scf::YieldOp::create(b, sums);
    }
    sums.assign(branch.getResults().begin(), branch.getResults().end());
  }
  for (auto [reduction, sum] : llvm::enumerate(sums))
    e.setUniform(op.getResult(op.getNumKept() + reduction), fold(op.getReduction(reduction), sum, 1));
  return success();
}

LogicalResult heddle::cpu::lowerRows(LaneEmitter &emitter, kernel::RowsOp rows, const CpuTarget &target,
                                     bool keepRows, Value begin, Value end) {
  return RowsLowering(emitter, rows, target).run(keepRows, begin, end);
}
