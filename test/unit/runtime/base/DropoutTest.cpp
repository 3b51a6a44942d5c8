//===- DropoutTest.cpp - Which elements dropout keeps ---------------------===//
#include "runtime/base/Dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

using namespace heddle::runtime;

namespace {

constexpr int64_t kKey = 0x15a4e35b2c1d98;

std::vector<bool> mask(int64_t key, int64_t layer, double probability, uint32_t count = 1 << 20) {
  std::vector<bool> kept(count);
  int64_t threshold = dropoutThreshold(probability);
  for (uint32_t i = 0; i < count; ++i)
    kept[i] = dropoutBits(key, layer, i) >> 1 >= threshold;
  return kept;
}

/// How many deviations the number of elements in which two masks of probability 1/2 agree is off the half.
double agreement(const std::vector<bool> &a, const std::vector<bool> &b, uint32_t flip = 0) {
  int64_t same = 0;
  for (size_t i = 0; i < a.size(); ++i)
    same += a[i] == b[i ^ flip];
  auto count = static_cast<double>(a.size());
  return (static_cast<double>(same) - count / 2) / std::sqrt(count / 4);
}

// Computed apart from this code, from the formula in the header.
TEST(Dropout, KnownAnswers) {
  EXPECT_EQ(dropoutBits(0, 0, 0), 0u);
  EXPECT_EQ(dropoutBits(0, 0, 1), 0x58f54975u);
  EXPECT_EQ(dropoutBits(kKey, 0, 0), 0xe6054ba2u);
  EXPECT_EQ(dropoutBits(kKey, 7, 0), 0x929b4bb4u);
  EXPECT_EQ(dropoutBits(kKey, 7, 0x7fffffff), 0x8c2ad153u);
}

TEST(Dropout, TheThresholdAndTheScale) {
  EXPECT_EQ(dropoutThreshold(0), 0);
  EXPECT_EQ(dropoutThreshold(0.5), int64_t{1} << 30);
  EXPECT_EQ(dropoutThreshold(1), int64_t{1} << 31);
  EXPECT_EQ(dropoutScale(0), 1);
  EXPECT_EQ(dropoutScale(0.75), 4);
  EXPECT_EQ(dropoutScale(1), 0);
}

TEST(Dropout, DropsItsShare) {
  for (double probability : {0.0, 0.01, 0.1, 0.5, 0.9, 1.0})
    for (int64_t key : {int64_t{0}, int64_t{1}, kKey, kDropoutKeys - 1}) {
      std::vector<bool> kept = mask(key, 3, probability);
      auto count = static_cast<double>(kept.size());
      auto dropped = static_cast<double>(std::count(kept.begin(), kept.end(), false));
      // Four standard deviations of the binomial distribution; none at the ends.
      EXPECT_LE(std::fabs(dropped - count * probability),
                4 * std::sqrt(count * probability * (1 - probability)))
          << probability << " " << key;
    }
}

// Agreement in half of the places, within five deviations, is what two masks have that know nothing of each
// other.
TEST(Dropout, OtherLayersAndKeysHaveOtherMasks) {
  std::vector<bool> first = mask(kKey, 0, 0.5);
  for (int64_t layer : {1, 2, 3, 96, 1 << 20})
    EXPECT_LE(std::fabs(agreement(first, mask(kKey, layer, 0.5))), 5) << layer;
  first.resize(1 << 16); // The mask of so many elements.
  for (int bit = 0; bit < 53; ++bit)
    EXPECT_LE(std::fabs(agreement(first, mask(kKey ^ int64_t{1} << bit, 0, 0.5, 1 << 16))), 5) << bit;
}

// One mix of i ^ key alone would give masks that are each other's, at places that differ by a constant.
TEST(Dropout, NoMaskIsAnotherInOtherOrder) {
  std::vector<bool> first = mask(0, 0, 0.5, 1 << 12), second = mask(1, 0, 0.5, 1 << 12);
  for (uint32_t flip = 0; flip < 1 << 12; ++flip)
    ASSERT_LE(std::fabs(agreement(first, second, flip)), 6) << flip; // Of 4096 the largest has 3.5 or so.
}

TEST(Dropout, NeighboursKnowNothingOfEachOther) {
  for (int64_t key : {int64_t{0}, kKey}) {
    std::vector<bool> kept = mask(key, 1, 0.5);
    for (size_t distance : {1, 2, 3, 4, 32, 64, 768, 1024, 4096}) {
      int64_t same = 0;
      for (size_t i = distance; i < kept.size(); ++i)
        same += kept[i] == kept[i - distance];
      auto pairs = static_cast<double>(kept.size() - distance);
      EXPECT_LE(std::fabs(static_cast<double>(same) - pairs / 2), 5 * std::sqrt(pairs / 4))
          << key << " " << distance;
    }
  }
}

TEST(Dropout, KeysAreOfSeedAndRun) {
  std::set<int64_t> keys;
  for (uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 32, ~uint64_t{0}})
    for (uint64_t run : {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{1} << 32, ~uint64_t{0}}) {
      int64_t key = dropoutKey(seed, run);
      EXPECT_GE(key, 0);
      EXPECT_LT(key, kDropoutKeys);
      EXPECT_EQ(key, dropoutKey(seed, run));
      keys.insert(key);
    }
  EXPECT_EQ(keys.size(), 20u);
}

} // namespace
