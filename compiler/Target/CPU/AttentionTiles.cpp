#include "compiler/Target/CPU/AttentionTiles.h"
#include "compiler/Target/CPU/KernelLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Rows of the side that is not along the lanes, at a time.
static constexpr int64_t kRows = 64;
/// Products that are summed by themselves before they join a tile's sum, and with it what a result sums over
/// many tiles: one after the other, thousands would be off by many roundings, which delta hands on to a whole
/// row of gradients (docs/rationale.md, "What float32 attention keeps").
static constexpr int64_t kSumSteps = 16;

int64_t heddle::cpu::gradientBytes(kernel::SkeletonOp op, int64_t lanes, AttentionSizes sizes) {
  auto head = static_cast<int64_t>(op.getHeadDim()), value = static_cast<int64_t>(op.getValueDim());
  int64_t sums = op.getName() == kernel::kAttentionKeys      ? head + value
                 : op.getName() == kernel::kAttentionQueries ? head
                                                             : 0;
  int64_t tiles = (head + value + sums + 2 * sizes.rows + kStatisticRows) * sizes.vectors * lanes;
  return (tiles + (op.getElementType().isF32() ? 0 : sizes.rows * (head + value))) * 4;
}

AttentionSizes heddle::cpu::attentionSizes(kernel::SkeletonOp op, const CpuTarget &target) {
  AttentionSizes sizes{target.unroll, kRows};
  if (op.getName() == kernel::kAttentionForward)
    return sizes;
  while (gradientBytes(op, target.lanes, sizes) > kStackBytes && sizes.vectors > 1)
    (sizes.rows > 16 && sizes.rows >= 16 * sizes.vectors ? sizes.rows : sizes.vectors) /= 2;
  return sizes;
}

int64_t heddle::cpu::attentionColumns(kernel::SkeletonOp op, const CpuTarget &target) {
  return attentionSizes(op, target).vectors * target.lanes;
}

AttentionTiles::AttentionTiles(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target)
    : e(emitter), b(emitter.b), op(op), lanes(target.lanes), sizes(attentionSizes(op, target)),
      vectors(sizes.vectors), columns(lanes * vectors), rows(sizes.rows), productRows(target.productRows),
      element(op.getElementType()), f32(b.getF32Type()), row(VectorType::get({lanes}, f32)) {}

LogicalResult AttentionTiles::verifyStack(int64_t bytes) {
  if (bytes <= kStackBytes)
    return success();
  return op.emitOpError() << "of head dimensions " << op.getHeadDim() << " and " << op.getValueDim()
                          << " needs " << bytes << " bytes for its tiles, more than the " << kStackBytes
                          << " that fit on a thread's stack";
}

Value AttentionTiles::allocate(int64_t count) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value size = arith::ConstantOp::create(b, b.getI64IntegerAttr(count));
  return LLVM::AllocaOp::create(b, pointer, f32, size, /*alignment=*/64);
}

Value AttentionTiles::stride(int64_t buffer, int64_t dim) { return e.uniform(op.getStrides(buffer)[dim]); }

Value AttentionTiles::place(int64_t position, Value batch, Value head, Value first) {
  Value offset = e.add(e.mul(batch, stride(position, 0)), e.mul(head, stride(position, 1)));
  if (first)
    offset = e.add(offset, e.mul(first, stride(position, 2)));
  return e.element(element, buffer(position), offset);
}

Value AttentionTiles::loadRow(Value tile, Value r, int64_t vector) {
  return LLVM::LoadOp::create(b, row, at(tile, r, vector), 64);
}

void AttentionTiles::storeRow(Value value, Value tile, Value r, int64_t vector) {
  LLVM::StoreOp::create(b, value, at(tile, r, vector), 64);
}

Value AttentionTiles::positions(Value value) {
  Value narrow = arith::IndexCastOp::create(b, b.getI32Type(), value);
  return vector::BroadcastOp::create(b, VectorType::get({lanes}, b.getI32Type()), narrow);
}

Value AttentionTiles::positions(Value first, int64_t vector) {
  auto type = VectorType::get({lanes}, b.getI32Type());
  SmallVector<int32_t> steps = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value step = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  return arith::AddIOp::create(b, positions(e.add(first, e.index(vector * lanes))), step);
}

//===----------------------------------------------------------------------===//
// Transposed tiles
//===----------------------------------------------------------------------===//

void AttentionTiles::clear(Value tile, int64_t height) {
  Value zero = e.f32(0, lanes);
  OpBuilder::InsertionGuard guard(b);
  auto each = e.loop(e.index(0), e.index(height), 1);
  for (int64_t vector = 0; vector < vectors; ++vector)
    storeRow(zero, tile, each.getInductionVar(), vector);
}

void AttentionTiles::loadColumns(Value tile, Value pointer, Value stride, Value count, int64_t width) {
  clear(tile, width);
  OpBuilder::InsertionGuard guard(b);
  auto column = e.loop(e.index(0), count, 1);
  Value source = e.element(element, pointer, e.mul(column.getInductionVar(), stride));
  auto dim = e.loop(e.index(0), e.index(width), 1);
  Value value = e.widen(element, e.load(element, source, {Lanes::Uniform, dim.getInductionVar()}).value);
  Value to = e.add(e.mul(dim.getInductionVar(), e.index(columns)), column.getInductionVar());
  LLVM::StoreOp::create(b, value, e.element(f32, tile, to));
}

void AttentionTiles::storeColumns(Value tile, Value pointer, Value stride, Value count, int64_t width) {
  OpBuilder::InsertionGuard guard(b);
  auto column = e.loop(e.index(0), count, 1);
  Value to = e.element(element, pointer, e.mul(column.getInductionVar(), stride));
  auto dim = e.loop(e.index(0), e.index(width), 1);
  Value from = e.add(e.mul(dim.getInductionVar(), e.index(columns)), column.getInductionVar());
  Value value = LLVM::LoadOp::create(b, f32, e.element(f32, tile, from));
  Lanes narrow{Lanes::Uniform, e.narrow(element, value)};
  e.store(element, narrow, to, {Lanes::Uniform, dim.getInductionVar()});
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

FailureOr<AttentionTiles::Score> AttentionTiles::emitScore(Value product, const Place &place) {
  llvm::DenseMap<Value, Lanes> outer = e.values;
  e.block = {lanes, place.mask};
  auto inlined = [&](Region &region, ArrayRef<Lanes> arguments) -> FailureOr<SmallVector<Value, 2>> {
    for (auto [argument, lanesOf] : llvm::zip(region.getArguments(), arguments))
      e.values[argument] = lanesOf;
    for (Operation &inner : region.front()) {
      if (auto yield = dyn_cast<kernel::YieldOp>(inner))
        return llvm::map_to_vector<2>(yield.getValues(),
                                      [&](Value value) { return e.asVector(e.values.lookup(value)); });
      if (failed(e.emit(&inner)))
        return failure();
    }
    return failure();
  };
  Lanes batch{Lanes::Uniform, place.batch}, head{Lanes::Uniform, place.head};
  product = arith::MulFOp::create(b, product, e.f32(op.getScale().convertToDouble(), lanes));
  FailureOr<SmallVector<Value, 2>> made = SmallVector<Value, 2>{product};
  Value lowest = e.f32(-std::numeric_limits<double>::infinity(), lanes);
  // What a hidden key holds must not matter: 0 times the slope of a NaN is NaN.
  auto hide = [&](Value seen) {
    made->front() = arith::SelectOp::create(b, seen, made->front(), lowest);
    if (made->size() > 1)
      made->back() = arith::SelectOp::create(b, seen, made->back(), e.f32(0, lanes));
  };
  if (!op.getScore().empty())
    made = inlined(op.getScore(), {{Lanes::Vector, product}, batch, head, place.query, place.key});
  if (succeeded(made) && !op.getMask().empty()) {
    FailureOr<SmallVector<Value, 2>> seen = inlined(op.getMask(), {batch, head, place.query, place.key});
    if (failed(seen))
      made = failure();
    else
      hide(seen->front());
  }
  e.values = std::move(outer);
  e.block = {};
  b.setLoc(op.getLoc());
  if (failed(made))
    return failure();
  if (op.getCausal()) {
    Value seen = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, place.keyLanes, place.lastKey);
    if (op.getWindow() != 0) {
      Value distance = arith::SubIOp::create(b, place.lastKey, place.keyLanes);
      auto width =
          DenseElementsAttr::get(cast<VectorType>(distance.getType()), static_cast<int32_t>(op.getWindow()));
      Value near =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, distance, arith::ConstantOp::create(b, width));
      seen = arith::AndIOp::create(b, seen, near);
    }
    hide(seen);
  }
  return Score{made->front(), made->size() > 1 ? made->back() : Value()};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

AttentionTiles::Scalars AttentionTiles::asFloat32(Value pointer, Value stride, Value count, int64_t width,
                                                  Value wideTile) {
  if (element.isF32())
    return {pointer, stride, e.index(1)};
  OpBuilder::InsertionGuard guard(b);
  auto each = e.loop(e.index(0), count, 1);
  Value from = e.element(element, pointer, e.mul(each.getInductionVar(), stride));
  Value to = e.element(f32, wideTile, e.mul(each.getInductionVar(), e.index(width)));
  auto widen = [&](Value first) {
    Lanes index{Lanes::Linear, first, 1};
    Value value = e.widen(element, e.load(element, from, index).value);
    e.store(f32, {Lanes::Vector, value}, to, index);
  };
  int64_t whole = width / lanes * lanes;
  if (whole != width) {
    e.block = {lanes, e.firstLanes(lanes, e.index(width - whole))};
    widen(e.index(whole));
  }
  e.block = {lanes, Value()};
  auto columns = e.loop(e.index(0), e.index(whole), lanes, {});
  widen(columns.getInductionVar());
  e.block = {};
  return {wideTile, e.index(width), e.index(1)};
}

void AttentionTiles::emitProduct(const Scalars &scalars, Value rows, Value steps, Value vectorsOf,
                                 Value result, Start start, ArrayRef<Value> scales) {
  Value whole = e.mul(e.div(rows, e.index(productRows)), e.index(productRows));
  for (auto [begin, end, count] :
       {std::tuple(e.index(0), whole, productRows), std::tuple(whole, rows, int64_t{1})}) {
    OpBuilder::InsertionGuard guard(b);
    auto block = e.loop(begin, end, count, {});
    emitProductRows(scalars, block.getInductionVar(), count, steps, vectorsOf, result, start, scales);
  }
}

SmallVector<Value> AttentionTiles::sum(Value begin, Value end, ValueRange start, AddStep addStep) {
  OpBuilder::InsertionGuard guard(b);
  auto loop = e.loop(begin, end, 1, llvm::to_vector(start));
  scf::YieldOp::create(b, addStep(loop.getInductionVar(), loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> AttentionTiles::sumInParts(Value steps, ValueRange zeros, AddStep addStep) {
  OpBuilder::InsertionGuard guard(b);
  auto parts = e.loop(e.index(0), steps, kSumSteps, llvm::to_vector(zeros));
  Value begin = parts.getInductionVar();
  SmallVector<Value> next = sum(begin, e.min(steps, e.add(begin, e.index(kSumSteps))), zeros, addStep);
  for (auto [part, all] : llvm::zip(next, parts.getRegionIterArgs()))
    part = arith::AddFOp::create(b, all, part);
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(parts.getResults());
}

void AttentionTiles::emitProductRows(const Scalars &scalars, Value first, int64_t count, Value steps,
                                     Value vectorsOf, Value result, Start start, ArrayRef<Value> scales) {
  SmallVector<Value> rows;
  for (int64_t r = 0; r < count; ++r)
    rows.push_back(e.add(first, e.index(r)));
  auto addStep = [&](Value step, ValueRange sums) {
    SmallVector<Value> operands, next;
    for (int64_t vector = 0; vector < vectors; ++vector)
      operands.push_back(loadRow(vectorsOf, step, vector));
    for (int64_t r = 0; r < count; ++r) {
      Value offset = e.add(e.mul(rows[r], scalars.rowStride), e.mul(step, scalars.stepStride));
      Value scalar = LLVM::LoadOp::create(b, f32, e.element(f32, scalars.pointer, offset));
      Value factor = vector::BroadcastOp::create(b, row, scalar);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(math::FmaOp::create(b, factor, operands[vector], sums[r * vectors + vector]));
    }
    return next;
  };
  const SmallVector<Value> zeros(count * vectors, e.f32(0, lanes));
  SmallVector<Value> sums =
      start == Start::Zero ? sum(e.index(0), steps, zeros, addStep) : sumInParts(steps, zeros, addStep);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value total = sums[r * vectors + vector];
      if (start == Start::Keep)
        total = arith::AddFOp::create(b, loadRow(result, rows[r], vector), total);
      if (start == Start::Scaled)
        total = math::FmaOp::create(b, loadRow(result, rows[r], vector), scales[vector], total);
      storeRow(total, result, rows[r], vector);
    }
}
