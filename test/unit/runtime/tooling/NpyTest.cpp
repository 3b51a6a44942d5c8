#include "runtime/tooling/Npy.h"
#include "TempFile.h"

#include <cstring>

using namespace heddle::runtime;
using heddle::test::TempFile;

namespace {

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string length(version == 1 ? 2 : 4, '\0');
  length[0] = static_cast<char>(header.size() & 0xff);
  length[1] = static_cast<char>(header.size() >> 8);
  return std::string("\x93NUMPY") + version + '\0' + length + header + data;
}

std::string errorOf(const std::string &bytes) {
  TempFile file(bytes);
  StatusOr<HostTensor> tensor = readNpy(file.path());
  if (tensor.isOk())
    return "";
  EXPECT_EQ(tensor.status().code(), StatusCode::InvalidInput);
  EXPECT_NE(tensor.status().message().find(file.path()), std::string::npos)
      << "no path: " << tensor.status().message();
  return tensor.status().message();
}

void expectError(const std::string &bytes, const std::string &part) {
  std::string message = errorOf(bytes);
  EXPECT_NE(message.find(part), std::string::npos) << "wanted '" << part << "' in '" << message << "'";
}

const std::string kHeader = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }\n";
const std::string kData(16, '\x01');

} // namespace

TEST(Npy, ReadsEachVersion) {
  for (char version : {1, 2, 3}) {
    TempFile file(npy(kHeader, kData, version));
    StatusOr<HostTensor> tensor = readNpy(file.path());
    ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
    EXPECT_EQ(tensor->dtype, DType::I64);
    EXPECT_EQ(tensor->shape, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(tensor->data, std::vector<uint8_t>(16, 1));
  }
}

TEST(Npy, ReadsScalarsVectorsAndEmptyArrays) {
  struct Case {
    const char *shape;
    std::vector<int64_t> wanted;
    size_t bytes;
  };
  for (const Case &c : {Case{"()", {}, 4}, Case{"(3,)", {3}, 12}, Case{"(0, 5)", {0, 5}, 0}}) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + std::string(c.shape) + "}";
    TempFile file(npy(header, std::string(c.bytes, '\0')));
    StatusOr<HostTensor> tensor = readNpy(file.path());
    ASSERT_TRUE(tensor.isOk()) << tensor.status().message();
    EXPECT_EQ(tensor->shape, c.wanted);
  }
}

TEST(Npy, RoundTripsEveryType) {
  for (DType dtype : {DType::F32, DType::F16, DType::I32, DType::I64, DType::Bool, DType::U8})
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {3}, {2, 3}}) {
      HostTensor tensor{dtype, shape, {}};
      tensor.data.resize(*byteCount(dtype, shape));
      for (size_t i = 0; i < tensor.data.size(); ++i)
        tensor.data[i] = static_cast<uint8_t>(i % 2);
      TempFile file;
      ASSERT_TRUE(writeNpy(file.path(), tensor).isOk());
      EXPECT_EQ((file.bytes().size() - tensor.data.size()) % 64, 0u);
      StatusOr<HostTensor> back = readNpy(file.path());
      ASSERT_TRUE(back.isOk()) << back.status().message();
      EXPECT_EQ(back->dtype, dtype);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->data, tensor.data);
    }
}

TEST(Npy, RefusesWhatItCannotRead) {
  expectError("", "not a .npy file");
  expectError("PK\x03\x04 a zip archive", "not a .npy file");
  expectError(npy(kHeader, kData, 4), "version 4");
  expectError(npy(kHeader, kData).substr(0, 30), "truncated");
  expectError(npy(kHeader, kData.substr(1)), "needs 16 bytes of data, found 15");
  expectError(npy(kHeader, kData + "x"), "needs 16 bytes of data, found 17");
  expectError(npy("{'descr': '>i8', 'fortran_order': False, 'shape': (1, 2)}", kData), "element type '>i8'");
  expectError(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", kData), "element type '<f8'");
  expectError(npy("{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1, 2)}", kData),
              "not a plain one");
  expectError(npy("{'descr': '<i8', 'fortran_order': True, 'shape': (1, 2)}", kData), "Fortran order");
  expectError(npy("{'descr': '<i8', 'fortran_order': False}", kData), "lacks");
  expectError(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1, -2)}", kData), "negative dimension");
  expectError(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", kData),
              "64-bit");
  expectError(npy("{'descr': '<i8', 'fortran_order': Maybe, 'shape': (1, 2)}", kData), "True or False");
  expectError(npy("{'descr': '<i8', 'fortran_order': False, 'shape': 3}", kData), "tuple");
  expectError(npy("{'descr': '<i8', 'more': 1}", kData), "unexpected key 'more'");
  expectError(npy("[1, 2]", kData), "wanted a dictionary");
  expectError(npy("{'descr': '<i8", kData), "not a plain one");
}

TEST(Npy, AMissingFileIsTheUsersFault) {
  StatusOr<HostTensor> tensor = readNpy("/nonexistent/ids.npy");
  ASSERT_FALSE(tensor.isOk());
  EXPECT_EQ(tensor.status().code(), StatusCode::InvalidInput);
}

TEST(Npy, BF16HasNoType) {
  TempFile file;
  EXPECT_EQ(writeNpy(file.path(), {DType::BF16, {1}, {0, 0}}).code(), StatusCode::InvalidInput);
}

TEST(Npy, HeaderErrors) {
  auto header = [](const std::string &text) { return npy(text, kData); };
  expectError(header("{descr: 1}"), "malformed header: wanted 'key': value, found 'descr");
  expectError(header("{'descr': '<f4', 'fortran_order': False, 'shape': [4], }"),
              "malformed header: wanted a tuple of integers for shape, found '[4]");
  expectError(header("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), } x"),
              "wanted the header's end");
  expectError(header("{'descr': '<f4'}"), "the header lacks descr, fortran_order or shape");
  expectError(header("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }"),
              "the array is in Fortran order; save numpy.ascontiguousarray(array) instead");
  expectError(std::string("\x93NUMPY\2\0\0\0", 10), "truncated: no header");
  expectError(std::string("\x93NUMPY\1\0\xff\xff{}", 12),
              "truncated: the header has 65535 bytes and the file 12");
}

TEST(Npy, WritesOnlyWhatItCanSay) {
  TempFile file("");
  EXPECT_EQ(writeNpy(file.path(), {DType::BF16, {1}, {0, 0}}).message(),
            file.path() + ": bf16 has no type in NumPy; write .safetensors");
  EXPECT_EQ(writeNpy(file.path(), {DType::U8, std::vector<int64_t>(30000, 1), {0}}).message(),
            file.path() + ": too many dimensions for a .npy header");
}

TEST(HostTensor, ByteCountErrors) {
  EXPECT_EQ(byteCount(DType::F32, std::vector<int64_t>{2, -1}).status().message(),
            "negative dimension in f32[2, -1]");
}
