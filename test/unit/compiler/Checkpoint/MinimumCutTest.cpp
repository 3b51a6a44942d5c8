#include "compiler/Checkpoint/MinimumCut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using heddle::MinimumCut;

namespace {
struct Edge {
  int from, to;
  int64_t capacity;
};

int64_t cutOf(const std::vector<Edge> &edges, const std::vector<bool> &sinkSide) {
  int64_t sum = 0;
  for (const Edge &edge : edges)
    if (!sinkSide[edge.from] && sinkSide[edge.to])
      sum += edge.capacity;
  return sum;
}

TEST(MinimumCut, NearestToTheSinkOfEqualOnes) {
  MinimumCut network;
  int source = network.addNode(), a = network.addNode(), b = network.addNode(), sink = network.addNode();
  network.addEdge(source, a, 3);
  network.addEdge(a, b, 3);
  network.addEdge(b, sink, 3);
  EXPECT_EQ(network.sinkSide(source, sink), (std::vector<bool>{false, false, false, true}));
}

TEST(MinimumCut, WithoutAWayNothingIsCut) {
  MinimumCut network;
  int source = network.addNode(), a = network.addNode(), sink = network.addNode();
  network.addEdge(a, sink, MinimumCut::kUncut);
  EXPECT_EQ(network.sinkSide(source, sink), (std::vector<bool>{false, true, true}));
}

TEST(MinimumCut, AgainstAllCutsOfSmallNetworks) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const int nodes = 7; // 0 is the source, 1 the sink.
    std::vector<Edge> edges;
    MinimumCut network;
    for (int node = 0; node < nodes; ++node)
      network.addNode();
    for (int number = 0; number < 16; ++number) {
      Edge edge{static_cast<int>(random() % nodes), static_cast<int>(random() % nodes),
                static_cast<int64_t>(random() % 6)};
      if (edge.from == edge.to)
        continue;
      edges.push_back(edge);
      network.addEdge(edge.from, edge.to, edge.capacity);
    }
    std::vector<bool> found = network.sinkSide(0, 1);
    ASSERT_FALSE(found[0]);
    ASSERT_TRUE(found[1]);
    int64_t least = INT64_MAX;
    size_t fewest = nodes; // On the sink's side of a smallest cut.
    for (unsigned bits = 0; bits < 1u << (nodes - 2); ++bits) {
      std::vector<bool> side(nodes, false);
      side[1] = true;
      for (int node = 2; node < nodes; ++node)
        side[node] = bits >> (node - 2) & 1;
      size_t size = std::count(side.begin(), side.end(), true);
      int64_t cut = cutOf(edges, side);
      if (cut < least || (cut == least && size < fewest)) {
        least = cut;
        fewest = size;
      }
    }
    EXPECT_EQ(cutOf(edges, found), least) << "round " << round;
    EXPECT_EQ(static_cast<size_t>(std::count(found.begin(), found.end(), true)), fewest) << "round " << round;
  }
}
} // namespace
