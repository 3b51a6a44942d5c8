// kernel.row_sums on the CPU.
//
// An item is a row of the result. A call owns a run of rows: it goes through all indices in order and adds
// those rows of the source that are its own, so that nobody shares a sum and the order is that of the
// indices. Sums are float32: in the result itself where that is its type; otherwise in tiles of rows on the
// stack, each of which goes through the indices anew.
#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Columns of a tile on the stack, at most: a tile should hold several rows.
static constexpr int64_t kTileColumns = 4096;

namespace {
class RowSumsLowering {
public:
  RowSumsLowering(LaneEmitter &emitter, kernel::RowSumsOp op, const CpuTarget &target)
      : e(emitter), b(emitter.b), op(op), lanes(target.lanes),
        source(op.getSource().getType().getElementType()), out(op.getOut().getType().getElementType()),
        f32(b.getF32Type()) {}

  void run(Value begin, Value end);

private:
  /// Float32 sums of rows, `stride` elements apart.
  struct Sums {
    Value pointer;
    int64_t stride;
  };
  /// Rows [begin, end) of the result, columns [column, column + width), summed in `sums`.
  void emitSums(const Sums &sums, Value begin, Value end, int64_t column, int64_t width);
  /// The tile's rows to the result, rounded.
  void storeTile(const Sums &tile, Value begin, Value end, int64_t column, int64_t width);
  /// `emit` for each block of lanes of `width` columns, given the first column's index.
  void columns(int64_t width, function_ref<void(const Lanes &)> emit);
  /// The float32 sums of row `row`, which is a number within `sums`.
  Value rowOf(const Sums &sums, Value row) {
    return e.element(f32, sums.pointer, e.mul(row, e.index(sums.stride)));
  }
  /// Row `row` of the result or of the source from `column` on.
  Value place(Type type, Value buffer, Value row, Value stride, int64_t column) {
    return e.element(type, e.uniform(buffer), e.add(e.mul(row, stride), e.index(column)));
  }

  LaneEmitter &e;
  ImplicitLocOpBuilder &b;
  kernel::RowSumsOp op;
  const int64_t lanes;
  const Type source, out, f32;
};
} // namespace

void RowSumsLowering::columns(int64_t width, function_ref<void(const Lanes &)> emit) {
  int64_t whole = width / lanes * lanes;
  if (whole != 0) {
    OpBuilder::InsertionGuard guard(b);
    e.block = {lanes, Value()};
    emit({Lanes::Linear, e.loop(e.index(0), e.index(whole), lanes).getInductionVar(), 1});
  }
  if (whole != width) {
    e.block = {lanes, e.firstLanes(lanes, e.index(width - whole))};
    emit({Lanes::Linear, e.index(whole), 1});
  }
  e.block = {};
}

void RowSumsLowering::emitSums(const Sums &sums, Value begin, Value end, int64_t column, int64_t width) {
  {
    OpBuilder::InsertionGuard guard(b);
    Value to = rowOf(sums, e.loop(e.index(0), e.sub(end, begin), 1).getInductionVar());
    columns(width, [&](const Lanes &at) { e.store(f32, {Lanes::Vector, e.f32(0, lanes)}, to, at); });
  }
  OpBuilder::InsertionGuard guard(b);
  Value position = e.loop(e.index(0), e.uniform(op.getCount()), 1).getInductionVar();
  Value id = e.load(op.getIndices().getType().getElementType(), e.uniform(op.getIndices()),
                    {Lanes::Uniform, position})
                 .value;
  Value row = arith::IndexCastOp::create(b, b.getIndexType(), id);
  Value above = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, row, begin);
  Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row, end);
  auto own = scf::IfOp::create(b, arith::AndIOp::create(b, above, below), /*withElseRegion=*/false);
  b.setInsertionPointToStart(own.thenBlock());
  Value from = place(source, op.getSource(), position, e.uniform(op.getStride()), column);
  Value to = rowOf(sums, e.sub(row, begin));
  columns(width, [&](const Lanes &at) {
    Value term = e.widen(source, e.load(source, from, at).value);
    Value sum = arith::AddFOp::create(b, e.load(f32, to, at).value, term);
    e.store(f32, {Lanes::Vector, sum}, to, at);
  });
}

void RowSumsLowering::storeTile(const Sums &tile, Value begin, Value end, int64_t column, int64_t width) {
  OpBuilder::InsertionGuard guard(b);
  Value row = e.loop(begin, end, 1).getInductionVar();
  Value from = rowOf(tile, e.sub(row, begin));
  Value to = place(out, op.getOut(), row, e.index(op.getWidth()), column);
  columns(width, [&](const Lanes &at) {
    e.store(out, {Lanes::Vector, e.narrow(out, e.load(f32, from, at).value)}, to, at);
  });
}

void RowSumsLowering::run(Value begin, Value end) {
  b.setLoc(op.getLoc());
  auto width = static_cast<int64_t>(op.getWidth());
  if (out.isF32()) {
    emitSums({place(out, op.getOut(), begin, e.index(width), 0), width}, begin, end, 0, width);
    return;
  }
  int64_t most = std::min(width, kTileColumns), tileRows = kStackBytes / (4 * most);
  Value size = arith::ConstantOp::create(b, b.getI64IntegerAttr(tileRows * most));
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Sums tile{LLVM::AllocaOp::create(b, pointer, f32, size, /*alignment=*/64), most};
  for (int64_t column = 0; column < width; column += most) {
    OpBuilder::InsertionGuard guard(b);
    Value first = e.loop(begin, end, tileRows).getInductionVar();
    Value last = e.min(end, e.add(first, e.index(tileRows)));
    int64_t columns = std::min(most, width - column);
    emitSums(tile, first, last, column, columns);
    storeTile(tile, first, last, column, columns);
  }
}

LogicalResult heddle::cpu::lowerRowSums(LaneEmitter &emitter, kernel::RowSumsOp op, const CpuTarget &target,
                                        Value begin, Value end) {
  RowSumsLowering(emitter, op, target).run(begin, end);
  return success();
}
