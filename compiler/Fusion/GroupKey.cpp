#include "compiler/Fusion/GroupKey.h"
#include "compiler/Fusion/Grouping.h"
#include "dialects/Graph/GraphDialect.h"

using namespace heddle;
using namespace heddle::graph;
using mlir::Operation;
using mlir::Value;

namespace {
/// The word before a value's: they keep keys of different groups from having the same words.
enum Mark : uintptr_t { kKnown, kView, kConstant, kBase };
} // namespace

void GroupKey::defineValue(Value value) {
  if (numbers_.try_emplace(value, values_.size()).second)
    values_.push_back(value);
  addPointer(value.getType().getAsOpaquePointer());
}

void GroupKey::addValue(Value value) {
  if (auto known = numbers_.find(value); known != numbers_.end()) {
    words_.push_back(kKnown);
    words_.push_back(known->second);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<ViewLike>()) {
    words_.push_back(kView);
    addOp(op);
    return;
  }
  // Kernels know a value that is assigned to a leaf by the leaf.
  if (Value storage = storageOf(value); storage != value)
    return addValue(storage);
  // A constant of one value becomes a literal.
  auto constant = llvm::dyn_cast_or_null<ConstantOp>(op);
  words_.push_back(constant ? kConstant : kBase);
  if (constant)
    addPointer(constant.getValue().getAsOpaquePointer());
  defineValue(value);
}

void GroupKey::addOp(Operation *op) {
  addPointer(op->getName().getAsOpaquePointer());
  addPointer(op->getAttrDictionary().getAsOpaquePointer());
  if (op->getNumRegions() != 0)
    addPointer(op);
  words_.push_back(op->getNumOperands());
  for (Value operand : op->getOperands())
    addValue(operand);
  words_.push_back(op->getNumResults());
  for (Value result : op->getResults())
    defineValue(result);
}
