//===- AttentionTiles.h - Tiles, products and scores of attention -*- C++ -*-===//
//
// What the attention skeletons share on the CPU. One side of the scores, queries or keys, lies along the
// lanes: its tile is transposed once, [width][columns], so that a tile of scores [rows][columns] is the
// product of scalars of the other side, read in place and broadcast, with rows of vectors; sums over rows are
// products of the same kind, and nothing is summed across lanes.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_ATTENTIONTILES_H
#define HEDDLE_COMPILER_TARGET_CPU_ATTENTIONTILES_H

#include "compiler/Target/CPU/CpuTarget.h"
#include "compiler/Target/CPU/Lanes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle::cpu {

/// How large the tiles of a skeleton are.
struct AttentionSizes {
  int64_t vectors; ///< Registers that the lane side is wide.
  int64_t rows;    ///< Of the other side, at a time.
};
/// Rows of what a gradient knows of each query: maximum, factor and delta.
constexpr int64_t kStatisticRows = 3;
/// Forward always has the target's registers; the tiles of a gradient shrink with the heads' widths until
/// they fit a thread's stack, if they do.
AttentionSizes attentionSizes(kernel::SkeletonOp op, const CpuTarget &target);
/// Bytes of a gradient's tiles: both operands of the lane side, what is summed over the other one, scores and
/// their gradients, what is known of each row, and float32 copies of the other side.
int64_t gradientBytes(kernel::SkeletonOp op, int64_t lanes, AttentionSizes sizes);

class AttentionTiles {
protected:
  /// A matrix of scalars that a product reads: element (row, step) at row * rowStride + step * stepStride.
  struct Scalars {
    mlir::Value pointer, rowStride, stepStride;
    Scalars transposed() const { return {pointer, stepStride, rowStride}; }
  };
  /// What becomes of what the result holds before a product is added. What stays has been summed over tiles,
  /// and is summed in parts.
  enum class Start { Zero, Keep, Scaled };
  /// A score as softmax sees it, -inf where the key is hidden, and its derivative by the scaled product, zero
  /// there; null: 1 where the key is seen.
  struct Score {
    mlir::Value score, slope;
  };
  /// Where a vector of scores lies.
  struct Place {
    mlir::Value batch, head;
    Lanes query, key;
    mlir::Value mask;              ///< Lanes that exist.
    mlir::Value lastKey, keyLanes; ///< vector<lanes x i32>: the last key that causality shows, and the key.
  };

  AttentionTiles(LaneEmitter &emitter, kernel::SkeletonOp op, const CpuTarget &target);

  /// Scale, generated functions, causality and window. The builder's place must be inside of no other
  /// region's.
  llvm::FailureOr<Score> emitScore(mlir::Value product, const Place &place);
  /// result[r] = start + sum over `steps` of scalars(r, step) * vectorsOf[step], for each of `rows`. `scales`
  /// with Start::Scaled, one a vector.
  void emitProduct(const Scalars &scalars, mlir::Value rows, mlir::Value steps, mlir::Value vectorsOf,
                   mlir::Value result, Start start = Start::Zero, llvm::ArrayRef<mlir::Value> scales = {});
  /// Values with what step `step` adds to them.
  using AddStep =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value step, mlir::ValueRange values)>;
  /// `start` and what all steps from `begin` on add, one after the other.
  llvm::SmallVector<mlir::Value> sum(mlir::Value begin, mlir::Value end, mlir::ValueRange start,
                                     AddStep addStep);
  /// The same from zero and in parts: few roundings, however many steps there are.
  llvm::SmallVector<mlir::Value> sumInParts(mlir::Value steps, mlir::ValueRange zeros, AddStep addStep);
  /// `count` rows of an operand as float32: in place, or widened into a tile.
  Scalars asFloat32(mlir::Value pointer, mlir::Value stride, mlir::Value count, int64_t width,
                    mlir::Value wideTile);
  /// Zeros in all of a tile of `rows`.
  void clear(mlir::Value tile, int64_t rows);
  /// `count` rows of an operand as the first columns of a tile, zeros in the others; and back.
  void loadColumns(mlir::Value tile, mlir::Value pointer, mlir::Value stride, mlir::Value count,
                   int64_t width);
  void storeColumns(mlir::Value tile, mlir::Value pointer, mlir::Value stride, mlir::Value count,
                    int64_t width);
  /// A tile of `count` float32 on the stack.
  mlir::Value allocate(int64_t count);
  /// An error where tiles of so many bytes do not fit.
  llvm::LogicalResult verifyStack(int64_t bytes);
  /// The row `first` of an operand's batch and head; null: the first.
  mlir::Value place(int64_t buffer, mlir::Value batch, mlir::Value head, mlir::Value first);
  /// first + vector * lanes + lane, vector<lanes x i32>; and `value` in all lanes.
  mlir::Value positions(mlir::Value first, int64_t vector);
  mlir::Value positions(mlir::Value value);

  mlir::Value count(int64_t position) { return e.uniform(op.getCounts()[position]); }
  mlir::Value buffer(int64_t position) { return e.uniform(op.getBuffers()[position]); }
  /// Where the statistics and delta of a query are; statistics have a second number so many rows on.
  mlir::Value statistic(mlir::Value batch, mlir::Value head, mlir::Value query) {
    return e.add(e.mul(e.add(e.mul(batch, count(1)), head), count(3)), query);
  }
  mlir::Value statisticRows() { return e.mul(e.mul(count(0), count(1)), count(3)); }
  /// The stride over batch, head or sequence (0, 1, 2) of a buffer.
  mlir::Value stride(int64_t buffer, int64_t dim);
  /// Vector `vector` of row `r` of a tile.
  mlir::Value at(mlir::Value tile, mlir::Value r, int64_t vector) {
    return e.element(f32, tile, e.add(e.mul(r, e.index(columns)), e.index(vector * lanes)));
  }
  mlir::Value loadRow(mlir::Value tile, mlir::Value r, int64_t vector);
  void storeRow(mlir::Value value, mlir::Value tile, mlir::Value r, int64_t vector);

  LaneEmitter &e;
  mlir::ImplicitLocOpBuilder &b;
  kernel::SkeletonOp op;
  const int64_t lanes;
  const AttentionSizes sizes;
  const int64_t vectors, columns, rows, productRows;
  const mlir::Type element, f32;
  const mlir::VectorType row;

private:
  void emitProductRows(const Scalars &scalars, mlir::Value first, int64_t count, mlir::Value steps,
                       mlir::Value vectorsOf, mlir::Value result, Start start,
                       llvm::ArrayRef<mlir::Value> scales);
};

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_ATTENTIONTILES_H
