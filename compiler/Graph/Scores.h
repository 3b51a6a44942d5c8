//===- Scores.h - From softmax back to the product of q and k ---*- C++ -*-===//
#ifndef HEDDLE_COMPILER_GRAPH_SCORES_H
#define HEDDLE_COMPILER_GRAPH_SCORES_H

#include "compiler/Graph/Match.h"

namespace heddle::match {

/// A condition on scores, `value` or its negation, in the scores' rank with extents of 1 where it does not
/// vary.
struct Condition {
  mlir::Value value;
  bool negated = false;
  mlir::RankedTensorType
      shape; ///< What `value` is reshaped to by extents of 1; its own type where nothing is.
};

/// Scores are replaced by `fill` where the condition does not hold.
struct MaskTerm {
  mlir::Value condition;
  bool negated = false;
  double fill = 0;
  mlir::RankedTensorType shape; ///< Of the condition in the scores' rank; null where it has that rank itself.
};

/// `factor` times `value` is added to the scaled scores.
struct BiasTerm {
  mlir::Value value;
  double factor = 1;
};

/// softmax's operand = scale * product + biases, where the masks allow; with a soft cap c the scaled product
/// s is c * tanh(s / c) before anything is added.
struct Scores {
  graph::MatmulOp product;
  double scale = 1;
  std::optional<double> softcap;
  llvm::SmallVector<MaskTerm> masks;
  llvm::SmallVector<BiasTerm> biases;
};

/// A score of at most this is one that softmax turns into 0 beside any other: minus infinity, or what people
/// write for it where a type has none.
constexpr double kHidden = -1e30;

/// Walks from `value`, which has so many readers in the softmax, down to a product. On failure `miss` says
/// where the walk ended.
std::optional<Scores> findScores(mlir::Value value, int readers, NearMiss &miss);

/// The conditions that all have to hold where a score is seen.
llvm::SmallVector<Condition> conjunction(const MaskTerm &mask);

/// Whether the condition hides nothing, by the arithmetic of its indices.
bool holdsAlways(const Condition &condition);

/// Whether the condition hides every key from at least one query, by the arithmetic of its indices.
bool hidesRows(const Condition &condition);

/// Whether the condition, on scores [.., queries, keys], is key <= query + keys - queries.
bool isCausal(const Condition &condition, int64_t queries, int64_t keys);

/// The window w where the condition, on the same scores, is key > query + keys - queries - w; at least 1.
std::optional<int64_t> windowOf(const Condition &condition, int64_t queries, int64_t keys);

} // namespace heddle::match

#endif // HEDDLE_COMPILER_GRAPH_SCORES_H
