//===- MinimumCut.h - The smallest cut of a network -------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_CHECKPOINT_MINIMUMCUT_H
#define HEDDLE_COMPILER_CHECKPOINT_MINIMUMCUT_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

/// A network of nodes and edges with capacities, and its minimum cut between two nodes, by maximum flow
/// (Dinic 1970: shortest augmenting paths by levels).
class MinimumCut {
public:
  /// Stands for an edge that may not be cut.
  static constexpr int64_t kUncut = INT64_MAX / 4;

  int addNode();
  void addEdge(int from, int to, int64_t capacity);
  /// Which nodes lie on the sink's side. Of several minimum cuts the one nearest to the sink is taken.
  std::vector<bool> sinkSide(int source, int sink);

private:
  struct Edge {
    int to;
    int64_t left; ///< Capacity that no flow uses.
  };
  bool setLevels(int source, int sink);
  int64_t push(int node, int sink, int64_t most);

  std::vector<Edge> edges_;              ///< Each is followed by its reverse.
  std::vector<std::vector<int>> ofNode_; ///< Edges that leave it.
  std::vector<int> level_;
  std::vector<std::size_t> next_; ///< The first edge of a node that may still lead to the sink.
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CHECKPOINT_MINIMUMCUT_H
