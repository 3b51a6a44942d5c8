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
#include "compiler/Target/CPU/AttentionTiles.h"
#include "compiler/Target/CPU/KernelLowering.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace heddle;
using namespace heddle::cpu;

/// Buffers of the skeleton, by position.
enum : int64_t { kQuery, kKey, kValue, kOut, kStatistics };

namespace {
class AttentionLowering : AttentionTiles {
public:
  AttentionLowering(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target)
      : AttentionTiles(emitter, op, target) {}

  LogicalResult run(Value begin, Value end);

private:
  LogicalResult allocateTiles();
  LogicalResult emitItem(Value item);
  /// One tile of keys from `first` on; `state` is maximum and sum, `vectors` of each.
  LogicalResult emitKeys(Value first, SmallVectorImpl<Value> &state);
  /// Scores of `count` keys from `first` on, in place of their products; returns the maxima.
  FailureOr<SmallVector<Value>> emitScores(Value first, Value count);
  void storeOut(ArrayRef<Value> divisors);
  void storeStatistics(ArrayRef<Value> maxima, ArrayRef<Value> sums);

  // Tiles on the stack: [headDim][queries], [valueDim][queries], [keys][queries], [keys][widest head].
  Value queryTile, outTile, scoreTile, wideTile;
  // Of the current item.
  Value batch, head, firstQuery, numQueries, keyPointer, valuePointer, outPointer;
  SmallVector<Value> masks;    ///< Which lanes are queries, for each vector.
  SmallVector<Value> lastKeys; ///< With `causal`, the last key that each query sees: vector<lanes x i32>.
  Value keysBegin;             ///< The first key that any query of the tile sees, by its window.
  Value keysEnd;               ///< Behind the last key that any query of the tile sees.
};
} // namespace

LogicalResult AttentionLowering::allocateTiles() {
  int64_t head = op.getHeadDim(), value = op.getValueDim();
  int64_t wide = element.isF32() ? 0 : rows * std::max(head, value);
  if (failed(verifyStack(((head + value + rows) * columns + wide) * 4)))
    return failure();
  queryTile = allocate(head * columns);
  outTile = allocate(value * columns);
  scoreTile = allocate(rows * columns);
  if (wide)
    wideTile = allocate(wide);
  return success();
}

LogicalResult AttentionLowering::run(Value begin, Value end) {
  b.setLoc(op.getLoc());
  if (failed(allocateTiles()))
    return failure();
  OpBuilder::InsertionGuard guard(b);
  auto items = e.loop(begin, end, 1);
  return emitItem(items.getInductionVar());
}

LogicalResult AttentionLowering::emitItem(Value item) {
  Value heads = count(1), queryLength = count(3), keyLength = count(4);
  Value tiles = b.createOrFold<arith::CeilDivUIOp>(queryLength, e.index(columns));
  Value rest = e.div(item, tiles);
  head = e.rem(rest, heads);
  batch = e.div(rest, heads);
  firstQuery = e.mul(e.rem(item, tiles), e.index(columns));
  numQueries = e.min(e.index(columns), e.sub(queryLength, firstQuery));
  // Neighbouring heads share a key head.
  Value keyHead = e.div(head, e.div(heads, count(2)));
  keyPointer = place(kKey, batch, keyHead, Value());
  valuePointer = place(kValue, batch, keyHead, Value());
  outPointer = place(kOut, batch, head, firstQuery);

  masks.clear();
  lastKeys.clear();
  // `causal` is anchored at the last key; negative where the first queries see none. Keys that no query of
  // the tile sees are not even multiplied.
  Value diagonal = e.sub(keyLength, queryLength);
  keysEnd = op.getCausal() ? e.min(keyLength, e.add(e.add(firstQuery, numQueries), diagonal)) : keyLength;
  keysBegin = e.index(0);
  if (op.getWindow() != 0)
    keysBegin = e.max(keysBegin,
                      e.sub(e.add(firstQuery, diagonal), e.index(static_cast<int64_t>(op.getWindow()) - 1)));
  for (int64_t vector = 0; vector < vectors; ++vector) {
    masks.push_back(e.firstLanes(lanes, e.sub(numQueries, e.index(vector * lanes))));
    lastKeys.push_back(positions(e.add(firstQuery, diagonal), vector));
  }
  loadColumns(queryTile, place(kQuery, batch, head, firstQuery), stride(kQuery, 2), numQueries,
              op.getHeadDim());
  clear(outTile, op.getValueDim());

  SmallVector<Value> state(vectors, e.f32(-std::numeric_limits<double>::infinity(), lanes));
  state.append(vectors, e.f32(0, lanes));
  scf::ForOp tilesOfKeys;
  {
    OpBuilder::InsertionGuard guard(b);
    tilesOfKeys = e.loop(keysBegin, keysEnd, rows, state);
    SmallVector<Value> next(tilesOfKeys.getRegionIterArgs());
    Value first = tilesOfKeys.getInductionVar();
    if (failed(emitKeys(first, next)))
      return failure();
    scf::YieldOp::create(b, next);
  }
  SmallVector<Value> maxima(tilesOfKeys.getResults().take_front(vectors)),
      sums(tilesOfKeys.getResults().drop_front(vectors));
  // Queries that saw no key: zeros by any divisor but zero.
  Value zero = e.f32(0, lanes), one = e.f32(1, lanes);
  SmallVector<Value> divisors;
  for (Value sum : sums) {
    Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, zero);
    divisors.push_back(arith::SelectOp::create(b, none, one, sum));
  }
  storeOut(divisors);
  if (op.getStatistics())
    storeStatistics(maxima, sums);
  return success();
}

LogicalResult AttentionLowering::emitKeys(Value first, SmallVectorImpl<Value> &state) {
  Value numKeys = e.min(e.index(rows), e.sub(keysEnd, first));
  Value keyRows = e.element(element, keyPointer, e.mul(first, stride(kKey, 2)));
  Scalars keys = asFloat32(keyRows, stride(kKey, 2), numKeys, op.getHeadDim(), wideTile);
  emitProduct(keys, numKeys, e.index(op.getHeadDim()), queryTile, scoreTile);
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
  SmallVector<Value> sums =
      sumInParts(numKeys, SmallVector<Value>(vectors, zero), [&](Value key, ValueRange part) {
        SmallVector<Value> next;
        for (int64_t vector = 0; vector < vectors; ++vector) {
          Value shifted = arith::SubFOp::create(b, loadRow(scoreTile, key, vector), shifts[vector]);
          Value weight = math::ExpOp::create(b, shifted);
          storeRow(weight, scoreTile, key, vector);
          next.push_back(arith::AddFOp::create(b, part[vector], weight));
        }
        return next;
      });
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value earlier = arith::MulFOp::create(b, state[vectors + vector], scales[vector]);
    state[vectors + vector] = arith::AddFOp::create(b, earlier, sums[vector]);
  }

  Value valueRows = e.element(element, valuePointer, e.mul(first, stride(kValue, 2)));
  Scalars values = asFloat32(valueRows, stride(kValue, 2), numKeys, op.getValueDim(), wideTile);
  emitProduct(values.transposed(), e.index(op.getValueDim()), numKeys, scoreTile, outTile, Start::Scaled,
              scales);
  return success();
}

FailureOr<SmallVector<Value>> AttentionLowering::emitScores(Value first, Value count) {
  Value lowest = e.f32(-std::numeric_limits<double>::infinity(), lanes);
  OpBuilder::InsertionGuard guard(b);
  auto each = e.loop(e.index(0), count, 1, SmallVector<Value>(vectors, lowest));
  Value key = e.add(first, each.getInductionVar());
  SmallVector<Value> maxima;
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value score = loadRow(scoreTile, each.getInductionVar(), vector);
    Lanes query{Lanes::Linear, e.add(firstQuery, e.index(vector * lanes)), 1, /*aligned=*/true};
    FailureOr<Score> changed = emitScore(score, {batch,
                                                 head,
                                                 query,
                                                 {Lanes::Uniform, key},
                                                 masks[vector],
                                                 lastKeys[vector],
                                                 op.getCausal() ? positions(key) : Value()});
    if (failed(changed))
      return failure();
    storeRow(changed->score, scoreTile, each.getInductionVar(), vector);
    maxima.push_back(arith::MaximumFOp::create(b, each.getRegionIterArg(vector), changed->score));
  }
  scf::YieldOp::create(b, maxima);
  return SmallVector<Value>(each.getResults());
}

/// out = tile / divisors, transposed back. A product with the rounded factor of the statistics would make of
/// delta another mean than the one by these weights.
void AttentionLowering::storeOut(ArrayRef<Value> divisors) {
  {
    OpBuilder::InsertionGuard guard(b);
    auto dim = e.loop(e.index(0), e.index(op.getValueDim()), 1);
    for (int64_t vector = 0; vector < vectors; ++vector) {
      Value sum = loadRow(outTile, dim.getInductionVar(), vector);
      storeRow(arith::DivFOp::create(b, sum, divisors[vector]), outTile, dim.getInductionVar(), vector);
    }
  }
  storeColumns(outTile, outPointer, stride(kOut, 2), numQueries, op.getValueDim());
}

/// Maximum and 1 / sum; zeros of queries that saw no key.
void AttentionLowering::storeStatistics(ArrayRef<Value> maxima, ArrayRef<Value> sums) {
  Value zero = e.f32(0, lanes), one = e.f32(1, lanes);
  Value first = statistic(batch, head, firstQuery);
  for (int64_t vector = 0; vector < vectors; ++vector) {
    Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sums[vector], zero);
    Value factor = arith::SelectOp::create(b, none, zero, arith::DivFOp::create(b, one, sums[vector]));
    Value at = e.add(first, e.index(vector * lanes));
    auto store = [&](Value value, Value index) {
      e.block = {lanes, masks[vector]};
      e.store(f32, {Lanes::Vector, value}, buffer(kStatistics), {Lanes::Linear, index, 1});
      e.block = {};
    };
    store(arith::SelectOp::create(b, none, zero, maxima[vector]), at);
    store(factor, e.add(at, statisticRows()));
  }
}

LogicalResult heddle::cpu::lowerAttention(LaneEmitter &emitter, kernel::SkeletonOp op,
                                          const CpuTarget &target, Value begin, Value end) {
  return AttentionLowering(emitter, op, target).run(begin, end);
}
