#include "compiler/Checkpoint/MinimumCut.h"

#include <algorithm>

using namespace heddle;

int MinimumCut::addNode() {
  ofNode_.emplace_back();
  return static_cast<int>(ofNode_.size()) - 1;
}

void MinimumCut::addEdge(int from, int to, int64_t capacity) {
  ofNode_[from].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, capacity});
  ofNode_[to].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0});
}

/// Numbers nodes by their distance from the source along edges with capacity left; whether one leads to the
/// sink.
bool MinimumCut::setLevels(int source, int sink) {
  level_.assign(ofNode_.size(), -1);
  level_[source] = 0;
  std::vector<int> queue{source};
  for (size_t at = 0; at < queue.size(); ++at)
    for (int number : ofNode_[queue[at]]) {
      const Edge &edge = edges_[number];
      if (edge.left > 0 && level_[edge.to] < 0) {
        level_[edge.to] = level_[queue[at]] + 1;
        queue.push_back(edge.to);
      }
    }
  return level_[sink] >= 0;
}

/// Sends up to `most` from `node` to the sink, one level at a time; how much went.
int64_t MinimumCut::push(int node, int sink, int64_t most) {
  if (node == sink)
    return most;
  int64_t sent = 0;
  for (size_t &at = next_[node]; at < ofNode_[node].size(); ++at) {
    int number = ofNode_[node][at];
    Edge &edge = edges_[number];
    if (edge.left == 0 || level_[edge.to] != level_[node] + 1)
      continue;
    int64_t went = push(edge.to, sink, std::min(most - sent, edge.left));
    edge.left -= went;
    edges_[number ^ 1].left += went;
    sent += went;
    if (sent == most) // The edge may have more to give.
      return sent;
  }
  return sent;
}

std::vector<bool> MinimumCut::sinkSide(int source, int sink) {
  while (setLevels(source, sink)) {
    next_.assign(ofNode_.size(), 0);
    push(source, sink, kUncut);
  }
  // Backwards from the sink: an edge leads there if its reverse, which leaves the node, has a partner with
  // capacity left.
  std::vector<bool> side(ofNode_.size(), false);
  side[sink] = true;
  std::vector<int> queue{sink};
  for (size_t at = 0; at < queue.size(); ++at)
    for (int number : ofNode_[queue[at]]) {
      int from = edges_[number].to;
      if (edges_[number ^ 1].left > 0 && !side[from]) {
        side[from] = true;
        queue.push_back(from);
      }
    }
  return side;
}
