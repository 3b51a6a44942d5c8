#include "compiler/Autodiff/Accumulate.h"

#include <optional>

using namespace heddle;
using namespace heddle::graph;
using mlir::Value;

namespace {

/// A value that is zero outside of [offset, offset + extent) of one dimension, as a concatenation of zeros
/// and `part`; behind a reshape where the dimension was taken apart.
struct Placement {
  ConcatOp concat;
  ReshapeOp reshape; ///< Of the concatenation; null: none.
  Value part;
  int64_t offset = 0, extent = 0, whole = 0;
};

/// Whether both are parts of one dimension of one shape.
bool shareFrame(Placement a, Placement b) {
  return a.concat.getType() == b.concat.getType() && a.concat.getAxis() == b.concat.getAxis() &&
         static_cast<bool>(a.reshape) == static_cast<bool>(b.reshape);
}

bool isZero(Value value) {
  mlir::DenseElementsAttr splat = splatConstant(value);
  return splat && splat.getSplatValue<llvm::APFloat>().isPosZero();
}

std::optional<Placement> placementOf(Value value) {
  Placement placement;
  placement.reshape = value.getDefiningOp<ReshapeOp>();
  placement.concat = (placement.reshape ? placement.reshape.getOperand() : value).getDefiningOp<ConcatOp>();
  if (!placement.concat)
    return std::nullopt;
  auto axis = static_cast<int64_t>(placement.concat.getAxis());
  for (Value operand : placement.concat.getOperands()) {
    int64_t extent = typeOf(operand).getDimSize(axis);
    if (!isZero(operand)) {
      if (placement.part)
        return std::nullopt;
      placement.part = operand;
      placement.offset = placement.whole;
      placement.extent = extent;
    }
    placement.whole += extent;
  }
  return placement.part ? std::optional(placement) : std::nullopt;
}

/// Placements of one frame that do not overlap, as one concatenation.
Value sideBySide(GraphBuilder &g, llvm::MutableArrayRef<Placement> placements) {
  Placement &first = placements.front();
  llvm::sort(placements, [](const Placement &a, const Placement &b) { return a.offset < b.offset; });
  auto axis = static_cast<int64_t>(first.concat.getAxis());
  llvm::SmallVector<Value> parts;
  int64_t at = 0;
  auto zerosTo = [&](int64_t end) {
    if (at == end)
      return;
    SymbolicShape shape = symbolicShape(typeOf(first.part));
    shape[axis] = SymbolicDim::fixed(end - at);
    parts.push_back(g.splat(tensorType(g.context(), shape, typeOf(first.part).getElementType()), 0.0));
  };
  for (Placement &placement : placements) {
    zerosTo(placement.offset);
    parts.push_back(placement.part);
    at = placement.offset + placement.extent;
  }
  zerosTo(first.whole);
  Value whole = parts.size() == 1 ? parts.front() : g.concat(parts, axis);
  return first.reshape ? g.reshape(whole, symbolicShape(typeOf(first.reshape.getResult()))) : whole;
}

} // namespace

Value heddle::sumOf(GraphBuilder &g, llvm::ArrayRef<Value> gradients) {
  llvm::SmallVector<Value> terms;
  llvm::SmallVector<std::optional<Placement>> placements;
  for (Value gradient : gradients)
    placements.push_back(placementOf(gradient));
  llvm::SmallVector<bool> taken(gradients.size(), false);
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (taken[i])
      continue;
    if (!placements[i]) {
      terms.push_back(gradients[i]);
      continue;
    }
    llvm::SmallVector<Placement> together{*placements[i]};
    for (size_t j = i + 1; j < gradients.size(); ++j) {
      if (taken[j] || !placements[j] || !shareFrame(*placements[i], *placements[j]))
        continue;
      bool apart = llvm::all_of(together, [&](const Placement &other) {
        return placements[j]->offset >= other.offset + other.extent ||
               other.offset >= placements[j]->offset + placements[j]->extent;
      });
      if (!apart)
        continue;
      together.push_back(*placements[j]);
      taken[j] = true;
    }
    terms.push_back(together.size() == 1 ? gradients[i] : sideBySide(g, together));
  }
  Value sum = terms.front();
  for (Value term : llvm::ArrayRef<Value>(terms).drop_front())
    sum = g.add(sum, term);
  return sum;
}
