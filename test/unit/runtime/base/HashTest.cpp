//===- HashTest.cpp - Content hashes --------------------------------------===//
#include "runtime/base/Hash.h"

#include <gtest/gtest.h>

#include <vector>

using namespace heddle::runtime;

TEST(Hash, KnownAnswer) {
  // The published value of XXH3_128bits of no bytes, seed 0.
  EXPECT_EQ(hash128({}).hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, EveryBitCounts) {
  std::vector<uint8_t> bytes(300, 7);
  Hash128 first = hash128(bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1;
    EXPECT_NE(hash128(bytes), first) << i;
    bytes[i] ^= 1;
  }
  EXPECT_EQ(hash128(bytes), first);
}

TEST(Hash, FieldsDoNotRunTogether) {
  Hasher a, b, c;
  EXPECT_NE(a.add("ab").add("c").finish(), b.add("a").add("bc").finish());
  EXPECT_NE(a.finish(), c.add("ab").finish());
}
