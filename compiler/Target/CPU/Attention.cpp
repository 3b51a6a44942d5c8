// kernel.skeleton attention_forward on the CPU.
//
// An item is a tile of queries of one head. Lanes are queries: the tile of queries is transposed once, so
// that
//   scores[key][query] = sum over d of key[key][d] * queries[d][query]
//   out[d][query]      = sum over key of value[key][d] * weights[key][query]
// are the same product of scalars read in place, broadcast, with rows of vectors; maximum and sum of the
// softmax run down the keys without a horizontal step; and keys and values are never transposed. The softmax
// is the online one: the running maximum and sum of each query live in registers over tiles of keys, and what
// was summed under an older maximum is scaled down. Memory besides the operands is a few tiles on the stack.
#include "compiler/Target/CPU/KernelLowering.h"
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Keys of one step of the online softmax.
static constexpr int64_t kKeys = 64;

int64_t heddle::cpu::attentionQueries(const CpuTarget &target) { return target.lanes * target.unroll; }

namespace {
/// A matrix of scalars that a product reads: element (row, step) at row * rowStride + step * stepStride.
struct Scalars {
  Value pointer, rowStride, stepStride;
};

class AttentionLowering {
public:
  AttentionLowering(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target)
      : e(emitter), b(emitter.b), op(op), lanes(target.lanes), vectors(target.unroll),
        queries(lanes * vectors), productRows(target.productRows), element(op.getElementType()),
        f32(b.getF32Type()), row(VectorType::get({lanes}, f32)) {}

  LogicalResult run(Value begin, Value end);

private:
  LogicalResult allocate();
  LogicalResult emitItem(Value item);
  /// The tile of queries, transposed, zero where there is none; and the tile of out, zero.
  void loadQueries();
  /// One tile of keys from `first` on; `state` is maximum and sum, `vectors` of each.
  LogicalResult emitKeys(Value first, SmallVectorImpl<Value> &state);
  /// Scale, score, mask and causality of `count` keys from `first` on, in place; returns the maxima.
  FailureOr<SmallVector<Value>> emitScores(Value first, Value count);
  FailureOr<Value> emitScore(Value score, Value key, int64_t vector);
  void storeOut(ArrayRef<Value> sums);
  /// result[r] = result[r] * scales + sum over `steps` of scalars(r, step) * vectorsOf[step], for each of
  /// `rows`; without scales the sum alone.
  void emitProduct(const Scalars &scalars, Value rows, Value steps, Value vectorsOf, Value result,
                   ArrayRef<Value> scales);
  void emitProductRows(const Scalars &scalars, Value first, int64_t count, Value steps, Value vectorsOf,
                       Value result, ArrayRef<Value> scales);
  /// `count` rows of an operand as float32: in place, or widened into a tile.
  Scalars asFloat32(Value pointer, Value stride, Value count, int64_t width);

  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(x, y); }
  Value div(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(x, y); }
  Value rem(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(x, y); }
  Value min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
  Value count(int64_t position) { return e.uniform(op.getCounts()[position]); }
  Value buffer(int64_t position) { return e.uniform(op.getBuffers()[position]); }
  /// The stride over batch, head or sequence (0, 1, 2) of query, key, value or out (0 to 3).
  Value stride(int64_t operand, int64_t dim) { return count(kernel::kAttentionLengths + operand * 3 + dim); }
  /// Vector `vector` of row `r` of a tile of `queries` columns.
  Value at(Value tile, Value r, int64_t vector) {
    return e.element(f32, tile, add(mul(r, e.index(queries)), e.index(vector * lanes)));
  }
  Value loadRow(Value tile, Value r, int64_t vector) {
    return LLVM::LoadOp::create(b, row, at(tile, r, vector), 64);
  }
  void storeRow(Value value, Value tile, Value r, int64_t vector) {
    LLVM::StoreOp::create(b, value, at(tile, r, vector), 64);
  }
  /// A loop, with the builder moved into it: callers hold a guard.
  scf::ForOp loop(Value begin, Value end, int64_t step, ValueRange initial) {
    auto result = scf::ForOp::create(b, begin, end, e.index(step), initial);
    b.setInsertionPointToStart(result.getBody());
    return result;
  }

  LaneEmitter &e;
  ImplicitLocOpBuilder &b;
  kernel::SkeletonOp op;
  const int64_t lanes, vectors, queries, productRows;
  const Type element, f32;
  const VectorType row;
  // Tiles on the stack: [headDim][queries], [valueDim][queries], [kKeys][queries], [kKeys][widest head].
  Value queryTile, outTile, scoreTile, wideTile;
  // Of the current item.
  Value batch, head, firstQuery, numQueries, queryPointer, keyPointer, valuePointer, outPointer;
  SmallVector<Value> masks;    ///< Which lanes are queries, for each vector.
  SmallVector<Value> lastKeys; ///< With `causal`, the last key that each query sees: vector<lanes x i32>.
  Value keysBegin;             ///< The first key that any query of the tile sees, by its window.
  Value keysEnd;               ///< Behind the last key that any query of the tile sees.
};
} // namespace

LogicalResult AttentionLowering::allocate() {
  int64_t head = op.getHeadDim(), value = op.getValueDim();
  int64_t wide = element.isF32() ? 0 : kKeys * std::max(head, value);
  int64_t bytes = ((head + value + kKeys) * queries + wide) * 4;
  if (bytes > kStackBytes)
    return op.emitOpError() << "of head dimensions " << head << " and " << value << " needs " << bytes
                            << " bytes for its tiles, more than the " << kStackBytes
                            << " that fit on a thread's stack";
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto tile = [&](int64_t count) -> Value {
    Value size = arith::ConstantOp::create(b, b.getI64IntegerAttr(count));
    return LLVM::AllocaOp::create(b, pointer, f32, size, /*alignment=*/64);
  };
  queryTile = tile(head * queries);
  outTile = tile(value * queries);
  scoreTile = tile(kKeys * queries);
  if (wide)
    wideTile = tile(wide);
  return success();
}

LogicalResult AttentionLowering::run(Value begin, Value end) {
  b.setLoc(op.getLoc());
  if (failed(allocate()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  auto items = loop(begin, end, 1, {});
  return emitItem(items.getInductionVar());
}

LogicalResult AttentionLowering::emitItem(Value item) {
  Value heads = count(1), queryLength = count(3), keyLength = count(4);
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(queryLength, e.index(queries));
  Value rest = div(item, tiles);
  head = rem(rest, heads);
  batch = div(rest, heads);
  firstQuery = mul(rem(item, tiles), e.index(queries));
  numQueries = min(e.index(queries), sub(queryLength, firstQuery));
  // Neighbouring heads share a key head.
  Value keyHead = div(head, div(heads, count(2)));
  auto place = [&](int64_t operand, Value headOf, Value first) {
    Value offset = add(mul(batch, stride(operand, 0)), mul(headOf, stride(operand, 1)));
    return e.element(element, buffer(operand), first ? add(offset, mul(first, stride(operand, 2))) : offset);
  };
  queryPointer = place(0, head, firstQuery);
  keyPointer = place(1, keyHead, Value());
  valuePointer = place(2, keyHead, Value());
  outPointer = place(3, head, firstQuery);

  masks.clear();
  lastKeys.clear();
  // `causal` is anchored at the last key; negative where the first queries see none. Keys that no query of
  // the tile sees are not even multiplied.
  Value diagonal = sub(keyLength, queryLength);
  keysEnd = op.getCausal() ? min(keyLength, add(add(firstQuery, numQueries), diagonal)) : keyLength;
  keysBegin = e.index(0);
  if (op.getWindow() != 0) {
    Value first = sub(add(firstQuery, diagonal), e.index(static_cast<int64_t>(op.getWindow()) - 1));
    keysBegin = b.createOrFold<arith::MaxSIOp>(keysBegin, first);
  }
  auto indices = VectorType::get({lanes}, b.getI32Type());
  SmallVector<int32_t> positions = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value position =
      arith::ConstantOp::create(b, DenseElementsAttr::get(indices, ArrayRef<int32_t>(positions)));
  for (int64_t vector = 0; vector < vectors; ++vector) {
    masks.push_back(e.firstLanes(lanes, sub(numQueries, e.index(vector * lanes))));
    Value query = add(firstQuery, e.index(vector * lanes));
    Value last = arith::IndexCastOp::create(b, b.getI32Type(), add(query, diagonal));
    lastKeys.push_back(arith::AddIOp::create(b, vector::BroadcastOp::create(b, indices, last), position));
  }
  loadQueries();

  SmallVector<Value> state(vectors, e.f32(-std::numeric_limits<double>::infinity(), lanes));
  state.append(vectors, e.f32(0, lanes));
  scf::ForOp tilesOfKeys;
  {
    OpBuilder::InsertionGuard guard(b);
    tilesOfKeys = loop(keysBegin, keysEnd, kKeys, state);
    SmallVector<Value> next(tilesOfKeys.getRegionIterArgs());
    Value first = tilesOfKeys.getInductionVar();
    if (failed(emitKeys(first, next)))
      return failure();
    b.setLoc(op.getLoc());
    scf::YieldOp::create(b, next);
  }
  storeOut(SmallVector<Value>(tilesOfKeys.getResults().drop_front(vectors)));
  return success();
}

void AttentionLowering::loadQueries() {
  Value zero = e.f32(0, lanes);
  for (auto [tile, rows] : {std::pair(queryTile, op.getHeadDim()), std::pair(outTile, op.getValueDim())}) {
    OpBuilder::InsertionGuard guard(b);
    auto each = loop(e.index(0), e.index(rows), 1, {});
    for (int64_t vector = 0; vector < vectors; ++vector)
      storeRow(zero, tile, each.getInductionVar(), vector);
  }
  OpBuilder::InsertionGuard guard(b);
  auto query = loop(e.index(0), numQueries, 1, {});
  Value source = e.element(element, queryPointer, mul(query.getInductionVar(), stride(0, 2)));
  auto dim = loop(e.index(0), e.index(op.getHeadDim()), 1, {});
  Value value = e.widen(element, e.load(element, source, {Lanes::Uniform, dim.getInductionVar()}).value);
  Value to = add(mul(dim.getInductionVar(), e.index(queries)), query.getInductionVar());
  LLVM::StoreOp::create(b, value, e.element(f32, queryTile, to));
}

LogicalResult AttentionLowering::emitKeys(Value first, SmallVectorImpl<Value> &state) {
  Value numKeys = min(e.index(kKeys), sub(keysEnd, first));
  Value keyRows = e.element(element, keyPointer, mul(first, stride(1, 2)));
  Scalars keys = asFloat32(keyRows, stride(1, 2), numKeys, op.getHeadDim());
  emitProduct(keys, numKeys, e.index(op.getHeadDim()), queryTile, scoreTile, {});
  FailureOr<SmallVector<Value>> maxima = emitScores(first, numKeys);
  if (failed(maxima))
    return failure();

  // A query that has seen no key has maximum -inf; 0 instead makes its exponentials 0 and not NaN.
  SmallVector<Value> shifts, scales;
  Value lowest = e.f32(-std::numeric_limits<double>::infinity(), lanes), zero = e.f32(0, lanes);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value maximum = arith::MaximumFOp::create(b, state[vector], (*maxima)[vector]);
    Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum, lowest);
    shifts.push_back(arith::SelectOp::create(b, none, zero, maximum));
    Value fall = arith::SubFOp::create(b, state[vector], shifts.back());
    scales.push_back(math::ExpOp::create(b, fall));
    state[vector] = maximum;
  }
  scf::ForOp exponentials;
  {
    OpBuilder::InsertionGuard guard(b);
    exponentials = loop(e.index(0), numKeys, 1, SmallVector<Value>(vectors, zero));
    Value key = exponentials.getInductionVar();
    SmallVector<Value> sums;
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value shifted = arith::SubFOp::create(b, loadRow(scoreTile, key, vector), shifts[vector]);
      Value weight = math::ExpOp::create(b, shifted);
      storeRow(weight, scoreTile, key, vector);
      sums.push_back(arith::AddFOp::create(b, exponentials.getRegionIterArg(vector), weight));
    }
    scf::YieldOp::create(b, sums);
  }
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value earlier = arith::MulFOp::create(b, state[vectors + vector], scales[vector]);
    state[vectors + vector] = arith::AddFOp::create(b, earlier, exponentials.getResult(vector));
  }

  Value valueRows = e.element(element, valuePointer, mul(first, stride(2, 2)));
  Scalars values = asFloat32(valueRows, stride(2, 2), numKeys, op.getValueDim());
  std::swap(values.rowStride, values.stepStride);
  emitProduct(values, e.index(op.getValueDim()), numKeys, scoreTile, outTile, scales);
  return success();
}

FailureOr<SmallVector<Value>> AttentionLowering::emitScores(Value first, Value count) {
  Value lowest = e.f32(-std::numeric_limits<double>::infinity(), lanes);
  OpBuilder::InsertionGuard guard(b);
  auto each = loop(e.index(0), count, 1, SmallVector<Value>(vectors, lowest));
  Value key = add(first, each.getInductionVar());
  SmallVector<Value> maxima;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value score = loadRow(scoreTile, each.getInductionVar(), vector);
    score = arith::MulFOp::create(b, score, e.f32(op.getScale().convertToDouble(), lanes));
    FailureOr<Value> changed = emitScore(score, key, vector);
    if (failed(changed))
      return failure();
    b.setLoc(op.getLoc());
    storeRow(*changed, scoreTile, each.getInductionVar(), vector);
    maxima.push_back(arith::MaximumFOp::create(b, each.getRegionIterArg(vector), *changed));
  }
  scf::YieldOp::create(b, maxima);
  return SmallVector<Value>(each.getResults());
}

/// The generated functions for `vector` of the queries and one key, and causality.
FailureOr<Value> AttentionLowering::emitScore(Value score, Value key, int64_t vector) {
  llvm::DenseMap<Value, Lanes> outer = e.values;
  e.block = {lanes, masks[vector]};
  Lanes query{Lanes::Linear, add(firstQuery, e.index(vector * lanes)), 1, /*aligned=*/true};
  auto inlined = [&](Region &region, ArrayRef<Lanes> arguments) -> FailureOr<Value> {
    for (auto [argument, lanesOf] : llvm::zip(region.getArguments(), arguments))
      e.values[argument] = lanesOf;
    for (Operation &inner : region.front()) {
      if (auto yield = dyn_cast<kernel::YieldOp>(inner))
        return e.asVector(e.values.lookup(yield.getValues()[0]));
      if (failed(e.emit(&inner)))
        return failure();
    }
    return failure();
  };
  Lanes uniformBatch{Lanes::Uniform, batch}, uniformHead{Lanes::Uniform, head},
      uniformKey{Lanes::Uniform, key};
  FailureOr<Value> result = score;
  Value lowest = e.f32(-std::numeric_limits<double>::infinity(), lanes);
  if (!op.getScore().empty())
    result = inlined(op.getScore(), {{Lanes::Vector, score}, uniformBatch, uniformHead, query, uniformKey});
  if (succeeded(result) && !op.getMask().empty()) {
    FailureOr<Value> seen = inlined(op.getMask(), {uniformBatch, uniformHead, query, uniformKey});
    result = failed(seen) ? FailureOr<Value>(failure())
                          : FailureOr<Value>(arith::SelectOp::create(b, *seen, *result, lowest).getResult());
  }
  e.values = std::move(outer);
  e.block = {};
  if (failed(result) || !op.getCausal())
    return result;
  Value narrow = arith::IndexCastOp::create(b, b.getI32Type(), key);
  Value column = vector::BroadcastOp::create(b, lastKeys[vector].getType(), narrow);
  Value seen = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, column, lastKeys[vector]);
  if (op.getWindow() != 0) {
    Value distance = arith::SubIOp::create(b, lastKeys[vector], column);
    auto width =
        DenseElementsAttr::get(cast<VectorType>(column.getType()), static_cast<int32_t>(op.getWindow()));
    Value near =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, distance, arith::ConstantOp::create(b, width));
    seen = arith::AndIOp::create(b, seen, near);
  }
  return arith::SelectOp::create(b, seen, *result, lowest).getResult();
}

/// out = tile / sums, transposed back; zero for queries that saw no key.
void AttentionLowering::storeOut(ArrayRef<Value> sums) {
  Value zero = e.f32(0, lanes);
  {
    OpBuilder::InsertionGuard guard(b);
    auto dim = loop(e.index(0), e.index(op.getValueDim()), 1, {});
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sums[vector], zero);
      Value sum = loadRow(outTile, dim.getInductionVar(), vector);
      Value mean = arith::DivFOp::create(b, sum, sums[vector]);
      storeRow(arith::SelectOp::create(b, none, zero, mean), outTile, dim.getInductionVar(), vector);
    }
  }
  OpBuilder::InsertionGuard guard(b);
  auto query = loop(e.index(0), numQueries, 1, {});
  Value to = e.element(element, outPointer, mul(query.getInductionVar(), stride(3, 2)));
  auto dim = loop(e.index(0), e.index(op.getValueDim()), 1, {});
  Value from = add(mul(dim.getInductionVar(), e.index(queries)), query.getInductionVar());
  Value value = LLVM::LoadOp::create(b, f32, e.element(f32, outTile, from));
  Lanes narrow{Lanes::Uniform, e.narrow(element, value)};
  e.store(element, narrow, to, {Lanes::Uniform, dim.getInductionVar()});
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Scalars AttentionLowering::asFloat32(Value pointer, Value stride, Value count, int64_t width) {
  if (element.isF32())
    return {pointer, stride, e.index(1)};
  OpBuilder::InsertionGuard guard(b);
  auto each = loop(e.index(0), count, 1, {});
  Value from = e.element(element, pointer, mul(each.getInductionVar(), stride));
  Value to = e.element(f32, wideTile, mul(each.getInductionVar(), e.index(width)));
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
  auto columns = loop(e.index(0), e.index(whole), lanes, {});
  widen(columns.getInductionVar());
  e.block = {};
  return {wideTile, e.index(width), e.index(1)};
}

void AttentionLowering::emitProduct(const Scalars &scalars, Value rows, Value steps, Value vectorsOf,
                                    Value result, ArrayRef<Value> scales) {
  Value whole = mul(div(rows, e.index(productRows)), e.index(productRows));
  for (auto [begin, end, count] :
       {std::tuple(e.index(0), whole, productRows), std::tuple(whole, rows, int64_t{1})}) {
    OpBuilder::InsertionGuard guard(b);
    auto block = loop(begin, end, count, {});
    emitProductRows(scalars, block.getInductionVar(), count, steps, vectorsOf, result, scales);
  }
}

void AttentionLowering::emitProductRows(const Scalars &scalars, Value first, int64_t count, Value steps,
                                        Value vectorsOf, Value result, ArrayRef<Value> scales) {
  SmallVector<Value> sums, rows;
  for (int64_t r = 0; r < count; ++r) {
    rows.push_back(add(first, e.index(r)));
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value sum = e.f32(0, lanes);
      if (!scales.empty())
        sum = arith::MulFOp::create(b, loadRow(result, rows[r], vector), scales[vector]);
      sums.push_back(sum);
    }
  }
  scf::ForOp accumulate;
  {
    OpBuilder::InsertionGuard guard(b);
    accumulate = loop(e.index(0), steps, 1, sums);
    Value step = accumulate.getInductionVar();
    SmallVector<Value> operands, next;
    for (int64_t vector = 0; vector < vectors; ++vector)
      operands.push_back(loadRow(vectorsOf, step, vector));
    for (int64_t r = 0; r < count; ++r) {
      Value offset = add(mul(rows[r], scalars.rowStride), mul(step, scalars.stepStride));
      Value scalar = LLVM::LoadOp::create(b, f32, e.element(f32, scalars.pointer, offset));
      Value factor = vector::BroadcastOp::create(b, row, scalar);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(math::FmaOp::create(b, factor, operands[vector],
                                           accumulate.getRegionIterArg(r * vectors + vector)));
    }
    scf::YieldOp::create(b, next);
  }
  for (int64_t r = 0; r < count; ++r)
    for (int64_t vector = 0; vector < vectors; ++vector)
      storeRow(accumulate.getResult(r * vectors + vector), result, rows[r], vector);
}

LogicalResult heddle::cpu::lowerAttention(LaneEmitter &emitter, kernel::SkeletonOp op,
                                          const CpuTarget &target, Value begin, Value end) {
  return AttentionLowering(emitter, op, target).run(begin, end);
}
