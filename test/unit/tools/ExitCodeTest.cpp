#include "tools/heddle/Support/ExitCode.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::driver;

TEST(ExitCode, SaysWhoIsAtFault) {
  EXPECT_EQ(exitCodeOf(runtime::Status::ok()), 0);
  EXPECT_EQ(exitCodeOf(runtime::invalidInput("x")), 1);
  EXPECT_EQ(exitCodeOf(runtime::unavailable("x")), 3);
  EXPECT_EQ(exitCodeOf(runtime::outOfMemory("x")), 3);
  EXPECT_EQ(exitCodeOf(runtime::internalError("x")), 70);
}
