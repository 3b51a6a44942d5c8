//===- Lanes.h - Scalar stage code for several lanes at once ----*- C++ -*-===//
//
// The bodies of stages are scalar. The CPU runs them for a block of neighbouring columns (or, in attention,
// of neighbouring queries): LaneEmitter emits each scalar op once for the whole block, and keeps apart what
// is the same in every lane and what steps evenly from lane to lane, so that addresses stay scalar and
// accesses contiguous.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_TARGET_CPU_LANES_H
#define HEDDLE_COMPILER_TARGET_CPU_LANES_H

#include "dialects/Kernel/KernelDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle::cpu {

/// A value of a stage, for all lanes of a block.
struct Lanes {
  enum Kind {
    Uniform, ///< `value` is a scalar: the same in every lane.
    Linear,  ///< `value` is an index, that of lane 0; lane i has value + i * stride.
    Vector,  ///< `value` is a vector with an element for each lane.
  };
  Kind kind = Uniform;
  mlir::Value value;
  int64_t stride = 0;
  /// Linear: `value` is a multiple of the number of lanes.
  bool aligned = false;
};

/// Neighbouring iterations that are emitted as one.
struct LaneBlock {
  int64_t lanes = 1;
  /// vector<lanes x i1>, true where the iteration exists; null: all exist.
  mlir::Value mask;
};

/// The type that values of `type` have in lowered code: bf16 is carried as its bits.
mlir::Type carried(mlir::Type type);
/// The type of an element of `type` in memory: as carried, i1 as a byte.
mlir::Type stored(mlir::Type type);

class LaneEmitter {
public:
  explicit LaneEmitter(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  mlir::ImplicitLocOpBuilder &b;
  /// What each value of the kernel has become. Buffers map to pointers.
  llvm::DenseMap<mlir::Value, Lanes> values;
  /// Kept rows that have a stack buffer.
  llvm::DenseMap<mlir::Value, mlir::Value> keptRows;
  /// The index that a stack buffer is read and written at: the block's first column.
  mlir::Value column;
  LaneBlock block;

  void setUniform(mlir::Value from, mlir::Value to) { values[from] = {Lanes::Uniform, to}; }
  /// The scalar that `from` has become. Outside columns loops every value has one.
  mlir::Value uniform(mlir::Value from) const { return values.lookup(from).value; }

  /// Emits one op of a stage. Fails with a diagnostic on an op that the CPU cannot run.
  llvm::LogicalResult emit(mlir::Operation *op);
  /// `lanes` with one element for each lane of the block.
  mlir::Value asVector(const Lanes &lanes);

  // Memory, in elements of `type`.
  Lanes load(mlir::Type type, mlir::Value pointer, const Lanes &index);
  void store(mlir::Type type, const Lanes &value, mlir::Value pointer, const Lanes &index);
  /// Writes `even` and `odd` alternately from `pointer`[index] on; index has stride 2 and the block no mask.
  void storeInterleaved(mlir::Type type, const Lanes &even, const Lanes &odd, mlir::Value pointer,
                        const Lanes &index);
  /// The element index of an access.
  Lanes address(mlir::AffineMap map, mlir::ValueRange indices, mlir::ValueRange symbols);

  /// A carried value of float type `type`, scalar or vector, to float32 and back, rounding to nearest even.
  mlir::Value widen(mlir::Type type, mlir::Value value);
  mlir::Value narrow(mlir::Type type, mlir::Value value);
  /// pointer + index elements of the memory type of `type`.
  mlir::Value element(mlir::Type type, mlir::Value pointer, mlir::Value index);
  mlir::Value index(int64_t value);
  /// A mask of `lanes` with the first `count` (an index below 2^31) set.
  mlir::Value firstLanes(int64_t lanes, mlir::Value count);
  /// A float32 constant, of vector<lanes> if lanes > 0.
  mlir::Value f32(double value, int64_t lanes = 0);

  // Arithmetic on indices, folded where the operands are constants.
  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddIOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubIOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MulIOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::DivUIOp>(x, y); }
  mlir::Value rem(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::RemUIOp>(x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MinSIOp>(x, y); }
  mlir::Value max(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MaxSIOp>(x, y); }
  /// A loop, with the builder moved into it: callers hold a guard.
  mlir::scf::ForOp loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange initial = {}) {
    auto result = mlir::scf::ForOp::create(b, begin, end, index(step), initial);
    b.setInsertionPointToStart(result.getBody());
    return result;
  }

private:
  llvm::LogicalResult emitElementwise(mlir::Operation *op);
  mlir::Value constant(mlir::arith::ConstantOp op);
  bool emitIndexArithmetic(mlir::Operation *op);
  llvm::LogicalResult emitGet(kernel::GetOp op);
  Lanes evaluate(mlir::AffineExpr expression, llvm::ArrayRef<Lanes> operands, unsigned numDims);
  Lanes add(const Lanes &a, const Lanes &b);
  Lanes multiply(const Lanes &a, const Lanes &b);
  Lanes divide(const Lanes &a, const Lanes &b, bool remainder, bool ceiling);
  mlir::Value shuffle(mlir::Value a, mlir::Value b, llvm::ArrayRef<int64_t> order);
  /// Values as they lie in memory (i1 as bytes) and back.
  mlir::Value toMemory(mlir::Type type, mlir::Value value);
  mlir::Value fromMemory(mlir::Type type, mlir::Value value);
  mlir::Value pointers(mlir::Type type, mlir::Value pointer, const Lanes &index);
  mlir::Value maskOrAll();
};

} // namespace heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_LANES_H
