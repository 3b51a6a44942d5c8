//===- PrecisionNamesTest.cpp - Names of precisions -----------------------===//
#include "compiler/Pipelines/Compiler.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(PrecisionNames, KnownOnesAndNoOthers) {
  EXPECT_EQ(parsePrecision("fp32"), Precision::F32);
  EXPECT_EQ(parsePrecision("tf32"), Precision::TF32);
  EXPECT_EQ(parsePrecision("bf16"), Precision::BF16);
  EXPECT_EQ(parsePrecision("bf16-true"), Precision::BF16True);
  for (const char *name : {"", "f32", "bf16-", "BF16", "fp16"})
    EXPECT_EQ(parsePrecision(name), std::nullopt) << name;
}

TEST(PrecisionNames, AllOfThemAreListed) {
  EXPECT_EQ(precisionNames(), (std::vector<std::string>{"fp32", "tf32", "bf16", "bf16-true"}));
}

} // namespace
} // namespace heddle
