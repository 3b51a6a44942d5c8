//===- ElfObjectTest.cpp - Loads a kernel's object code -------------------===//
#include "runtime/device/cpu/ElfObject.h"

#include "runtime/base/File.h"

#include <gtest/gtest.h>

#include <elf.h>

#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

using Entry = void (*)(void *const *, const int64_t *, int64_t, int64_t);

std::vector<uint8_t> objectFile(const char *name) {
  auto bytes = readFile(std::string(HEDDLE_TEST_OBJECTS) + "/" + name);
  EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
  return bytes.isOk() ? *bytes : std::vector<uint8_t>();
}

std::string loadError(std::span<const uint8_t> bytes) { return ElfObject::load(bytes).status().message(); }

class Loaded : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    auto loaded = ElfObject::load(objectFile(GetParam()));
    ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
    object = *std::move(loaded);
  }
  Entry entry(const char *name) {
    auto function = object->function(name);
    EXPECT_TRUE(function.isOk()) << function.status().message();
    return reinterpret_cast<Entry>(*function);
  }
  std::unique_ptr<ElfObject> object;
};

TEST_P(Loaded, RunsCode) {
  float x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {};
  void *buffers[] = {x, y};
  int64_t counts[] = {2};
  entry("add_one")(buffers, counts, 1, 3);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 3);
  EXPECT_EQ(y[5], 6);
}

TEST_P(Loaded, ReachesConstantsAndData) {
  int64_t out[3];
  void *buffers[] = {out};
  int64_t counts[] = {1, 42};
  entry("use_data")(buffers, counts, 0, 1);
  EXPECT_EQ(out[0], 'w');
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], 20);
  entry("use_data")(buffers, counts, 0, 1);
  EXPECT_EQ(out[1], 1);
}

TEST_P(Loaded, CallsTheListedFunctions) {
  float x[3] = {-1, 0, 2}, y[3], z[3];
  void *buffers[] = {x, y, z};
  int64_t counts[] = {sizeof y};
  entry("call_far")(buffers, counts, 0, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(y[i], std::exp(std::tanh(x[i])));
    EXPECT_EQ(z[i], y[i]);
  }
  buffers[0] = z;
  entry("call_pointer")(buffers, counts, 0, 1);
  EXPECT_EQ(z[0], std::sin(1.0f));
}

TEST_P(Loaded, NamesAMissingFunction) {
  EXPECT_EQ(object->function("treadle").status().message(),
            "object code: it does not define the function \"treadle\"");
}

INSTANTIATE_TEST_SUITE_P(Objects, Loaded, testing::Values("kernel.o", "kernel-noplt.o"),
                         [](const auto &info) { return info.index == 0 ? "Stubs" : "Table"; });

TEST(ElfObject, RefusesByName) {
  EXPECT_EQ(loadError(objectFile("undefined.o")), "object code: it calls \"puts\", which a kernel may not");
  std::string threadLocal = loadError(objectFile("threadlocal.o"));
  // GCC's general dynamic model calls __tls_get_addr, which is met first.
  EXPECT_TRUE(threadLocal == "object code: it calls \"__tls_get_addr\", which a kernel may not" ||
              threadLocal == "object code: section .tbss is thread-local or compressed")
      << threadLocal;
  EXPECT_NE(loadError(objectFile("constructor.o")).find("section .init_array has type 14"), std::string::npos)
      << loadError(objectFile("constructor.o"));
  EXPECT_NE(loadError(objectFile("absolute.o")).find("does not fit in 32 bits: was it made with -fPIC?"),
            std::string::npos)
      << loadError(objectFile("absolute.o"));
}

TEST(ElfObject, RefusesOtherFiles) {
  EXPECT_EQ(loadError({}), "object code: not an ELF file");
  std::vector<uint8_t> text(100, 'x');
  EXPECT_EQ(loadError(text), "object code: not an ELF file");
  auto bytes = objectFile("kernel.o");
  bytes[offsetof(Elf64_Ehdr, e_machine)] = EM_AARCH64;
  EXPECT_EQ(loadError(bytes),
            "object code: wanted a relocatable x86-64 object, found class 2, machine 183, type 1");
}

TEST(ElfObject, RefusesAnUnknownRelocation) {
  auto bytes = objectFile("kernel.o");
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_RELA)
      continue;
    Elf64_Rela relocation;
    std::memcpy(&relocation, bytes.data() + section.sh_offset, sizeof relocation);
    relocation.r_info = ELF64_R_INFO(ELF64_R_SYM(relocation.r_info), R_X86_64_COPY);
    std::memcpy(bytes.data() + section.sh_offset, &relocation, sizeof relocation);
  }
  EXPECT_NE(loadError(bytes).find("has type 5, which this loader does not know"), std::string::npos)
      << loadError(bytes);
}

TEST(ElfObject, TruncatedFilesAreErrors) {
  auto bytes = objectFile("kernel.o");
  for (size_t size = 0; size < bytes.size(); size += 7)
    ASSERT_FALSE(ElfObject::load(std::span(bytes).first(size)).isOk()) << size;
}

// Damage may go unnoticed (a changed instruction is still code), but loading must never crash; the sanitizer
// build runs this too.
TEST(ElfObject, DamagedFilesDoNotCrash) {
  const auto original = objectFile("kernel.o");
  size_t refused = 0;
  for (size_t i = 0; i < original.size(); ++i)
    for (uint8_t bits : {0x01, 0x80, 0xff}) {
      auto bytes = original;
      bytes[i] ^= bits;
      auto object = ElfObject::load(bytes);
      if (!object.isOk()) {
        ++refused;
        ASSERT_FALSE(object.status().message().empty());
      }
    }
  EXPECT_GT(refused, 0u);
}

} // namespace
