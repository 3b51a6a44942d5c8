//===- ColumnSums.h - Sums over the rows of a row kernel --------*- C++ -*-===//
//
// The gradient of a norm's weight, or of a bias, is a sum over all rows of something that another row kernel
// has at hand: the kernel of the gradient by the norm's input, of the activation. Such a sum is split: that
// kernel sums runs of its rows on its way (graph.partial_sums), and the reduction adds up the few parts.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_FUSION_COLUMNSUMS_H
#define HEDDLE_COMPILER_FUSION_COLUMNSUMS_H

#include "dialects/Graph/GraphDialect.h"

namespace heddle {

/// Sums that a row kernel may hold beside its rows, in units of so many columns: on a GPU four registers of a
/// thread each, at worst.
constexpr int64_t kSumColumns = 4096, kMaxSums = 4;

/// Whether `op` is a float32 sum over leading dimensions, which leaves a constant number of columns.
bool isColumnSum(mlir::Operation *op);

/// Columns that a column sum leaves.
int64_t columnsOf(graph::ReduceOp sum);

/// The parts for rows of so many columns: `parts` for those of up to some thousand, more where they are
/// shorter and fewer where they are longer, so that all parts together need neither too few threads nor much
/// memory. A function of the columns alone: kernels do not change with the number of rows.
int64_t partsFor(int64_t columns, int64_t parts);

/// Lets a column sum read a new op that sums its operand in parts.
graph::PartialSumsOp splitColumnSum(graph::ReduceOp sum, int64_t parts);

/// Takes that back.
void joinColumnSum(graph::PartialSumsOp partial);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_COLUMNSUMS_H
