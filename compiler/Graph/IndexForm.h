//===- IndexForm.h - Integer values as functions of the index ---*- C++ -*-===//
#ifndef HEDDLE_COMPILER_GRAPH_INDEXFORM_H
#define HEDDLE_COMPILER_GRAPH_INDEXFORM_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace heddle::match {

/// constant + sum of coefficients[d] * index[d]: what the element at an index is. Coefficients of dimensions
/// of extent 1 are 0, where it makes no difference.
struct IndexForm {
  int64_t constant = 0;
  llvm::SmallVector<int64_t, 6> coefficients;
};

/// The form of a value computed from iota and constants, exactly, through views, sums, integer factors and
/// casts: nullopt for anything else, and for floating values that go beyond the integers that their type
/// holds.
std::optional<IndexForm> indexForm(mlir::Value value);

/// The same after a reshape that only adds or drops dimensions of extent 1; else nullopt.
std::optional<IndexForm> reshapedForm(const IndexForm &form, llvm::ArrayRef<int64_t> from,
                                      llvm::ArrayRef<int64_t> to);

/// For a comparison of such values, or its negation: the form that is >= 0 exactly where it holds. nullopt
/// for eq, ne and other values.
std::optional<IndexForm> conditionForm(mlir::Value condition, bool negated);

} // namespace heddle::match

#endif // HEDDLE_COMPILER_GRAPH_INDEXFORM_H
