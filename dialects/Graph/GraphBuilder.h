//===- GraphBuilder.h - Building graph ops at one place ---------*- C++ -*-===//
//
// Creates graph ops with inferred result types, symbolic extents included. Whoever writes graphs (the
// importer, raising, precision, gradients, the optimizer, formulas of named ops) says what is computed;
// shapes follow. Operands must fit: this is for code that knows what it builds, a verifier checks text.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_DIALECTS_GRAPH_GRAPHBUILDER_H
#define HEDDLE_DIALECTS_GRAPH_GRAPHBUILDER_H

#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Builders.h"

namespace heddle::graph {

/// The type of a graph value.
mlir::RankedTensorType typeOf(mlir::Value value);

/// A splat attribute; `value` is rounded to the element type.
mlir::DenseElementsAttr splatAttr(mlir::RankedTensorType type, double value);

/// An op builder with a current location.
class GraphBuilder {
public:
  GraphBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder_(builder), loc_(loc) {}

  void setLocation(mlir::Location loc) { loc_ = loc; }
  mlir::Location location() const { return loc_; }
  mlir::OpBuilder &builder() { return builder_; }
  mlir::MLIRContext *context() { return builder_.getContext(); }

  /// An elementwise op on one operand.
  template <typename OpTy>
  mlir::Value unary(mlir::Value operand) {
    return OpTy::create(builder_, loc_, operand.getType(), operand);
  }
  /// An elementwise op on two operands of one type.
  template <typename OpTy>
  mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return OpTy::create(builder_, loc_, lhs.getType(), lhs, rhs);
  }
  /// The same with a constant on the right.
  template <typename OpTy>
  mlir::Value binary(mlir::Value lhs, double rhs) {
    return binary<OpTy>(lhs, splat(typeOf(lhs), rhs));
  }
  // The right-hand side is a value or a constant.
  template <typename Rhs>
  mlir::Value add(mlir::Value lhs, Rhs rhs) {
    return binary<AddOp>(lhs, rhs);
  }
  template <typename Rhs>
  mlir::Value sub(mlir::Value lhs, Rhs rhs) {
    return binary<SubOp>(lhs, rhs);
  }
  template <typename Rhs>
  mlir::Value mul(mlir::Value lhs, Rhs rhs) {
    return binary<MulOp>(lhs, rhs);
  }
  template <typename Rhs>
  mlir::Value div(mlir::Value lhs, Rhs rhs) {
    return binary<DivOp>(lhs, rhs);
  }

  mlir::Value parameter(llvm::ArrayRef<PartAttr> parts, mlir::RankedTensorType type);
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  mlir::Value iota(mlir::RankedTensorType type, int64_t axis);

  /// Of `key`, i64 [1].
  mlir::Value dropout(mlir::Value operand, mlir::Value key, int64_t layer, double probability);

  mlir::Value compare(Predicate predicate, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue, mlir::Value ifFalse);
  mlir::Value cast(mlir::Value operand, mlir::Type elementType, bool implicit = false);

  mlir::Value reshape(mlir::Value operand, llvm::ArrayRef<SymbolicDim> shape);
  mlir::Value transpose(mlir::Value operand, llvm::ArrayRef<int64_t> permutation);
  /// The last two dimensions exchanged.
  mlir::Value transposeLast(mlir::Value operand);
  /// A strided part of one dimension.
  mlir::Value slice(mlir::Value operand, int64_t dim, int64_t offset, int64_t extent, int64_t stride = 1);
  /// To `shape`: leading dimensions are added, dimensions of extent 1 are repeated.
  mlir::Value broadcast(mlir::Value operand, llvm::ArrayRef<SymbolicDim> shape);
  mlir::Value concat(mlir::ValueRange operands, int64_t axis);
  mlir::Value reduce(ReduceKind kind, mlir::Value operand, llvm::ArrayRef<int64_t> axes);
  /// Result elements are the operands' where `elementType` is null.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs, mlir::Type elementType = {});

private:
  mlir::OpBuilder &builder_;
  mlir::Location loc_;
};

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_GRAPHBUILDER_H
