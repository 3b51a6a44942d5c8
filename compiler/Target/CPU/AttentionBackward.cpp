// kernel.skeleton attention_backward_* on the CPU.
//
// An item is a tile of the lane side: keys of a key head (attention_backward_keys), queries of a head
// (attention_backward_queries) or queries of a matrix of the bias's gradient (attention_backward_bias). Over
// the rows of the other side that causality and the window leave, with l a lane and r a row,
//   scores[r][l]  = sum over d of other[r][d] * own[d][l]       keys and queries
//   changes[r][l] = sum over e of otherGrad[r][e] * ownGrad[e][l]   values and gradients of the result
//   p = exp(score - maximum) * factor, changes = p * (changes - delta) * slope * scale
//   sums[d][l]   += sum over r of other[r][d] * changes[r][l]   dkey, dquery
//   values[e][l] += sum over r of otherGrad[r][e] * p[r][l]     dvalue
// which are forward's products with the sides in their roles or exchanged. An item writes what no other does,
// and sums in an order that does not depend on the number of threads.
#include "compiler/Target/CPU/AttentionTiles.h"
#include "compiler/Target/CPU/KernelLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Buffers of all three skeletons, by position.
enum : int64_t { kQuery, kKey, kValue, kGradient, kStatistics, kDelta, kFirstResult, kSecondResult };

namespace {
/// What is known of a row of scores, in all lanes or one a lane.
struct RowStatistics {
  Value maximum, factor, delta;
};

class AttentionBackward : AttentionTiles {
public:
  AttentionBackward(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target)
      : AttentionTiles(emitter, op, target), ofKeys(op.getName() == kernel::kAttentionKeys),
        ofBias(op.getName() == kernel::kAttentionBias), headDim(op.getHeadDim()), valueDim(op.getValueDim()) {
  }

  LogicalResult run(Value begin, Value end);

private:
  LogicalResult allocateTiles();
  LogicalResult emitKeysItem(Value item);
  LogicalResult emitQueriesItem(Value item);
  LogicalResult emitBiasItem(Value item);
  /// Tile `item` of `length` columns: sets `first`, `number` and `masks`, returns the rest of the item.
  Value startTile(Value item, Value length);
  /// The tile of queries, and over the keys that it sees.
  LogicalResult emitQueries();
  /// `number` rows from `firstRow` on of the side that is not along the lanes.
  LogicalResult emitRows(Value firstRow, Value numRows);
  /// Probabilities and changes of the rows, in place of their products.
  LogicalResult emitChanges(Value firstRow, Value numRows);
  /// Of the queries at `row`, or in the lanes of `vector`.
  RowStatistics statisticsOf(Value row, int64_t vector);
  void addToBias(Value firstRow, Value numRows);

  Value diagonal() { return e.sub(count(4), count(3)); }

  const bool ofKeys, ofBias;
  const int64_t headDim, valueDim;
  // On the stack: the lane side's tiles, what is summed, scores and changes, what is known of each query, and
  // float32 copies of the other side.
  Value ownTile, ownGradTile, sumTile, valueSumTile, scoreTile, changeTile, statisticTile, wideTile,
      wideGradTile;
  // Of the current item.
  Value batch, head, keyHead, first, number;
  SmallVector<Value> masks; ///< Which lanes exist, for each vector.
  SmallVector<Value>
      columnsAt;     ///< With `causal`, of each vector the keys, or the last keys that queries see.
  Value biasPointer; ///< The matrix of the bias's gradient.
};
} // namespace

LogicalResult AttentionBackward::allocateTiles() {
  auto tile = [&](int64_t height) { return allocate(height * columns); };
  if (failed(verifyStack(gradientBytes(op, lanes, sizes)))) // Of what follows.
    return failure();
  ownTile = tile(headDim);
  ownGradTile = tile(valueDim);
  if (!ofBias)
    sumTile = tile(headDim);
  if (ofKeys)
    valueSumTile = tile(valueDim);
  scoreTile = tile(rows);
  changeTile = tile(rows);
  statisticTile = tile(kStatisticRows);
  if (!element.isF32()) {
    wideTile = allocate(rows * headDim);
    wideGradTile = allocate(rows * valueDim);
  }
  return success();
}

LogicalResult AttentionBackward::run(Value begin, Value end) {
  b.setLoc(op.getLoc());
  if (failed(allocateTiles()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  Value item = e.loop(begin, end, 1).getInductionVar();
  return ofKeys ? emitKeysItem(item) : ofBias ? emitBiasItem(item) : emitQueriesItem(item);
}

Value AttentionBackward::startTile(Value item, Value length) {
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(length, e.index(columns));
  first = e.mul(e.rem(item, tiles), e.index(columns));
  number = e.min(e.index(columns), e.sub(length, first));
  masks.clear();
  columnsAt.clear();
  for (int64_t vector = 0; vector < vectors; ++vector) {
    masks.push_back(e.firstLanes(lanes, e.sub(number, e.index(vector * lanes))));
    columnsAt.push_back(positions(ofKeys ? first : e.add(first, diagonal()), vector));
  }
  return e.div(item, tiles);
}

LogicalResult AttentionBackward::emitKeysItem(Value item) {
  Value rest = startTile(item, count(4));
  keyHead = e.rem(rest, count(2));
  batch = e.div(rest, count(2));
  loadColumns(ownTile, place(kKey, batch, keyHead, first), stride(kKey, 2), number, headDim);
  loadColumns(ownGradTile, place(kValue, batch, keyHead, first), stride(kValue, 2), number, valueDim);
  clear(sumTile, headDim);
  clear(valueSumTile, valueDim);
  // Queries that see one of the keys: from the first key's diagonal on, up to the last key's window.
  Value begin = e.index(0), end = count(3);
  if (op.getCausal())
    begin = e.max(begin, e.sub(first, diagonal()));
  if (op.getWindow() != 0)
    end = e.min(end, e.add(e.sub(e.add(first, number), diagonal()),
                           e.index(static_cast<int64_t>(op.getWindow()) - 1)));
  {
    OpBuilder::InsertionGuard guard(b);
    Value group = e.div(count(1), count(2));
    Value firstHead = e.mul(keyHead, group);
    head = e.loop(firstHead, e.add(firstHead, group), 1).getInductionVar();
    Value firstRow = e.loop(begin, end, rows).getInductionVar();
    if (failed(emitRows(firstRow, e.min(e.index(rows), e.sub(end, firstRow)))))
      return failure();
  }
  storeColumns(sumTile, place(kFirstResult, batch, keyHead, first), stride(kFirstResult, 2), number, headDim);
  storeColumns(valueSumTile, place(kSecondResult, batch, keyHead, first), stride(kSecondResult, 2), number,
               valueDim);
  return success();
}

LogicalResult AttentionBackward::emitQueriesItem(Value item) {
  Value rest = startTile(item, count(3));
  head = e.rem(rest, count(1));
  batch = e.div(rest, count(1));
  clear(sumTile, headDim);
  if (failed(emitQueries()))
    return failure();
  storeColumns(sumTile, place(kFirstResult, batch, head, first), stride(kFirstResult, 2), number, headDim);
  return success();
}

LogicalResult AttentionBackward::emitBiasItem(Value item) {
  Value batches = e.uniform(op.getBiasCounts()[0]), heads = e.uniform(op.getBiasCounts()[1]);
  Value matrix = startTile(item, count(3));
  Value elements = e.mul(count(3), count(4));
  biasPointer = e.element(f32, buffer(kFirstResult), e.mul(matrix, elements));
  {
    OpBuilder::InsertionGuard guard(b);
    Value start = e.mul(first, count(4));
    Value at = e.loop(start, e.add(start, e.mul(number, count(4))), 1).getInductionVar();
    LLVM::StoreOp::create(b, e.f32(0), e.element(f32, biasPointer, at));
  }
  // One of the batches and heads, or all that share the matrix.
  auto range = [&](Value index, Value extent, Value all) {
    Value shared = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, extent, e.index(1));
    Value end = arith::SelectOp::create(b, shared, all, e.add(index, e.index(1)));
    return e.loop(index, end, 1).getInductionVar();
  };
  OpBuilder::InsertionGuard guard(b);
  Value batchIndex = e.div(matrix, heads), headIndex = e.rem(matrix, heads);
  batch = range(batchIndex, batches, count(0));
  head = range(headIndex, heads, count(1));
  return emitQueries();
}

LogicalResult AttentionBackward::emitQueries() {
  keyHead = e.div(head, e.div(count(1), count(2)));
  loadColumns(ownTile, place(kQuery, batch, head, first), stride(kQuery, 2), number, headDim);
  loadColumns(ownGradTile, place(kGradient, batch, head, first), stride(kGradient, 2), number, valueDim);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value at = statistic(batch, head, e.add(first, e.index(vector * lanes)));
    auto load = [&](int64_t position, Value at, int64_t to) {
      e.block = {lanes, masks[vector]};
      Lanes index{Lanes::Linear, at, 1};
      storeRow(e.asVector(e.load(f32, buffer(position), index)), statisticTile, e.index(to), vector);
      e.block = {};
    };
    load(kStatistics, at, 0);
    load(kStatistics, e.add(at, statisticRows()), 1);
    load(kDelta, at, 2);
  }
  Value begin = e.index(0), end = count(4);
  if (op.getCausal())
    end = e.min(end, e.add(e.add(first, number), diagonal()));
  if (op.getWindow() != 0)
    begin = e.max(begin, e.sub(e.add(first, diagonal()), e.index(static_cast<int64_t>(op.getWindow()) - 1)));
  OpBuilder::InsertionGuard guard(b);
  Value firstRow = e.loop(begin, end, rows).getInductionVar();
  return emitRows(firstRow, e.min(e.index(rows), e.sub(end, firstRow)));
}

LogicalResult AttentionBackward::emitRows(Value firstRow, Value numRows) {
  int64_t other = ofKeys ? kQuery : kKey, otherGrad = ofKeys ? kGradient : kValue;
  Value otherHead = ofKeys ? head : keyHead;
  Scalars scalars =
      asFloat32(place(other, batch, otherHead, firstRow), stride(other, 2), numRows, headDim, wideTile);
  Scalars gradScalars = asFloat32(place(otherGrad, batch, otherHead, firstRow), stride(otherGrad, 2), numRows,
                                  valueDim, wideGradTile);
  emitProduct(scalars, numRows, e.index(headDim), ownTile, scoreTile);
  emitProduct(gradScalars, numRows, e.index(valueDim), ownGradTile, changeTile);
  if (failed(emitChanges(firstRow, numRows)))
    return failure();
  if (ofBias) {
    addToBias(firstRow, numRows);
    return success();
  }
  emitProduct(scalars.transposed(), e.index(headDim), numRows, changeTile, sumTile, Start::Keep);
  if (ofKeys)
    emitProduct(gradScalars.transposed(), e.index(valueDim), numRows, scoreTile, valueSumTile, Start::Keep);
  return success();
}

RowStatistics AttentionBackward::statisticsOf(Value query, int64_t vector) {
  if (!ofKeys)
    return {loadRow(statisticTile, e.index(0), vector), loadRow(statisticTile, e.index(1), vector),
            loadRow(statisticTile, e.index(2), vector)};
  Value at = statistic(batch, head, query);
  auto load = [&](int64_t position, Value at) -> Value {
    Value value = LLVM::LoadOp::create(b, f32, e.element(f32, buffer(position), at));
    return vector::BroadcastOp::create(b, row, value);
  };
  return {load(kStatistics, at), load(kStatistics, e.add(at, statisticRows())), load(kDelta, at)};
}

LogicalResult AttentionBackward::emitChanges(Value firstRow, Value numRows) {
  OpBuilder::InsertionGuard guard(b);
  Value r = e.loop(e.index(0), numRows, 1).getInductionVar();
  Value at = e.add(firstRow, r);
  Value rowAt = op.getCausal() ? positions(ofKeys ? e.add(at, diagonal()) : at) : Value();
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Lanes column{Lanes::Linear, e.add(first, e.index(vector * lanes)), 1, /*aligned=*/true};
    Lanes uniform{Lanes::Uniform, at};
    Place place{batch, head, column, uniform, masks[vector], columnsAt[vector], rowAt};
    if (ofKeys)
      place = {batch, head, uniform, column, masks[vector], rowAt, columnsAt[vector]};
    FailureOr<Score> score = emitScore(loadRow(scoreTile, r, vector), place);
    if (failed(score))
      return failure();
    auto [maximum, factor, delta] = statisticsOf(at, vector);
    Value p = math::ExpOp::create(b, arith::SubFOp::create(b, score->score, maximum));
    p = arith::MulFOp::create(b, p, factor);
    Value change = arith::SubFOp::create(b, loadRow(changeTile, r, vector), delta);
    change = arith::MulFOp::create(b, p, change);
    if (score->slope)
      change = arith::MulFOp::create(b, change, score->slope);
    if (!ofBias)
      change = arith::MulFOp::create(b, change, e.f32(op.getScale().convertToDouble(), lanes));
    storeRow(change, changeTile, r, vector);
    if (ofKeys)
      storeRow(p, scoreTile, r, vector);
  }
  return success();
}

/// The changes of `numRows` keys from `firstRow` on, transposed back.
void AttentionBackward::addToBias(Value firstRow, Value numRows) {
  OpBuilder::InsertionGuard guard(b);
  Value query = e.loop(e.index(0), number, 1).getInductionVar();
  Value to = e.add(e.mul(e.add(first, query), count(4)), firstRow);
  Value key = e.loop(e.index(0), numRows, 1).getInductionVar();
  Value from = e.add(e.mul(key, e.index(columns)), query);
  Value pointer = e.element(f32, biasPointer, e.add(to, key));
  Value change = LLVM::LoadOp::create(b, f32, e.element(f32, changeTile, from));
  Value sum = arith::AddFOp::create(b, LLVM::LoadOp::create(b, f32, pointer), change);
  LLVM::StoreOp::create(b, sum, pointer);
}

LogicalResult heddle::cpu::lowerAttentionBackward(LaneEmitter &emitter, kernel::SkeletonOp op,
                                                  const CpuTarget &target, Value begin, Value end) {
  if (op.getName() == kernel::kAttentionBackward)
    return op.emitOpError() << "\"" << op.getName() << "\" is a GPU's: items of a CPU do not take turns";
  return AttentionBackward(emitter, op, target).run(begin, end);
}
