//===- CpuDeviceTest.cpp - The CPU as a device ----------------------------===//
#include "runtime/base/Convert.h"
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/File.h"
#include "runtime/base/Random.h"
#include "runtime/device/Device.h"
#include "runtime/device/cpu/Memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace heddle::runtime;

namespace {

class CpuDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    auto created = createCpuDevice(3);
    ASSERT_TRUE(created.isOk()) << created.status().message();
    device = *std::move(created);
  }
  Plan planWith(const char *kernel, const std::string &target = "x86-64") {
    Plan plan;
    plan.device = "cpu";
    Kernel k;
    k.name = kernel;
    k.language = KernelLanguage::Cpu;
    k.target = target;
    k.binary = *readFile(HEDDLE_TEST_OBJECTS "/kernel.o");
    plan.kernels.push_back(k);
    return plan;
  }
  std::unique_ptr<Device> device;
};

TEST_F(CpuDeviceTest, NamesItself) {
  EXPECT_EQ(device->kind(), "cpu");
  EXPECT_FALSE(device->name().empty());
  EXPECT_TRUE(device->supports(device->target()));
  EXPECT_TRUE(device->supports("x86-64"));
  EXPECT_FALSE(device->supports("sm_80"));
  EXPECT_EQ(device->supports("x86-64-v4"), cpuLevel() == CpuLevel::V4);
}

TEST_F(CpuDeviceTest, MemoryIsAlignedAndMoves) {
  for (int64_t bytes : {0, 1, 1000, 5 << 20}) {
    auto memory = device->allocate(bytes);
    ASSERT_TRUE(memory.isOk());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*memory) % 256, 0u);
    std::vector<uint8_t> source(bytes), back(bytes);
    for (int64_t i = 0; i < bytes; ++i)
      source[i] = static_cast<uint8_t>(i * 31);
    ASSERT_TRUE(device->upload(*memory, source.data(), bytes).isOk());
    ASSERT_TRUE(device->download(back.data(), *memory, bytes).isOk());
    EXPECT_EQ(source, back);
    ASSERT_TRUE(device->fill(*memory, 0xab, bytes).isOk());
    ASSERT_TRUE(device->copy(back.data(), *memory, bytes).isOk());
    EXPECT_EQ(back, std::vector<uint8_t>(bytes, 0xab));
    device->release(*memory);
  }
}

TEST_F(CpuDeviceTest, TooMuchMemoryIsAnError) {
  auto memory = device->memoryInfo();
  ASSERT_TRUE(memory.isOk());
  EXPECT_GT(memory->free, 0);
  EXPECT_LE(memory->free, memory->total);
  auto refused = device->allocate(int64_t{1} << 50);
  EXPECT_EQ(refused.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(refused.status().message().find("wanted 1125899906842624 bytes of memory, free "), 0u)
      << refused.status().message();
}

TEST_F(CpuDeviceTest, GeneratesWhatTheDefinitionSays) {
  const int64_t count = 5001; // Ragged: neither of the block nor of the vectors.
  std::vector<float> wide(count);
  std::vector<uint16_t> narrow(count);
  ASSERT_TRUE(device->generate(wide.data(), DType::F32, count, InitKind::Normal, 0.02, 11, 12).isOk());
  ASSERT_TRUE(device->generate(narrow.data(), DType::BF16, count, InitKind::Normal, 0.02, 11, 12).isOk());
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(wide[i], normalElement(11, 12, i, normalFactor(0.02))) << i;
    ASSERT_EQ(narrow[i], f32ToBf16(wide[i])) << i;
  }
  ASSERT_TRUE(device->generate(wide.data(), DType::F32, count, InitKind::Constant, 1.5, 0, 0).isOk());
  EXPECT_EQ(wide, std::vector<float>(count, 1.5f));
  EXPECT_EQ(device->generate(wide.data(), DType::I64, 1, InitKind::Normal, 1, 0, 0).message(),
            "the generator draws f32, bf16 or f16, found i64");
}

TEST_F(CpuDeviceTest, LaunchCoversTheItemsOnce) {
  auto plan = planWith("mark");
  auto kernels = device->load(plan);
  ASSERT_TRUE(kernels.isOk()) << kernels.status().message();
  for (int64_t items : {0, 1, 2, 3, 10}) {
    std::vector<int64_t> marks(items + 1, 0);
    void *buffers[] = {marks.data()};
    Launch launch;
    launch.kernel = 0;
    launch.items = items;
    ASSERT_TRUE(device->launch(**kernels, launch, buffers).isOk());
    for (int64_t i = 0; i < items; ++i) // Contiguous ranges, one a thread.
      EXPECT_EQ(marks[i] % 1000, 1);
    if (items == 10) {
      EXPECT_EQ(marks[3], 3001);
      EXPECT_EQ(marks[9], 6001);
    }
    EXPECT_EQ(marks[items], 0);
  }
}

// Ranges of the workers begin and end within instances; each instance gets its own buffers and counts.
TEST_F(CpuDeviceTest, BatchedLaunchCoversTheItemsOfEachInstanceOnce) {
  Plan plan = planWith("add_one");
  auto kernels = device->load(plan);
  ASSERT_TRUE(kernels.isOk()) << kernels.status().message();
  for (const std::vector<int64_t> &shares : std::vector<std::vector<int64_t>>{
           {4}, {1, 1}, {0, 3, 0, 2}, {7, 1, 2}, {1, 0, 0, 0, 0, 0, 9}, {0, 0}}) {
    std::vector<std::vector<float>> x, y, wanted;
    std::vector<void *> buffers;
    Launch launch;
    launch.kernel = 0;
    launch.shares = shares;
    for (size_t i = 0; i < shares.size(); ++i) {
      int64_t columns = static_cast<int64_t>(i) + 1;
      launch.counts.push_back(columns);
      launch.items += shares[i];
      x.emplace_back(shares[i] * columns);
      y.emplace_back(shares[i] * columns + 1, -1.0f);
      wanted.push_back(y.back());
      for (size_t at = 0; at < x.back().size(); ++at) {
        x.back()[at] = static_cast<float>(100 * i + at);
        wanted.back()[at] = x.back()[at] + 1;
      }
    }
    for (size_t i = 0; i < shares.size(); ++i) {
      buffers.push_back(x[i].data());
      buffers.push_back(y[i].data());
    }
    ASSERT_TRUE(device->launch(**kernels, launch, buffers).isOk());
    EXPECT_EQ(y, wanted);
  }
}

TEST_F(CpuDeviceTest, LoadErrorsNameTheKernel) {
  EXPECT_EQ(device->load(planWith("treadle")).status().message(),
            "kernel treadle: object code: it does not define the function \"treadle\"");
  auto other = device->load(planWith("mark", "x86-64-v9"));
  EXPECT_EQ(other.status().code(), StatusCode::Unavailable);
  EXPECT_EQ(other.status().message(), "kernel mark was made for x86-64-v9; this processor (" +
                                          device->name() + ") has " + device->target());
}

TEST_F(CpuDeviceTest, ProductsRun) {
  float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, d[4];
  Product p;
  p.m = 2, p.n = 2, p.k = 3;
  p.a.ld = 3, p.b.ld = 2, p.d.ld = 2;
  Device::ProductAddresses addresses;
  addresses.a = a, addresses.b = b, addresses.d = d;
  ASSERT_TRUE(device->product(p, addresses).isOk());
  EXPECT_EQ(std::vector<float>(d, d + 4), (std::vector<float>{4, 5, 10, 11}));
}

TEST_F(CpuDeviceTest, CannotRecord) {
  EXPECT_EQ(device->beginRecording().code(), StatusCode::Unavailable);
  EXPECT_EQ(device->beginRecording().message(),
            "device cpu cannot record steps; use the sequential executor");
}

TEST_F(CpuDeviceTest, ProfilesStepByStep) {
  ASSERT_TRUE(device->startProfile().isOk());
  device->markStep(4);
  device->markStep(7);
  auto times = device->stopProfile();
  ASSERT_TRUE(times.isOk());
  ASSERT_EQ(times->size(), 2u);
  EXPECT_EQ((*times)[0].step, 4);
  EXPECT_EQ((*times)[1].step, 7);
  EXPECT_GE((*times)[0].ms, 0);
}

} // namespace
