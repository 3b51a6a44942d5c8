//===- PlacementTest.cpp - Buffers in one arena ---------------------------===//
#include "compiler/Plan/Placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace heddle;
using plan::placeInArena;
using plan::Placement;
using runtime::alignedBytes;
using runtime::Lifetime;

namespace {

/// Every pair, every rule; and the bound recomputed step by step.
void expectSound(const std::vector<Lifetime> &lives, const Placement &placement) {
  ASSERT_EQ(placement.offsets.size(), lives.size());
  int64_t end = 0;
  int32_t steps = 0;
  for (size_t i = 0; i < lives.size(); ++i) {
    EXPECT_EQ(placement.offsets[i] % runtime::kArenaAlignment, 0);
    EXPECT_GE(placement.offsets[i], 0);
    end = std::max(end, placement.offsets[i] + alignedBytes(lives[i].bytes));
    steps = std::max(steps, lives[i].last + 1);
    for (size_t j = 0; j < i; ++j) {
      bool together = lives[i].first <= lives[j].last && lives[j].first <= lives[i].last;
      bool apart = placement.offsets[i] + lives[i].bytes <= placement.offsets[j] ||
                   placement.offsets[j] + lives[j].bytes <= placement.offsets[i];
      bool empty = lives[i].bytes == 0 || lives[j].bytes == 0;
      EXPECT_TRUE(!together || apart || empty) << "buffers " << i << " and " << j;
    }
  }
  EXPECT_EQ(placement.bytes, end);
  int64_t most = 0;
  for (int32_t step = 0; step < steps; ++step) {
    int64_t live = 0;
    for (const Lifetime &life : lives)
      if (life.first <= step && step <= life.last)
        live += alignedBytes(life.bytes);
    most = std::max(most, live);
  }
  EXPECT_EQ(placement.lowerBound, most);
  EXPECT_GE(placement.bytes, most);
}

TEST(Placement, NothingTakesNothing) {
  Placement placement = placeInArena({});
  EXPECT_TRUE(placement.offsets.empty());
  EXPECT_EQ(placement.bytes, 0);
  EXPECT_EQ(placement.lowerBound, 0);
}

TEST(Placement, EmptyBuffersTakeNothing) {
  Placement placement = placeInArena({{0, 0, 5}, {1, 0, 5}, {0, 2, 3}});
  EXPECT_EQ(placement.offsets, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(placement.bytes, 256);
}

TEST(Placement, ALifeThatEndsAtAStepIsNotFreeForOneThatBeginsThere) {
  std::vector<Lifetime> lives = {{256, 0, 1}, {256, 1, 2}, {256, 2, 3}};
  Placement placement = placeInArena(lives);
  expectSound(lives, placement);
  EXPECT_EQ(placement.bytes, 512);
  EXPECT_EQ(placement.offsets[0], placement.offsets[2]);
}

// Placing by size, largest first, ends at 1792.
TEST(Placement, ReachesTheBoundWhereOrderBySizeDoesNot) {
  std::vector<Lifetime> lives = {{768, 0, 2}, {512, 2, 4}, {512, 4, 6}, {256, 1, 3},
                                 {256, 3, 5}, {256, 0, 1}, {512, 5, 6}};
  Placement placement = placeInArena(lives);
  expectSound(lives, placement);
  EXPECT_EQ(placement.bytes, 1536);
}

// None of the plain orders reaches the bound; moving what ends the arena forward does.
TEST(Placement, ReachesTheBoundWherePlainOrdersDoNot) {
  std::vector<Lifetime> lives = {{512, 3, 5}, {1280, 0, 2}, {768, 0, 1},  {1024, 3, 4},
                                 {512, 3, 5}, {1024, 1, 1}, {1280, 2, 4}, {512, 2, 2}};
  Placement placement = placeInArena(lives);
  expectSound(lives, placement);
  EXPECT_EQ(placement.bytes, 3328);
}

// As a Transformer's forward: layers of a chain, with a residual that lives across the layer.
TEST(Placement, LayersReachTheBound) {
  std::vector<Lifetime> lives;
  for (int32_t layer = 0; layer < 48; ++layer) {
    int32_t s = layer * 8;
    lives.push_back({100'000, s, s + 4});     // residual
    lives.push_back({50'000, s, s + 1});      // normed
    lives.push_back({150'000, s + 1, s + 2}); // q, k, v
    lives.push_back({50'000, s + 2, s + 3});  // attention
    lives.push_back({100'000, s + 3, s + 8}); // residual
    lives.push_back({50'000, s + 4, s + 5});  // normed
    lives.push_back({400'000, s + 5, s + 6}); // gate and up
    lives.push_back({200'000, s + 6, s + 7}); // product
  }
  Placement placement = placeInArena(lives);
  expectSound(lives, placement);
  EXPECT_EQ(placement.bytes, placement.lowerBound);
}

TEST(Placement, RandomProgramsAreSoundAndDeterministic) {
  std::mt19937_64 random(7);
  int64_t total = 0, totalBound = 0;
  for (int round = 0; round < 300; ++round) {
    auto count = static_cast<int32_t>(random() % 60);
    auto steps = static_cast<int32_t>(1 + random() % 40);
    std::vector<Lifetime> lives;
    for (int32_t i = 0; i < count; ++i) {
      auto first = static_cast<int32_t>(random() % static_cast<uint64_t>(steps));
      auto length = static_cast<int32_t>(random() % 8);
      lives.push_back({static_cast<int64_t>(random() % 5000), first, std::min(first + length, steps - 1)});
    }
    Placement placement = placeInArena(lives);
    expectSound(lives, placement);
    Placement again = placeInArena(lives);
    EXPECT_EQ(placement.offsets, again.offsets);
    total += placement.bytes;
    totalBound += placement.lowerBound;
  }
  RecordProperty("ratio", std::to_string(static_cast<double>(total) / static_cast<double>(totalBound)));
  // Random lives are harder than programs; half a percent above the bound is what greedy placement reached
  // there when this was written. Twice that is a change for the worse.
  EXPECT_LE(static_cast<double>(total), 1.01 * static_cast<double>(totalBound));
}

// On small programs, no order of placing buffers one after the other gives less. (Any smallest arena can be
// had by placing its buffers from the lowest up, each as low as it goes.)
TEST(Placement, SmallProgramsAgainstEveryOrder) {
  std::mt19937_64 random(11);
  int optimal = 0, rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Lifetime> lives;
    for (int i = 0; i < 6; ++i) {
      auto first = static_cast<int32_t>(random() % 6);
      lives.push_back({static_cast<int64_t>(256 * (1 + random() % 6)), first,
                       first + static_cast<int32_t>(random() % 4)});
    }
    std::vector<size_t> order(lives.size());
    std::iota(order.begin(), order.end(), 0);
    int64_t least = INT64_MAX;
    do {
      std::vector<int64_t> offsets(lives.size(), -1);
      int64_t bytes = 0;
      for (size_t i : order) {
        int64_t offset = 0;
        for (bool moved = true; moved;) {
          moved = false;
          for (size_t j = 0; j < lives.size(); ++j)
            if (offsets[j] >= 0 && lives[i].first <= lives[j].last && lives[j].first <= lives[i].last &&
                offset < offsets[j] + lives[j].bytes && offsets[j] < offset + lives[i].bytes) {
              offset = offsets[j] + lives[j].bytes;
              moved = true;
            }
        }
        offsets[i] = offset;
        bytes = std::max(bytes, offset + lives[i].bytes);
      }
      least = std::min(least, bytes);
    } while (std::next_permutation(order.begin(), order.end()));
    Placement placement = placeInArena(lives);
    expectSound(lives, placement);
    EXPECT_GE(placement.bytes, least);
    optimal += placement.bytes == least;
  }
  RecordProperty("optimal", optimal);
  EXPECT_GE(optimal, 98) << "of " << rounds; // One was missed when this was written: greedy is not exact.
}

} // namespace
