#include "runtime/tooling/Safetensors.h"
#include "TempFile.h"

#include <cstring>

using namespace heddle::runtime;
using heddle::test::TempFile;

namespace {

std::string file(const std::string &header, const std::string &data = "", uint64_t length = UINT64_MAX) {
  if (length == UINT64_MAX)
    length = header.size();
  std::string prefix(8, '\0');
  std::memcpy(prefix.data(), &length, 8);
  return prefix + header + data;
}

void expectError(const std::string &bytes, const std::string &part) {
  TempFile temp(bytes);
  auto tensors = readSafetensors(temp.path());
  ASSERT_FALSE(tensors.isOk()) << "wanted an error with '" << part << "'";
  EXPECT_EQ(tensors.status().code(), StatusCode::InvalidInput);
  EXPECT_NE(tensors.status().message().find(part), std::string::npos) << tensors.status().message();
}

std::string entry(const std::string &dtype, const std::string &shape, const std::string &offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

} // namespace

TEST(Safetensors, RoundTripsEveryTypeAndEmptyTensors) {
  std::map<std::string, HostTensor> tensors;
  for (DType dtype : {DType::F32, DType::BF16, DType::F16, DType::I32, DType::I64, DType::Bool, DType::U8}) {
    HostTensor tensor{dtype, {3, 1}, std::vector<uint8_t>(3 * sizeOf(dtype))};
    for (size_t i = 0; i < tensor.data.size(); ++i)
      tensor.data[i] = static_cast<uint8_t>(i % 2);
    tensors["t." + std::string(nameOf(dtype))] = tensor;
  }
  tensors["empty"] = {DType::F32, {0, 4}, {}};
  tensors["scalar"] = {DType::F32, {}, {1, 2, 3, 4}};
  TempFile temp;
  ASSERT_TRUE(writeSafetensors(temp.path(), tensors).isOk());
  auto back = readSafetensors(temp.path());
  ASSERT_TRUE(back.isOk()) << back.status().message();
  ASSERT_EQ(back->size(), tensors.size());
  for (const auto &[name, tensor] : tensors) {
    EXPECT_EQ(back->at(name).dtype, tensor.dtype) << name;
    EXPECT_EQ(back->at(name).shape, tensor.shape) << name;
    EXPECT_EQ(back->at(name).data, tensor.data) << name;
  }
}

TEST(Safetensors, EqualTensorsGiveEqualFiles) {
  std::map<std::string, HostTensor> tensors = {{"b", {DType::U8, {1}, {1}}}, {"a", {DType::U8, {2}, {2, 3}}}};
  TempFile first, second;
  ASSERT_TRUE(writeSafetensors(first.path(), tensors).isOk());
  ASSERT_TRUE(writeSafetensors(second.path(), tensors).isOk());
  EXPECT_EQ(first.bytes(), second.bytes());
}

TEST(Safetensors, MetadataIsPassedOver) {
  TempFile temp(
      file(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "xy"));
  auto tensors = readSafetensors(temp.path());
  ASSERT_TRUE(tensors.isOk()) << tensors.status().message();
  EXPECT_EQ(tensors->at("a").data, (std::vector<uint8_t>{'x', 'y'}));
}

TEST(Safetensors, RefusesBrokenHeaders) {
  expectError("", "fewer than 8 bytes");
  expectError("1234567", "fewer than 8 bytes");
  expectError(file("{}", "", 3), "truncated");
  expectError(file("{}", "", 200'000'000), "truncated");
  expectError(file("[]"), ": the header:1:1: wanted a JSON object, found []");
  expectError(file("{\"a\":"), ": the header:1:6: this is no JSON: ");
  expectError(file(std::string(100'000, '[')), "the header:1:33: nested deeper than 32 levels");
  expectError(file(R"({"a":1,"a":2})"), "the header:1:10: tensor 'a' is there twice");
  // Deep enough to exhaust a stack that walks it.
  std::string deep(200000, '[');
  expectError(file(R"({"a":)" + deep + std::string(deep.size(), ']') + "}"),
              "the header:1:37: nested deeper than 32 levels");
  expectError(file(std::string("{}\0x", 4)), "the header:1:3: this is no JSON: a byte of it is zero");
}

TEST(Safetensors, RefusesBrokenEntries) {
  expectError(file(R"({"a":7})"), "wanted an object with dtype, shape and data_offsets");
  expectError(file(entry("\"F64\"", "[1]", "[0,8]"), "12345678"),
              "dtype F64; wanted F32, BF16, F16, I32, I64, BOOL or U8");
  expectError(file(entry("\"F65\"", "[1]", "[0,8]"), "12345678"), "dtype \"F65\"; wanted one of F32");
  expectError(file(entry("5", "[1]", "[0,8]"), "12345678"), "dtype 5; wanted");
  expectError(file(entry("\"U8\"", "[-1]", "[0,1]"), "1"), "shape is not a list");
  expectError(file(entry("\"U8\"", "[1.5]", "[0,1]"), "1"), "shape is not a list");
  expectError(file(entry("\"U8\"", "[1]", "[1]"), "1"), "data_offsets is not");
  expectError(file(entry("\"U8\"", "[1]", "[2,1]"), "1"), "data_offsets is not");
  expectError(file(entry("\"U8\"", "[2]", "[0,1]"), "1"), "needs 2 bytes, its data_offsets [0, 1] span 1");
  expectError(file(entry("\"I64\"", "[4611686018427387904,4]", "[0,1]"), "1"), "64-bit");
}

TEST(Safetensors, RefusesGapsOverlapsAndBytesBeyond) {
  const std::string two = R"("b":{"dtype":"U8","shape":[2],"data_offsets":)";
  const std::string a = R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)";
  expectError(file(a + two + "[1,3]}}", "123"), "wanted to begin at 2");
  expectError(file(a + two + "[3,5]}}", "12345"), "wanted to begin at 2");
  expectError(file(a + two + "[2,4]}}", "123"), "end within 3");
  expectError(file(a + two + "[2,4]}}", "12345"), "1 bytes at the end belong to no tensor");
}

TEST(Safetensors, NothingIsLeftWhereItCannotBeWritten) {
  Status status = writeSafetensors("/nonexistent/out.safetensors", {});
  EXPECT_EQ(status.code(), StatusCode::InvalidInput) << status.message();
}

/// Every malformed file that readers of this format are known to have got wrong is refused with the tensor's
/// name, what was wanted and what was found, from the header alone.
TEST(Safetensors, MalformedFiles) {
  expectError(file("{}", "", uint64_t{1} << 40), "a header of 1099511627776 bytes in a file of 10");
  expectError(file("this is not JSON"), "the header:1:2: this is no JSON: ");
  expectError(file(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],)"
                   R"("data_offsets":[1,2]}})",
                   "12"),
              "the header:1:56: tensor 'a' is there twice");
  expectError(file(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", "1"),
              "the header:1:26: field 'dtype' is there twice");
  expectError(file(entry("\"F32\"", "[1000,1000]", "[0,4]"), "1234"),
              "tensor 'a': 'f32[1000, 1000]' needs 4000000 bytes, its data_offsets [0, 4] span 4");
  const std::string a = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)";
  const std::string b = R"("b":{"dtype":"U8","shape":[4],"data_offsets":)";
  expectError(file(a + b + "[2,6]}}", "123456"),
              "tensor 'b': data_offsets [2, 6] overlap another tensor's; wanted to begin at 4");
  expectError(file(a + b + "[0,4]}}", "1234"), "tensor 'b': data_offsets [0, 4] overlap another tensor's");
  expectError(file(a + b + "[5,9]}}", "123456789"), "tensor 'b': data_offsets [5, 9]; wanted to begin at 4");
  expectError(file(entry("\"U8\"", "[1]", "[1,0]"), "1"), "begin <= end: [1,0]");
  expectError(file(entry("\"U8\"", "[9]", "[0,9]"), "1234"),
              "[0, 9]; wanted to begin at 0 and to end within 4");
  expectError(file(entry("\"F32\"", "[8589934592,8589934592]", "[0,4]"), "1234"),
              "tensor 'a': 'f32[8589934592, 8589934592]' has more bytes than a 64-bit number holds");
  expectError(file(entry("\"U8\"", "[18446744073709551615]", "[0,1]"), "1"), "shape is not a list");
  expectError(file(R"({"__metadata__":{"a":1}})"), "__metadata__: wanted an object of strings");
  expectError(file(entry("\"F8_E4M3\"", "[1]", "[0,1]"), "1"), "tensor 'a': dtype F8_E4M3; wanted F32, BF16");
}

TEST(Safetensors, EmptyAndScalarTensorsLoad) {
  TempFile temp(file(R"({"e":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},)"
                     R"("s":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                     R"("f":{"dtype":"BF16","shape":[0,7],"data_offsets":[4,4]}})",
                     "1234"));
  auto tensors = readSafetensors(temp.path());
  ASSERT_TRUE(tensors.isOk()) << tensors.status().message();
  EXPECT_EQ(tensors->at("e").data.size(), 0u);
  EXPECT_EQ(tensors->at("s").data.size(), 4u);
  EXPECT_EQ(tensors->at("f").shape, (std::vector<int64_t>{0, 7}));
}

TEST(Safetensors, NamesInMessagesAreCutAndPrintable) {
  std::string name(100'000, 'n');
  TempFile temp(file("{\"\\n\\u0007" + name + "\":5}"));
  auto tensors = readSafetensors(temp.path());
  ASSERT_FALSE(tensors.isOk());
  EXPECT_LT(tensors.status().message().size(), 1000u);
  EXPECT_EQ(tensors.status().message().find_first_of("\n\a"), std::string::npos);
}
