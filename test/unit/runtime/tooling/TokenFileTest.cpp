#include "runtime/tooling/TokenFile.h"
#include "TempFile.h"

#include <cstring>
#include <vector>

using namespace heddle::runtime;
using heddle::test::TempFile;

namespace {

template <typename T>
std::string array(const char *descr, const std::vector<T> &values, const std::string &shape = "") {
  std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " +
                       (shape.empty() ? "(" + std::to_string(values.size()) + ",)" : shape) + "}\n";
  std::string bytes = std::string("\x93NUMPY\x01") + '\0' + static_cast<char>(header.size()) + '\0' + header;
  bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  return bytes;
}

std::string openError(const std::string &bytes) {
  TempFile file(bytes, ".npy");
  StatusOr<TokenFile> tokens = TokenFile::open(file.path());
  if (tokens)
    return "";
  EXPECT_EQ(tokens.status().code(), StatusCode::InvalidInput);
  EXPECT_NE(tokens.status().message().find(file.path()), std::string::npos) << tokens.status().message();
  return tokens.status().message();
}

template <typename T>
void expectIds(const char *descr) {
  TempFile file(array<T>(descr, {3, 0, 200, 7}), ".npy");
  StatusOr<TokenFile> tokens = TokenFile::open(file.path());
  ASSERT_TRUE(tokens.isOk()) << descr << ": " << tokens.status().message();
  EXPECT_EQ(tokens->size(), 4);
  EXPECT_TRUE(tokens->check(201).isOk());
  std::vector<int32_t> ids(3);
  ASSERT_TRUE(tokens->read(1, ids).isOk());
  EXPECT_EQ(ids, (std::vector<int32_t>{0, 200, 7})) << descr;
  Status status = tokens->check(200);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_NE(status.message().find("token 2 is 200; the model's vocabulary ends at 199"), std::string::npos)
      << status.message();
}

} // namespace

TEST(TokenFile, BytesOfTextAreTokens) {
  TempFile file("a\xff\n");
  StatusOr<TokenFile> tokens = TokenFile::open(file.path());
  ASSERT_TRUE(tokens.isOk());
  EXPECT_EQ(tokens->size(), 3);
  std::vector<int32_t> ids(3);
  ASSERT_TRUE(tokens->read(0, ids).isOk());
  EXPECT_EQ(ids, (std::vector<int32_t>{'a', 255, '\n'}));
  EXPECT_TRUE(tokens->check(256).isOk());
  Status status = tokens->check(255);
  EXPECT_NE(status.message().find("token 1 is 255"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("--vocab 256"), std::string::npos) << status.message();
}

TEST(TokenFile, ArraysOfEveryIntegerType) {
  expectIds<uint8_t>("|u1");
  expectIds<uint16_t>("<u2");
  expectIds<uint32_t>("<u4");
  expectIds<int32_t>("<i4");
  expectIds<int64_t>("<i8");
}

TEST(TokenFile, NegativeIdsAndIdsBeyond32BitsAreRefused) {
  for (int64_t bad : {int64_t{-1}, int64_t{1} << 32}) {
    TempFile file(array<int64_t>("<i8", {1, bad}), ".npy");
    StatusOr<TokenFile> tokens = TokenFile::open(file.path());
    ASSERT_TRUE(tokens.isOk());
    EXPECT_NE(tokens->check(1000).message().find("token 1 is " + std::to_string(bad)), std::string::npos);
  }
}

TEST(TokenFile, OtherArraysAreRefused) {
  EXPECT_NE(openError(array<float>("<f4", {1})).find("u1, u2, u4, i4 or i8"), std::string::npos);
  EXPECT_NE(openError(array<int32_t>("<i4", {1, 2}, "(1, 2)")).find("one dimension, found 2"),
            std::string::npos);
  EXPECT_NE(openError(array<int32_t>("<i4", {1, 2}, "(3,)")).find("3 ids of 4 bytes"), std::string::npos);
  EXPECT_NE(openError(array<int32_t>("<i4", {1, 2}, "(-1,)")).find("the file has 8 bytes"),
            std::string::npos);
  EXPECT_NE(openError("text").find("not a .npy file"), std::string::npos);
}
