//===- Access.h - Where a view's elements lie -------------------*- C++ -*-===//
//
// Views (transpose, reshape, slice, broadcast) move no data: reading one reads the tensor under it, its
// *base*, at another place. An Access says where.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_LAYOUT_ACCESS_H
#define HEDDLE_COMPILER_LAYOUT_ACCESS_H

#include "compiler/Layout/IterationSpace.h"
#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace heddle {

/// An element of a base tensor: `offset`, in elements, over the atoms of the space. The base is contiguous.
struct Access {
  mlir::Value base;
  LinearForm offset;
};

/// Follows views up from `value`, whose index is `index` in `space`, to the first value that is no view.
/// Fails with `error` where a reshape, `stoppedAt`, cannot be read through the views under it: a copy of its
/// operand is what it needs.
std::optional<Access> resolveAccess(mlir::Value value, const TensorIndex &index, IterationSpace &space,
                                    std::string *error = nullptr, graph::ReshapeOp *stoppedAt = nullptr);

/// The index of a view's result, given its operand's, where the view keeps all elements (transpose,
/// broadcast, reshape).
std::optional<TensorIndex> indexThroughView(mlir::Operation *view, const TensorIndex &operand,
                                            IterationSpace &space, std::string *error = nullptr);

/// The value under all views.
mlir::Value baseOf(mlir::Value value);

/// Bytes of a tensor's elements; i1 takes one.
int64_t bytesOf(mlir::Value tensor);

/// A dimension's single stride in an access: coefficient of the product as if it were one index; nullopt when
/// its atoms do not lie evenly. An extent of 1 has stride 0.
std::optional<SymbolicDim> strideOf(const AtomProduct &product, const LinearForm &offset,
                                    const IterationSpace &space);

/// The constant part of an offset, as a value.
int64_t constantOf(const LinearForm &offset);

} // namespace heddle

#endif // HEDDLE_COMPILER_LAYOUT_ACCESS_H
