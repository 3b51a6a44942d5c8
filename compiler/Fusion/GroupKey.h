//===- GroupKey.h - What makes two groups of ops alike ----------*- C++ -*-===//
//
// The layers of a model repeat: most of its groups differ from an earlier one only in which values they read.
// The key of a group holds everything else, so that what was found out about one group (that it has an
// iteration space, what kernel it becomes) holds for all groups of the same key.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_FUSION_GROUPKEY_H
#define HEDDLE_COMPILER_FUSION_GROUPKEY_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <vector>

namespace heddle {

/// Ops with names, attributes, types and the pattern of their operands, through views down to the bases,
/// which are numbered as they are met; what is assigned to a leaf is the leaf. Locations and the names of
/// inputs are left out. Words are numbers and addresses of uniqued objects of the context: keys are for
/// comparisons within one compilation alone.
class GroupKey {
public:
  using Words = std::vector<uintptr_t>;

  /// A number that matters beside the ops.
  void addNumber(uintptr_t number) { words_.push_back(number); }
  /// A value by its number; at its first use with what it is.
  void addValue(mlir::Value value);
  /// An op, after those that it reads of the group. An op with regions is like no other.
  void addOp(mlir::Operation *op);
  /// Numbers a value that the group knows from the start.
  void defineValue(mlir::Value value);

  const Words &words() const { return words_; }
  /// The number of a value that was added.
  unsigned numberOf(mlir::Value value) const { return numbers_.at(value); }
  /// The value of a number; groups of one key have the same numbers.
  mlir::Value value(unsigned number) const { return values_[number]; }

private:
  void addPointer(const void *pointer) { words_.push_back(reinterpret_cast<uintptr_t>(pointer)); }

  Words words_;
  llvm::DenseMap<mlir::Value, unsigned> numbers_;
  std::vector<mlir::Value> values_;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_GROUPKEY_H
