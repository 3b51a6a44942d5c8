//===- GraphDialect.h - The graph dialect -----------------------*- C++ -*-===//
#ifndef HEDDLE_DIALECTS_GRAPH_GRAPHDIALECT_H
#define HEDDLE_DIALECTS_GRAPH_GRAPHDIALECT_H

#include "dialects/Interfaces/AttentionLike.h"
#include "dialects/Interfaces/Differentiable.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::graph {

/// The highest rank that every layer below handles.
constexpr int64_t kMaxRank = 6;
/// Beyond this many elements, byte counts and sums of them near the range of int64.
constexpr double kMaxElements = 1e15;

/// A ranked tensor of static extents of at least 1, rank at most kMaxRank, at most kMaxElements elements and
/// a supported element type.
bool isGraphTensor(mlir::Type type);
bool hasFloatElements(mlir::Type type);
bool hasIntElements(mlir::Type type);
bool hasBoolElements(mlir::Type type);

/// The constant behind `value` where all its elements are one number; null otherwise.
mlir::DenseElementsAttr splatConstant(mlir::Value value);

/// Moves no data in eager execution (transpose, reshape, slice, broadcast).
template <typename ConcreteType>
class ViewLike : public mlir::OpTrait::TraitBase<ConcreteType, ViewLike> {};

/// Computes each element from the elements at the same index.
template <typename ConcreteType>
class ElementwiseOp : public mlir::OpTrait::TraitBase<ConcreteType, ElementwiseOp> {};

/// What the names of states begin with that add up over runs (`accumulates`), and no others: whoever runs a
/// plan knows them by it (runtime/plan/Accumulators.h).
constexpr llvm::StringLiteral kAccumulatorPrefix = "accumulate.";

// Attributes on the arguments and results of a graph function.
/// The input's or output's name, a string.
constexpr llvm::StringLiteral kNameAttr = "graph.name";
/// On what indexes something (token ids, targets of a loss): all values lie in [0, bound); an integer. The
/// driver refuses an input with any other.
constexpr llvm::StringLiteral kBoundAttr = "graph.bound";
/// On targets that have a bound: a further value that they may have, which cross_entropy ignores; an integer.
constexpr llvm::StringLiteral kIgnoredAttr = "graph.ignored";
/// On a result that is the gradient of a parameter: its parts, as in graph.parameter.
constexpr llvm::StringLiteral kGradientAttr = "graph.gradient";
/// On a result: the element type that the precision policy gives the op that was written, a type. Until the
/// precision phase, in front of which ops become others that the policy treats in another way.
constexpr llvm::StringLiteral kElementAttr = "graph.element";

} // namespace heddle::graph

#include "dialects/Graph/GraphDialect.h.inc"
#include "dialects/Graph/GraphEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/GraphAttrs.h.inc"
#define GET_OP_CLASSES
#include "dialects/Graph/GraphOps.h.inc"

namespace heddle::graph {

/// The kept cast that gives a value, by itself or in its group; null where none does.
CastOp keptCast(mlir::Value value);

/// What assigns a leaf; null where nothing does.
AssignOp assignOf(mlir::Value leaf);

} // namespace heddle::graph

#endif // HEDDLE_DIALECTS_GRAPH_GRAPHDIALECT_H
