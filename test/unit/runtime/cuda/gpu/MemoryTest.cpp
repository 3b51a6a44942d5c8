//===- MemoryTest.cpp - Memory, copies, generation ------------------------===//
#include "GpuTest.h"

#include "runtime/base/Random.h"

#include <chrono>
#include <cstdio>

using namespace heddle::runtime;

using GpuMemory = GpuTest;
using GpuGenerate = GpuTest;

TEST_F(GpuMemory, DeviceDescribesItself) {
  EXPECT_EQ(device->kind(), "cuda");
  EXPECT_FALSE(device->name().empty());
  EXPECT_TRUE(device->supports(device->target()));
  EXPECT_TRUE(device->supports("sm_80"));
  EXPECT_FALSE(device->supports("x86-64-v3"));
  StatusOr<MemoryInfo> info = device->memoryInfo();
  ASSERT_TRUE(info) << info.status().message();
  EXPECT_GT(info->free, 0);
  EXPECT_GE(info->total, info->free);
}

TEST_F(GpuMemory, CopiesAndFills) {
  std::vector<int32_t> values(100003);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int32_t(i * 2654435761u);
  int64_t bytes = int64_t(values.size()) * 4;
  void *first = upload(values), *second = allocate(bytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, 0u);
  expectOk(device->copy(second, first, bytes));
  EXPECT_EQ(download<int32_t>(second, values.size()), values);
  // A fill from the middle on leaves what is before.
  expectOk(device->fill(static_cast<char *>(second) + 8, 0xAB, bytes - 8));
  std::vector<int32_t> filled = download<int32_t>(second, values.size());
  EXPECT_EQ(filled[1], values[1]);
  EXPECT_EQ(filled[2], int32_t(0xABABABAB));
  EXPECT_EQ(filled.back(), int32_t(0xABABABAB));
  // Nothing is fine, too.
  expectOk(device->upload(first, nullptr, 0));
  expectOk(device->copy(second, first, 0));
  expectOk(device->fill(first, 0, 0));
}

/// Every pattern of 16 bits, and float32 of which each upper half comes with lower halves around the ties.
TEST_F(GpuMemory, ConvertsLikeTheHost) {
  std::vector<uint16_t> halves(0x10000);
  std::vector<uint32_t> words;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    halves[upper] = uint16_t(upper);
    for (uint32_t lower : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u})
      words.push_back(upper << 16 | lower);
  }
  for (DType from : {DType::F32, DType::BF16, DType::F16})
    for (DType to : {DType::F32, DType::BF16, DType::F16}) {
      int64_t count = int64_t(from == DType::F32 ? words.size() : halves.size());
      const void *source = from == DType::F32 ? (const void *)words.data() : halves.data();
      std::vector<float> wide(static_cast<size_t>(count));
      std::vector<uint8_t> wanted(size_t(count * sizeOf(to)));
      expectOk(widenToF32(from, source, wide.data(), count));
      expectOk(narrowFromF32(to, wide.data(), wanted.data(), count));
      void *stored = allocate(count * sizeOf(from)), *converted = allocate(count * sizeOf(to));
      expectOk(device->upload(stored, source, count * sizeOf(from)));
      expectOk(device->convert(converted, to, stored, from, count));
      EXPECT_EQ(download<uint8_t>(converted, count * sizeOf(to)), wanted)
          << nameOf(from) << " to " << nameOf(to);
    }
  EXPECT_EQ(device->convert(nullptr, DType::F32, nullptr, DType::I64, 1).code(), StatusCode::Internal);
}

TEST_F(GpuMemory, ExhaustionNamesWantedAndFree) {
  StatusOr<MemoryInfo> info = device->memoryInfo();
  ASSERT_TRUE(info);
  StatusOr<void *> memory = device->allocate(info->total + (int64_t(1) << 30));
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.status().code(), StatusCode::OutOfMemory);
  EXPECT_NE(memory.status().message().find("wanted " + std::to_string(info->total + (int64_t(1) << 30))),
            std::string::npos)
      << memory.status().message();
  EXPECT_NE(memory.status().message().find("free "), std::string::npos);
  // The device is still good.
  expectOk(device->synchronize());
  allocate(1 << 20);
}

// The same bits as the CPU's generator, for every type, and for elements beyond 2^32 (by the high counter
// word, which a stream with the bits exchanged would show).
TEST_F(GpuGenerate, NormalBitsEqualTheCpus) {
  const int64_t count = 300007;
  const uint64_t seed = 0x123456789abcdef0, stream = streamOf("blocks.0.q.weight");
  float factor = normalFactor(0.02);
  std::vector<float> wanted(count);
  for (int64_t i = 0; i < count; ++i)
    wanted[i] = normalElement(seed, stream, i, factor);
  for (DType type : {DType::F32, DType::BF16, DType::F16}) {
    int64_t bytes = count * sizeOf(type);
    void *memory = allocate(bytes + 16);
    expectOk(device->fill(memory, 0x5A, bytes + 16));
    expectOk(device->generate(memory, type, count, InitKind::Normal, 0.02, seed, stream));
    std::vector<uint8_t> expected(bytes);
    expectOk(narrowFromF32(type, wanted.data(), expected.data(), count));
    std::vector<uint8_t> found = download<uint8_t>(memory, bytes + 16);
    EXPECT_EQ(std::vector<uint8_t>(found.begin(), found.begin() + bytes), expected) << nameOf(type);
    EXPECT_EQ(found[bytes], 0x5A) << "written past the end";
  }
}

TEST_F(GpuGenerate, ConstantsOfEveryType) {
  const int64_t count = 1001;
  auto filled = [&](DType type, double value) {
    void *memory = allocate(count * sizeOf(type));
    expectOk(device->generate(memory, type, count, InitKind::Constant, value, 1, 2));
    return memory;
  };
  EXPECT_EQ(download<float>(filled(DType::F32, 1.5), count), std::vector<float>(count, 1.5f));
  EXPECT_EQ(download<uint16_t>(filled(DType::BF16, 1.0), count), std::vector<uint16_t>(count, 0x3f80));
  EXPECT_EQ(download<uint16_t>(filled(DType::F16, 1.0), count), std::vector<uint16_t>(count, 0x3c00));
  EXPECT_EQ(download<int32_t>(filled(DType::I32, -7), count), std::vector<int32_t>(count, -7));
  EXPECT_EQ(download<int64_t>(filled(DType::I64, -70000000000.0), count),
            std::vector<int64_t>(count, -70000000000));
  EXPECT_EQ(download<uint8_t>(filled(DType::Bool, 1), count), std::vector<uint8_t>(count, 1));
  EXPECT_EQ(download<uint8_t>(filled(DType::U8, 200), count), std::vector<uint8_t>(count, 200));
}

TEST_F(GpuGenerate, NormalIntegersAreRefused) {
  Status status = device->generate(allocate(64), DType::I32, 16, InitKind::Normal, 1.0, 0, 0);
  EXPECT_EQ(status.code(), StatusCode::InvalidInput);
  EXPECT_NE(status.message().find("i32"), std::string::npos) << status.message();
}

// More than 2^31 elements, checked at places on both sides.
TEST_F(GpuGenerate, ManyElements) {
  const int64_t count = 2400000000;
  StatusOr<MemoryInfo> info = device->memoryInfo();
  if (!info || info->free < count * 2 + (int64_t(1) << 30))
    GTEST_SKIP() << "needs 6 GiB of free memory";
  auto *memory = static_cast<uint16_t *>(allocate(count * 2));
  expectOk(device->generate(memory, DType::BF16, count, InitKind::Normal, 1.0, 3, 4));
  for (int64_t at : {int64_t(0), int64_t(2147483647), int64_t(2147483648), count - 1})
    EXPECT_EQ(download<uint16_t>(memory + at, 1)[0], f32ToBf16(normalElement(3, 4, at, normalFactor(1.0))))
        << at;
}

// Not a test but a figure; run it with --gtest_also_run_disabled_tests.
TEST_F(GpuGenerate, DISABLED_Speed) {
  const int64_t count = 2400000000;
  void *memory = allocate(count * 4);
  for (int run = 0; run < 3; ++run) {
    expectOk(device->synchronize());
    auto begin = std::chrono::steady_clock::now();
    expectOk(device->generate(memory, DType::F32, count, InitKind::Normal, 1.0, 3, 4));
    expectOk(device->synchronize());
    std::printf("generate of %lld f32: %.2f ms\n", static_cast<long long>(count),
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
}
