//===- MatrixAccess.h - Views as operands of products and attention -*- C++ -*-===//
//
// A matrix product reads an operand in place when it is rows and columns of one stride each, one of them 1,
// and one stride from matrix to matrix; attention reads heads of contiguous vectors. Anything else has to be
// copied first. A bias is a vector along the columns.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_LAYOUT_MATRIXACCESS_H
#define HEDDLE_COMPILER_LAYOUT_MATRIXACCESS_H

#include "compiler/Layout/Access.h"
#include "dialects/Graph/GraphDialect.h"

namespace heddle {

/// An operand of a product; strides and offset in elements, as values of this plan.
struct MatrixAccess {
  mlir::Value base;
  int64_t offset = 0, ld = 0, batchStride = 0;
  bool transposed = false; ///< Element (i, j) lies at j * ld + i.
};

struct ProductAccess {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  MatrixAccess lhs, rhs;
};

/// How a matmul reads its operands, or nullopt when one needs a copy.
std::optional<ProductAccess> matrixOperands(graph::MatmulOp op);
/// Whether operand 0 or 1 alone can be read in place.
bool matrixOperandReadable(graph::MatmulOp op, unsigned operand);

/// Strides of a [batch, heads, sequence, width] view with contiguous width, in elements.
struct HeadsAccess {
  mlir::Value base;
  int64_t offset = 0;
  int64_t batch = 0, head = 0, sequence = 0;
};
std::optional<HeadsAccess> headsAccess(mlir::Value value);
/// How attention or its gradient writes `result` where `stored`, which views (transpose, reshape) lead to
/// from it, is contiguous. Fails when a dimension has no single stride there or the head's width is not
/// contiguous.
std::optional<HeadsAccess> headsResultAccess(mlir::Value result, mlir::Value stored);

/// Strides of a mask or bias along [batch, heads, query, key], in elements; 0 where it is broadcast.
struct ScoresAccess {
  mlir::Value base;
  int64_t offset = 0;
  SymbolicShape strides;
};
std::optional<ScoresAccess> scoresAccess(mlir::Value value);

/// How row sums read their gradient: all dimensions but the last are rows of contiguous columns, `ld` apart.
std::optional<MatrixAccess> rowsAccess(mlir::Value value);

/// A vector along the last dimension, the same for all others; the offset in elements.
struct VectorAccess {
  mlir::Value base;
  int64_t offset = 0;
};
/// Nothing where the elements do not lie one behind the other, or differ along another dimension.
std::optional<VectorAccess> columnVector(mlir::Value value);
/// All elements one behind the other, in row-major order.
std::optional<VectorAccess> flatVector(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_COMPILER_LAYOUT_MATRIXACCESS_H
