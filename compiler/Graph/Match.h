//===- Match.h - Looking at canonical form ----------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_GRAPH_MATCH_H
#define HEDDLE_COMPILER_GRAPH_MATCH_H

#include "compiler/Support/MatchReport.h"
#include "dialects/Graph/GraphBuilder.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace heddle::match {

/// A raising that did not happen: the op that stopped it and why.
struct NearMiss {
  mlir::Operation *op = nullptr;
  std::string reason;
};

/// Collects what a pass finds, as reports and, where asked, as remarks.
class Log {
public:
  Log(MatchReports *reports, bool remarks) : reports_(reports), remarks_(remarks) {}

  void matched(llvm::StringRef pattern, mlir::Operation *made);
  /// `root` is where the pattern began.
  void missed(llvm::StringRef pattern, mlir::Operation *root, const NearMiss &miss);

private:
  MatchReports *reports_;
  bool remarks_;
};

/// The value of a splat constant.
std::optional<double> splatValue(mlir::Value value);

/// The operand of the broadcast that made `value`, or null.
mlir::Value broadcastSource(mlir::Value value);

/// Where `value` is a vector along the last dimension, stretched over the others: the broadcast's operand, of
/// shape [1, …, 1, N]. Else null.
mlir::Value stretchedVector(mlir::Value value);
/// A value of shape [1, …, 1, N] as [N].
mlir::Value asVector(graph::GraphBuilder &g, mlir::Value value);

/// Whether the reduction is over the last dimension alone.
bool reducesLast(graph::ReduceOp op);

/// "'graph.cast' at blocks.0.attention.scores".
std::string describe(mlir::Operation *op);

/// Erases ops whose results nobody reads, so that uses count readers.
void eraseDead(mlir::ModuleOp module);

} // namespace heddle::match

#endif // HEDDLE_COMPILER_GRAPH_MATCH_H
