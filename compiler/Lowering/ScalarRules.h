//===- ScalarRules.h - The scalar body of elementwise ops -------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_SCALARRULES_H
#define HEDDLE_COMPILER_LOWERING_SCALARRULES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// The type that values of an element type have inside a kernel: f32 for all floating types.
mlir::Type computeType(mlir::Type elementType);

/// Emits one element of an elementwise graph op in arith and math. Operands have compute types; behind those
/// of graph.dropout comes its layer, an index. Null when there is no rule for the op.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Operation *op,
                       llvm::ArrayRef<mlir::Value> operands);

/// Widens a loaded element to its compute type.
mlir::Value widen(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value element);
/// Rounds a compute value to the element type of the buffer that it is stored to.
mlir::Value narrow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type elementType);
/// A splat constant's element, in compute type.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc, mlir::Attribute element);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_SCALARRULES_H
