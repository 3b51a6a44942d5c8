//===- DTypeTest.cpp - Element types of buffers ---------------------------===//
#include "runtime/base/DType.h"

#include <gtest/gtest.h>

using namespace heddle::runtime;

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i < 7; ++i) {
    auto type = static_cast<DType>(i);
    EXPECT_EQ(dtypeFromName(nameOf(type)), type);
    EXPECT_GT(sizeOf(type), 0);
  }
  EXPECT_EQ(nameOf(DType::BF16), "bf16");
  EXPECT_EQ(dtypeFromName("float"), std::nullopt);
  EXPECT_EQ(nameOf(static_cast<DType>(99)), "unknown");
}
