//===- PlanTuningTest.cpp -------------------------------------------------===//
//
// With a tuner that only pretends: which products are timed, what is kept, what is said. Timing itself needs
// a GPU (test/unit/runtime/cuda/gpu/TuneTest.cpp).
//
//===----------------------------------------------------------------------===//
#include "runtime/product/PlanTuning.h"

#include "runtime/base/DiskCache.h"
#include "test/unit/runtime/base/TemporaryFolder.h"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

class FakeTuner final : public ProductTuner {
public:
  StatusOr<TunedProduct> tune(const Product &product, const ProductSite &site) override {
    if (!failure.isOk())
      return failure;
    sites.push_back(site);
    std::this_thread::sleep_for(std::chrono::milliseconds(delayMs));
    return TunedProduct{{uint8_t(product.m), uint8_t(product.n), uint8_t(sites.size())}, 0.5, 0.75};
  }
  std::vector<ProductSite> sites;
  Status failure;
  int delayMs = 0;
};

class PlanTuning : public testing::Test {
protected:
  PlanTuning() {
    plan.workspaceBytes = 1 << 20;
    for (BufferRole role : {BufferRole::Scratch, BufferRole::Parameter, BufferRole::Scratch}) {
      Buffer &buffer = plan.buffers.emplace_back();
      buffer.role = role;
      buffer.bytes = 1 << 20;
    }
    options.identity = "a device";
    options.cacheFolder = folder.path;
    options.tuner = [this]() -> StatusOr<ProductTuner *> {
      ++made;
      return static_cast<ProductTuner *>(&tuner);
    };
  }

  /// A bf16 product of buffer 0 and the weight in buffer 1, into buffer 2.
  Product &add(int64_t m, int64_t n, int64_t k) {
    Step &step = plan.steps.emplace_back();
    step.kind = StepKind::Product;
    Product &p = step.product;
    p.m = m, p.n = n, p.k = k;
    p.math = MathMode::Low;
    p.a = {{0, 0}, DType::BF16, k, m * k, false};
    p.b = {{1, 0}, DType::BF16, k, n * k, true};
    p.d = {{2, 0}, DType::F32, n, m * n, false};
    return p;
  }

  TuningStats tuneAgain() {
    untunePlan(plan);
    TuningStats stats;
    tunePlan(plan, options, stats);
    return stats;
  }

  TemporaryFolder folder;
  Plan plan;
  FakeTuner tuner;
  TuningOptions options;
  int made = 0;
};

} // namespace

// Products that differ in what speed depends on are timed apart; others share one choice.
TEST_F(PlanTuning, EachDistinctProductOnce) {
  add(4, 8, 16);
  add(4, 8, 16).alpha = 0.5;            // A scalar.
  add(4, 8, 16).b.ref.byteOffset = 512; // Aligned as before.
  plan.steps.emplace_back();            // A launch.
  add(5, 8, 16);
  add(4, 9, 16);
  add(4, 8, 17);
  add(4, 8, 16).batch = 2;
  add(4, 8, 16).a.ld = 32;
  add(4, 8, 16).b.transposed = false;
  add(4, 8, 16).d.dtype = DType::BF16;
  add(4, 8, 16).math = MathMode::TF32;
  add(4, 8, 16).epilogue = Epilogue::GeluTanh;
  add(4, 8, 16).a.ref.byteOffset = 32; // Aligned to 32 bytes only.
  add(4, 8, 16).b.ref.buffer = 0;      // Not a weight.
  Product &added = add(4, 8, 16);
  added.beta = 1, added.c = added.d, added.c.ref.buffer = 0;
  Product &inPlace = add(4, 8, 16);
  inPlace.beta = 1, inPlace.c = inPlace.d;
  TuningStats stats;
  tunePlan(plan, options, stats);
  EXPECT_EQ(stats.products, 14);
  EXPECT_EQ(stats.timed, 14);
  EXPECT_EQ(stats.hits, 0);
  EXPECT_EQ(stats.note, "");
  EXPECT_EQ(made, 1);
  EXPECT_EQ(plan.steps[0].product.algorithm, (std::vector<uint8_t>{4, 8, 1}));
  EXPECT_EQ(plan.steps[1].product.algorithm, plan.steps[0].product.algorithm);
  EXPECT_EQ(plan.steps[2].product.algorithm, plan.steps[0].product.algorithm);
  EXPECT_TRUE(plan.steps[3].product.algorithm.empty());
  for (size_t i = 4; i < plan.steps.size(); ++i)
    EXPECT_EQ(plan.steps[i].product.algorithm.back(), i - 2) << i;
  EXPECT_DOUBLE_EQ(stats.tunedMs, 16 * 0.5);
  EXPECT_DOUBLE_EQ(stats.guessMs, 16 * 0.75);
  const ProductSite &first = tuner.sites.front();
  EXPECT_EQ(first.alignment, (std::array<uint32_t, 5>{256, 256, 0, 0, 256}));
  EXPECT_FALSE(first.coldA);
  EXPECT_TRUE(first.coldB);
  EXPECT_FALSE(first.inPlace);
  EXPECT_EQ(first.workspaceBytes, 1 << 20);
  EXPECT_EQ(tuner.sites[10].alignment[0], 32u);
  EXPECT_FALSE(tuner.sites[11].coldB);
  EXPECT_EQ(tuner.sites[12].alignment[2], 256u);
  EXPECT_FALSE(tuner.sites[12].inPlace);
  EXPECT_TRUE(tuner.sites[13].inPlace);
}

TEST_F(PlanTuning, EveryEpilogueHasAName) {
  Product &product = add(4, 8, 16);
  std::string plain = describeProduct(product, {});
  for (auto [epilogue, name] : {std::pair{Epilogue::Bias, ", bias"},
                                {Epilogue::BiasRelu, ", bias+relu"},
                                {Epilogue::SiluMul, ", silu mul"}}) {
    product.epilogue = epilogue;
    EXPECT_EQ(describeProduct(product, {}), plain + name);
  }
}

// The second time nothing is timed, no tuner is made, and the choice is the same; on another device it is
// not.
TEST_F(PlanTuning, KeptOnDisk) {
  add(4, 8, 16);
  add(5, 8, 16);
  EXPECT_EQ(tuneAgain().timed, 2);
  std::vector<uint8_t> algorithm = plan.steps[1].product.algorithm;
  TuningStats stats = tuneAgain();
  EXPECT_EQ(stats.hits, 2);
  EXPECT_EQ(stats.timed, 0);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(plan.steps[1].product.algorithm, algorithm);
  EXPECT_DOUBLE_EQ(stats.guessMs, 1.5);
  EXPECT_EQ(listCache(folder.path).size(), 2u);
  EXPECT_EQ(listCache(folder.path)[0].title.substr(1), "x8x16 bf16 bf16 -> f32, b transposed");

  options.identity = "another device";
  EXPECT_EQ(tuneAgain().timed, 2);
  options.useCache = false;
  EXPECT_EQ(tuneAgain().timed, 2);
}

// Without a tuner the cache alone decides; what it does not know keeps the library's guess.
TEST_F(PlanTuning, OnlyWhatIsKnown) {
  add(4, 8, 16);
  EXPECT_EQ(tuneAgain().timed, 1);
  add(5, 8, 16);
  options.tuner = nullptr;
  TuningStats stats = tuneAgain();
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.left(), 1);
  EXPECT_EQ(stats.note, "");
  EXPECT_FALSE(plan.steps[0].product.algorithm.empty());
  EXPECT_TRUE(plan.steps[1].product.algorithm.empty());
}

// What is pinned already is left alone.
TEST_F(PlanTuning, PinnedStaysPinned) {
  add(4, 8, 16).algorithm = {7};
  TuningStats stats;
  tunePlan(plan, options, stats);
  EXPECT_EQ(stats.products, 0);
  EXPECT_EQ(plan.steps[0].product.algorithm, std::vector<uint8_t>{7});
}

TEST_F(PlanTuning, FailuresAndTheBudgetLeaveTheGuess) {
  add(4, 8, 16);
  add(5, 8, 16);
  tuner.failure = outOfMemory("no memory for operands");
  TuningStats stats = tuneAgain();
  EXPECT_EQ(stats.left(), 2);
  EXPECT_NE(stats.note.find("no memory for operands"), std::string::npos) << stats.note;
  EXPECT_TRUE(plan.steps[0].product.algorithm.empty());

  tuner.failure = Status::ok();
  tuner.delayMs = 20;
  options.budgetMs = 1;
  stats = tuneAgain();
  EXPECT_EQ(stats.timed, 1);
  EXPECT_EQ(stats.left(), 1);
  EXPECT_NE(stats.note.find("time for tuning is over"), std::string::npos) << stats.note;
  // The next one goes on where this one stopped.
  stats = tuneAgain();
  EXPECT_EQ(stats.hits, 1);
  EXPECT_EQ(stats.timed, 1);
  EXPECT_EQ(stats.note, "");

  options.useCache = false;
  options.tuner = []() -> StatusOr<ProductTuner *> { return unavailable("no such device"); };
  stats = tuneAgain();
  EXPECT_EQ(stats.left(), 2);
  EXPECT_NE(stats.note.find("no such device"), std::string::npos) << stats.note;
}

TEST_F(PlanTuning, DamagedOrUnwritableCacheOnlyCostsTime) {
  add(4, 8, 16);
  EXPECT_EQ(tuneAgain().timed, 1);
  DiskCache cache(folder.path, kProductEntries);
  std::filesystem::resize_file(cache.fileOf(listCache(folder.path)[0].key), 60);
  TuningStats stats = tuneAgain();
  EXPECT_EQ(stats.timed, 1);
  EXPECT_NE(stats.note.find("the product is timed again"), std::string::npos) << stats.note;
  EXPECT_EQ(tuneAgain().note, "");

  // Whole as an entry, and too short for what it should hold.
  cache.store(listCache(folder.path)[0].key, "short", "");
  stats = tuneAgain();
  EXPECT_EQ(stats.timed, 1);
  EXPECT_NE(stats.note.find("is no algorithm; the product is timed again"), std::string::npos) << stats.note;

  std::ofstream(folder.path + "/file") << "in the way";
  options.cacheFolder = folder.path + "/file";
  stats = tuneAgain();
  EXPECT_EQ(stats.timed, 1);
  EXPECT_FALSE(plan.steps[0].product.algorithm.empty());
  EXPECT_NE(stats.note.find(options.cacheFolder), std::string::npos) << stats.note;
}

// Processes that tune at once end with entries that any of them can use.
TEST_F(PlanTuning, ProcessesMayRace) {
  for (int i = 1; i <= 12; ++i)
    add(i, 8, 16);
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      TuningStats stats = tuneAgain();
      _exit(stats.hits + stats.timed == 12 && stats.note.empty() ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(tuneAgain().hits, 12);
}
