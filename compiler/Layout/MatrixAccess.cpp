#include "compiler/Layout/MatrixAccess.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

static SymbolicShape shapeOf(Value value) {
  return symbolicShape(llvm::cast<mlir::RankedTensorType>(value.getType()));
}

/// Reads `value` as matrices: the last two dimensions, or with `flattenRows` all but the last dimension as
/// rows.
static std::optional<MatrixAccess> matrixAccess(Value value, bool flattenRows) {
  IterationSpace space;
  SymbolicShape shape = shapeOf(value);
  TensorIndex index = space.addTensor(shape);
  std::optional<Access> access = resolveAccess(value, index, space);
  if (!access)
    return std::nullopt;
  size_t rank = shape.size();
  AtomProduct batch, rows, columns = index[rank - 1];
  for (size_t dim = 0; dim + 1 < rank; ++dim)
    (flattenRows || dim + 2 == rank ? rows : batch).append(index[dim]);
  std::optional<SymbolicDim> batchStride = strideOf(batch, access->offset, space);
  std::optional<SymbolicDim> rowStride = strideOf(rows, access->offset, space);
  std::optional<SymbolicDim> columnStride = strideOf(columns, access->offset, space);
  if (!batchStride || !rowStride || !columnStride)
    return std::nullopt;
  MatrixAccess matrix{access->base, constantOf(access->offset), 0, batchStride->value, false};
  bool oneRow = space.extent(space.resolve(rows)).isOne(), oneColumn = shape[rank - 1].isOne();
  int64_t rowCount = space.extent(space.resolve(rows)).value, columnCount = shape[rank - 1].value;
  // A stride of 0 with several rows or columns is a broadcast, which no product library reads. A lone row or
  // column can take any leading dimension that is large enough.
  if ((!oneRow && rowStride->value == 0) || (!oneColumn && columnStride->value == 0))
    return std::nullopt;
  if (columnStride->isOne() || oneColumn) {
    matrix.ld = oneRow ? columnCount : rowStride->value;
  } else if (rowStride->isOne() || oneRow) {
    matrix.transposed = true;
    matrix.ld = columnStride->value;
  } else {
    return std::nullopt;
  }
  int64_t least = matrix.transposed ? rowCount : columnCount;
  if (matrix.ld < least)
    return std::nullopt;
  return matrix;
}

static bool flattens(MatmulOp op) { return shapeOf(op.getRhs()).size() == 2; }

bool heddle::matrixOperandReadable(MatmulOp op, unsigned operand) {
  return matrixAccess(op->getOperand(operand), operand == 0 && flattens(op)).has_value();
}

std::optional<ProductAccess> heddle::matrixOperands(MatmulOp op) {
  ProductAccess product;
  std::optional<MatrixAccess> lhs = matrixAccess(op.getLhs(), flattens(op));
  std::optional<MatrixAccess> rhs = matrixAccess(op.getRhs(), false);
  if (!lhs || !rhs)
    return std::nullopt;
  llvm::ArrayRef<int64_t> shape = llvm::cast<mlir::RankedTensorType>(op.getLhs().getType()).getShape();
  product.lhs = *lhs;
  product.rhs = *rhs;
  product.m = shape[shape.size() - 2];
  product.k = shape.back();
  product.n = llvm::cast<mlir::RankedTensorType>(op.getResult().getType()).getShape().back();
  for (int64_t extent : shape.drop_back(2))
    (flattens(op) ? product.m : product.batch) *= extent;
  return product;
}

std::optional<MatrixAccess> heddle::rowsAccess(Value value) {
  std::optional<MatrixAccess> matrix = matrixAccess(value, /*flattenRows=*/true);
  if (matrix && matrix->transposed)
    return std::nullopt;
  return matrix;
}

/// Base, and the strides of the four dimensions; nothing where a dimension has none.
static std::optional<Access> evenAccess(Value value, std::optional<SymbolicDim> (&strides)[4]) {
  IterationSpace space;
  TensorIndex index = space.addTensor(shapeOf(value));
  std::optional<Access> access = resolveAccess(value, index, space);
  if (!access)
    return std::nullopt;
  for (int dim = 0; dim < 4; ++dim) {
    strides[dim] = strideOf(index[dim], access->offset, space);
    if (!strides[dim])
      return std::nullopt;
  }
  return access;
}

std::optional<HeadsAccess> heddle::headsAccess(Value value) {
  std::optional<SymbolicDim> strides[4];
  std::optional<Access> access = evenAccess(value, strides);
  if (!access || (!strides[3]->isOne() && !shapeOf(value)[3].isOne()))
    return std::nullopt;
  return HeadsAccess{access->base, constantOf(access->offset), strides[0]->value, strides[1]->value,
                     strides[2]->value};
}

std::optional<HeadsAccess> heddle::headsResultAccess(Value written, Value stored) {
  llvm::SmallVector<mlir::Operation *> views;
  for (Value value = stored; value != written; value = views.back()->getOperand(0))
    views.push_back(value.getDefiningOp());
  IterationSpace space;
  SymbolicShape shape = shapeOf(written);
  TensorIndex result = space.addTensor(shape);
  TensorIndex index = result;
  for (mlir::Operation *view : llvm::reverse(views)) {
    std::optional<TensorIndex> next = indexThroughView(view, index, space);
    if (!next)
      return std::nullopt;
    index = std::move(*next);
  }
  LinearForm offset;
  for (auto [stride, product] : llvm::zip_equal(contiguousStrides(shapeOf(stored)), index))
    offset.addScaled(stride, space.linear(space.resolve(product)));
  int64_t values[4];
  for (int dim = 0; dim < 4; ++dim) {
    std::optional<SymbolicDim> stride = strideOf(result[dim], offset, space);
    if (!stride || (dim == 3 && !stride->isOne() && !shape[3].isOne()))
      return std::nullopt;
    values[dim] = stride->value;
  }
  return HeadsAccess{stored, 0, values[0], values[1], values[2]};
}

std::optional<ScoresAccess> heddle::scoresAccess(Value value) {
  IterationSpace space;
  TensorIndex index = space.addTensor(shapeOf(value));
  std::optional<Access> access = resolveAccess(value, index, space);
  if (!access)
    return std::nullopt;
  ScoresAccess scores{access->base, constantOf(access->offset), {}};
  for (const AtomProduct &product : index) {
    std::optional<SymbolicDim> stride = strideOf(product, access->offset, space);
    if (!stride)
      return std::nullopt;
    scores.strides.push_back(*stride);
  }
  return scores;
}

std::optional<VectorAccess> heddle::columnVector(Value value) {
  IterationSpace space;
  SymbolicShape shape = shapeOf(value);
  if (shape.empty())
    return std::nullopt;
  TensorIndex index = space.addTensor(shape);
  std::optional<Access> access = resolveAccess(value, index, space);
  if (!access)
    return std::nullopt;
  for (auto [dim, product] : llvm::enumerate(index)) {
    std::optional<SymbolicDim> stride = strideOf(product, access->offset, space);
    bool last = dim + 1 == shape.size();
    if (!stride || (last ? !stride->isOne() && !shape[dim].isOne() : stride->value != 0))
      return std::nullopt;
  }
  return VectorAccess{access->base, constantOf(access->offset)};
}

std::optional<VectorAccess> heddle::flatVector(Value value) {
  IterationSpace space;
  TensorIndex index = space.addTensor(shapeOf(value));
  std::optional<Access> access = resolveAccess(value, index, space);
  if (!access)
    return std::nullopt;
  AtomProduct all = flatten(index);
  std::optional<SymbolicDim> stride = strideOf(all, access->offset, space);
  if (!stride || (!stride->isOne() && !space.extent(space.resolve(all)).isOne()))
    return std::nullopt;
  return VectorAccess{access->base, constantOf(access->offset)};
}
