#include "tools/heddle/Support/Ceiling.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <thread>

using namespace heddle;
using namespace heddle::driver;
using namespace heddle::runtime;

namespace {

/// Multiplies nothing, at two speeds: by algorithm, in milliseconds a product.
class FakeDevice : public Device {
public:
  FakeDevice(std::string kind, std::map<std::string, int> milliseconds)
      : kind_(std::move(kind)), milliseconds_(std::move(milliseconds)) {}

  std::map<std::string, int> products; ///< By algorithm.
  std::vector<Product> seen;
  int64_t panel = 0;
  int held = 0; ///< Allocations that nobody released.

  std::string kind() const override { return kind_; }
  std::string name() const override { return "fake"; }
  std::string target() const override { return kind_ == "cpu" ? "x86-64-v3" : "sm_90a"; }
  bool supports(const std::string &) const override { return true; }
  StatusOr<void *> allocate(int64_t) override {
    ++held;
    return static_cast<void *>(this);
  }
  void release(void *) override { --held; }
  StatusOr<MemoryInfo> memoryInfo() override { return MemoryInfo(); }
  Status upload(void *, const void *, int64_t) override { return Status::ok(); }
  Status download(void *, const void *, int64_t) override { return Status::ok(); }
  Status copy(void *, const void *, int64_t) override { return Status::ok(); }
  Status fill(void *, uint8_t, int64_t) override { return Status::ok(); }
  Status generate(void *, DType, int64_t, InitKind, double, uint64_t, uint64_t) override {
    return Status::ok();
  }
  Status convert(void *, DType, const void *, DType, int64_t) override { return Status::ok(); }
  Status packPanels(void *, DType, int64_t, int64_t, int64_t rows) override {
    panel = rows;
    return Status::ok();
  }
  Status synchronize() override { return Status::ok(); }
  StatusOr<std::unique_ptr<LoadedKernels>> load(const Plan &) override { return unavailable("fake"); }
  Status launch(LoadedKernels &, const Launch &, std::span<void *const>) override { return Status::ok(); }
  Status product(const Product &product, const ProductAddresses &) override {
    std::string algorithm(product.algorithm.begin(), product.algorithm.end());
    ++products[algorithm];
    seen.push_back(product);
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_.at(algorithm)));
    return Status::ok();
  }
  Status beginRecording() override { return Status::ok(); }
  StatusOr<std::unique_ptr<Recording>> endRecording() override { return unavailable("fake"); }
  Status replay(Recording &) override { return Status::ok(); }
  Status startProfile() override { return Status::ok(); }
  void markStep(int32_t) override {}
  StatusOr<std::vector<StepTime>> stopProfile() override { return unavailable("fake"); }

private:
  std::string kind_;
  std::map<std::string, int> milliseconds_;
};

constexpr double kFlops = 2.0 * 1024 * 1024 * 1024;

} // namespace

TEST(Ceiling, OfACpuIsThatOfTheFasterOfBothProductsInFloat32) {
  FakeDevice device("cpu", {{"", 30}, {"tiled:16", 6}});
  StatusOr<double> ceiling = measureCeiling(device, "bf16", /*budget=*/0.05);
  ASSERT_TRUE(ceiling) << ceiling.status().message();
  // A sleep is never shorter than asked for: above what 30 ms give only if the 6 ms were seen.
  EXPECT_LE(*ceiling, kFlops / 6e-3);
  EXPECT_GT(*ceiling, kFlops / 30e-3);
  EXPECT_GE(device.products[""], 6) << "one to warm up, five that count";
  EXPECT_GE(device.products["tiled:16"], 6);
  EXPECT_EQ(device.panel, 16);
  for (const Product &product : device.seen) {
    EXPECT_EQ(product.a.dtype, DType::F32);
    EXPECT_EQ(product.math, MathMode::F32);
    EXPECT_EQ(product.b.transposed, !product.algorithm.empty()) << "weights are stored transposed";
  }
  EXPECT_EQ(device.held, 0);
}

TEST(Ceiling, OfAGpuIsTheLibrarysInTheMathAskedFor) {
  FakeDevice device("cuda", {{"", 6}});
  ASSERT_TRUE(measureCeiling(device, "bf16-true", /*budget=*/0.2));
  EXPECT_GE(device.products[""], 6);
  for (const Product &product : device.seen) {
    EXPECT_EQ(product.a.dtype, DType::BF16);
    EXPECT_EQ(product.math, MathMode::Low);
  }
}

TEST(Ceiling, ProductsThatAreSoonOverAreMadeLarger) {
  FakeDevice device("cuda", {{"", 0}});
  ASSERT_TRUE(measureCeiling(device, "tf32"));
  EXPECT_EQ(device.seen.front().m, 1024);
  EXPECT_EQ(device.seen.back().m, 8192);
  EXPECT_EQ(device.seen.back().math, MathMode::TF32);
}
