//===- KernelTest.cpp - Loading, launches, recordings, profiles -----------===//
#include "GpuTest.h"

#include "runtime/device/cuda/Profiler.h"
#include "runtime/nvrtc/CompileKernels.h"

#include <chrono>
#include <cstdio>
#include <numeric>

using namespace heddle::runtime;

static const char *const kAddSource = R"(
extern "C" __global__ void add_to(float *out, const float *in, long long count, long long times) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count)
    for (long long t = 0; t < times; ++t)
      out[i] += in[i];
}
)";

// Reverses blocks through more shared memory than a launch gets without asking.
static const char *const kSharedSource = R"(
extern "C" __global__ void reverse(float *data) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < 25000; i += blockDim.x)
    tile[i] = data[blockIdx.x * 25000 + i];
  __syncthreads();
  for (int i = threadIdx.x; i < 25000; i += blockDim.x)
    data[blockIdx.x * 25000 + i] = tile[24999 - i];
}
)";

// The table's words: first blocks, then of each instance y, x, how many and the factor.
static const char *const kBatchSource = R"(
extern "C" __global__ void scale(const long long *table, long long instances) {
  int instance = 0;
  while (instance + 1 < instances && table[instance + 1] <= blockIdx.x)
    ++instance;
  const long long *words = table + instances + 4 * instance;
  long long i = (blockIdx.x - table[instance]) * 256 + threadIdx.x;
  if (i < words[2])
    ((float *)words[0])[i] = words[3] * ((const float *)words[1])[i];
}
)";

// Brings a box of 64 x 8 x 1 x 1 16-bit elements from (c0, c1, 1, 1) on by the tensor unit, as attention's
// kernels do, and writes it out as it lies in shared memory.
static const char *const kMapSource = R"(
struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void box(unsigned short *out, const unsigned short *, long long c0, long long c1,
                               const __grid_constant__ Map map) {
  __shared__ alignas(1024) unsigned short tile[64 * 8];
  __shared__ alignas(8) unsigned long long barrier;
  unsigned int at = (unsigned int)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
                 "%4, %5, %5}], [%2];" ::"r"((unsigned int)__cvta_generic_to_shared(tile)), "l"(&map), "r"(at),
                 "r"((int)c0), "r"((int)c1), "r"(1) : "memory");
  }
  unsigned int done = 0;
  while (!done)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(at) : "memory");
  for (int i = threadIdx.x; i < 64 * 8; i += 64)
    out[i] = tile[i];
}
)";

class GpuKernel : public GpuTest {
protected:
  Plan planOf(const char *name, const char *source, int32_t threads, int32_t sharedBytes,
              std::string target = "") {
    Plan plan;
    Kernel kernel;
    kernel.name = name;
    kernel.source = source;
    kernel.target = target.empty() ? device->target() : target;
    kernel.threads = threads;
    kernel.sharedBytes = sharedBytes;
    plan.kernels.push_back(kernel);
    return plan;
  }

  std::unique_ptr<LoadedKernels> load(const Plan &plan) {
    StatusOr<std::unique_ptr<LoadedKernels>> kernels = device->load(plan);
    if (!kernels) {
      ADD_FAILURE() << kernels.status().message();
      return nullptr;
    }
    return *std::move(kernels);
  }

  static Launch addLaunch(int64_t count, int64_t times = 1) {
    Launch launch;
    launch.kernel = 0;
    launch.counts = {count, times};
    launch.grid = {(count + 255) / 256, 1, 1};
    return launch;
  }
};

TEST_F(GpuKernel, LaunchesWithBuffersAndCounts) {
  auto kernels = load(planOf("add_to", kAddSource, 256, 0));
  ASSERT_TRUE(kernels);
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.0f);
  void *buffers[] = {upload(std::vector<float>(1000, 1.0f)), upload(values)};
  expectOk(device->launch(*kernels, addLaunch(999, 3), buffers));
  std::vector<float> found = download<float>(buffers[0], 1000);
  for (int i = 0; i < 999; ++i)
    ASSERT_EQ(found[i], 1.0f + 3.0f * i);
  EXPECT_EQ(found[999], 1.0f);
}

// A portable plan's cubin does not run on another major version; its source does.
TEST_F(GpuKernel, PortableBinaryIsMadeAnewWhereItDoesNotRun) {
  Plan plan = planOf("add_to", kAddSource, 256, 0, "sm_80");
  Status compiled = compileKernels(plan);
  ASSERT_TRUE(compiled) << compiled.message();
  auto kernels = load(plan);
  ASSERT_TRUE(kernels);
  void *buffers[] = {upload(std::vector<float>(10, 1.0f)), upload(std::vector<float>(10, 2.0f))};
  expectOk(device->launch(*kernels, addLaunch(10), buffers));
  EXPECT_EQ(download<float>(buffers[0], 10), std::vector<float>(10, 3.0f));
}

// A view of 24 columns and 7 rows, from an array's ninth element on; the box's rows are 128 bytes, whose
// chunks of 16 change places from row to row, and what lies outside of the view is zero.
TEST_F(GpuKernel, TensorMaps) {
  if (!device->supports("sm_90a"))
    GTEST_SKIP() << "the tensor unit comes with compute capability 9.0";
  auto kernels = load(planOf("box", kMapSource, 64, 0));
  ASSERT_TRUE(kernels);
  // Rows of 32 elements, 7 of them a plane of 8, two planes a block of 2: the map shows 24 columns of each
  // row.
  std::vector<uint16_t> values(2000);
  std::iota(values.begin(), values.end(), uint16_t(1));
  auto *data = static_cast<uint16_t *>(upload(values));
  void *buffers[] = {upload(std::vector<uint16_t>(512, 0xffff)), data + 8};
  Launch launch;
  launch.kernel = 0;
  launch.buffers = {{0, 0}, {1, 16}};
  launch.counts = {16, 3};
  launch.maps = {{1, DType::BF16, {24, 7, 2, 2}, {64, 512, 1024}, {64, 8, 1, 1}, Swizzle::Bytes128}};
  // Twice, and then elsewhere: what was encoded is used again only for the same address.
  for (int shift : {0, 0, 8}) {
    buffers[1] = data + 8 + shift;
    expectOk(device->launch(*kernels, launch, buffers));
    std::vector<uint16_t> found = download<uint16_t>(buffers[0], 512);
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 64; ++column) {
        const int x = 16 + column, y = 3 + row, chunk = column / 8 ^ row % 8;
        const int wanted = x < 24 && y < 7 ? values[8 + shift + 512 + 256 + y * 32 + x] : 0;
        ASSERT_EQ(found[row * 64 + chunk * 8 + column % 8], wanted) << "row " << row << ", column " << column;
      }
  }
  launch.maps[0].strides[0] = 72; // No multiple of 16, which the plan's verifier would have said.
  Launch wrong = launch;
  Status refused = device->launch(*kernels, wrong, buffers);
  EXPECT_EQ(refused.code(), StatusCode::Internal);
  EXPECT_NE(refused.message().find("kernel box, tensor map 0"), std::string::npos) << refused.message();
}

/// Two instances in three blocks: y = scale * x.
static Launch batchedLaunch() {
  Launch launch;
  launch.kernel = 0;
  launch.counts = {300, 2, 100, 3};
  launch.grid = {3, 1, 1};
  launch.shares = {2, 1};
  return launch;
}

// The table is written where the launch is bound or first runs, again for other addresses, and never within a
// recording.
TEST_F(GpuKernel, BatchedLaunches) {
  auto kernels = load(planOf("scale", kBatchSource, 256, 0));
  ASSERT_TRUE(kernels);
  std::vector<float> values(300);
  std::iota(values.begin(), values.end(), 1.0f);
  void *x = upload(values), *y = upload(std::vector<float>(300, 0.0f)),
       *z = upload(std::vector<float>(300, 0.0f));
  Launch launch = batchedLaunch();
  auto expectScaled = [&](void *at, int64_t count, float factor) {
    std::vector<float> found = download<float>(at, 300);
    for (int64_t i = 0; i < 300; ++i)
      ASSERT_EQ(found[i], i < count ? factor * values[i] : 0.0f) << i;
  };
  auto clear = [&] {
    expectOk(device->fill(y, 0, 1200));
    expectOk(device->fill(z, 0, 1200));
  };
  void *buffers[] = {y, x, z, x};
  expectOk(device->launch(*kernels, launch, buffers));
  expectScaled(y, 300, 2);
  expectScaled(z, 100, 3);
  std::swap(buffers[0], buffers[2]);
  clear();
  expectOk(device->launch(*kernels, launch, buffers));
  expectScaled(z, 300, 2);
  expectScaled(y, 100, 3);
  // Bound, it is recorded.
  std::swap(buffers[0], buffers[2]);
  expectOk(device->bind(*kernels, launch, buffers));
  clear();
  expectOk(device->beginRecording());
  expectOk(device->launch(*kernels, launch, buffers));
  std::swap(buffers[0], buffers[2]);
  Status refused = device->launch(*kernels, launch, buffers);
  EXPECT_EQ(refused.code(), StatusCode::Internal);
  EXPECT_NE(refused.message().find("kernel scale, table of 2 instances"), std::string::npos)
      << refused.message();
  StatusOr<std::unique_ptr<Recording>> recording = device->endRecording();
  ASSERT_TRUE(recording) << recording.status().message();
  std::swap(buffers[0], buffers[2]);
  expectOk(device->bind(*kernels, launch, buffers));
  for (int i = 0; i < 2; ++i) {
    clear();
    expectOk(device->replay(**recording));
    expectScaled(y, 300, 2);
    expectScaled(z, 100, 3);
  }
}

TEST_F(GpuKernel, MuchSharedMemory) {
  auto kernels = load(planOf("reverse", kSharedSource, 512, 100000));
  ASSERT_TRUE(kernels);
  std::vector<float> values(50000), wanted(50000);
  for (int i = 0; i < 50000; ++i) {
    values[i] = float(i);
    wanted[i] = float(i / 25000 * 25000 + 24999 - i % 25000);
  }
  void *buffers[] = {upload(values)};
  Launch launch;
  launch.kernel = 0;
  launch.grid = {2, 1, 1};
  expectOk(device->launch(*kernels, launch, buffers));
  EXPECT_EQ(download<float>(buffers[0], 50000), wanted);
}

TEST_F(GpuKernel, TooMuchSharedMemoryNamesTheKernel) {
  auto kernels = device->load(planOf("reverse", kSharedSource, 512, 1 << 20));
  ASSERT_FALSE(kernels);
  EXPECT_NE(kernels.status().message().find("kernel reverse"), std::string::npos)
      << kernels.status().message();
}

TEST_F(GpuKernel, BadPlansAreRefused) {
  Plan noSource = planOf("add_to", "", 256, 0);
  EXPECT_EQ(device->load(noSource).status().code(), StatusCode::Unavailable);
  Plan wrongTarget = planOf("add_to", kAddSource, 256, 0, "x86-64-v3");
  EXPECT_EQ(device->load(wrongTarget).status().code(), StatusCode::InvalidInput);
  Plan noThreads = planOf("add_to", kAddSource, 0, 0);
  EXPECT_EQ(device->load(noThreads).status().code(), StatusCode::InvalidInput);
  Plan wrongName = planOf("add_too", kAddSource, 256, 0);
  StatusOr<std::unique_ptr<LoadedKernels>> loaded = device->load(wrongName);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.status().message().find("add_too"), std::string::npos) << loaded.status().message();
}

// A wrong number of arguments would make the driver read past them.
TEST_F(GpuKernel, WrongArgumentCountIsRefused) {
  auto kernels = load(planOf("add_to", kAddSource, 256, 0));
  ASSERT_TRUE(kernels);
  void *buffers[] = {allocate(4)};
  EXPECT_EQ(device->launch(*kernels, addLaunch(1), buffers).code(), StatusCode::Internal);
  Launch bad = addLaunch(1);
  bad.grid[0] = 0;
  void *both[] = {buffers[0], buffers[0]};
  EXPECT_EQ(device->launch(*kernels, bad, both).code(), StatusCode::Internal);
  bad = addLaunch(1);
  bad.kernel = 1;
  EXPECT_EQ(device->launch(*kernels, bad, both).code(), StatusCode::Internal);
}

TEST_F(GpuKernel, RecordingsReplayLaunchesCopiesAndFills) {
  auto kernels = load(planOf("add_to", kAddSource, 256, 0));
  ASSERT_TRUE(kernels);
  const int64_t count = 5000;
  void *sum = upload(std::vector<float>(count, 0.0f)), *one = upload(std::vector<float>(count, 1.0f));
  void *copy = upload(std::vector<float>(count, -1.0f));
  void *buffers[] = {sum, one};
  expectOk(device->beginRecording());
  expectOk(device->launch(*kernels, addLaunch(count), buffers));
  expectOk(device->copy(copy, sum, count * 4));
  expectOk(device->fill(copy, 0, 4));
  expectOk(device->launch(*kernels, addLaunch(count), buffers));
  // What the host must take part in cannot be recorded.
  float value = 0;
  EXPECT_EQ(device->upload(sum, &value, 4).code(), StatusCode::Internal);
  StatusOr<std::unique_ptr<Recording>> recording = device->endRecording();
  ASSERT_TRUE(recording) << recording.status().message();
  // Recorded, not run.
  EXPECT_EQ(download<float>(sum, count), std::vector<float>(count, 0.0f));
  for (int i = 0; i < 5; ++i)
    expectOk(device->replay(**recording));
  EXPECT_EQ(download<float>(sum, count), std::vector<float>(count, 10.0f));
  std::vector<float> copied = download<float>(copy, count);
  EXPECT_EQ(copied[0], 0.0f);
  EXPECT_EQ(copied[1], 9.0f);
  EXPECT_EQ(device->endRecording().status().code(), StatusCode::Internal);
}

// Step 7 does ten times the work of step 3, twice; times are summed by step, in order, and nothing is lost.
TEST_F(GpuKernel, ProfileAttributesTimesToSteps) {
  auto kernels = load(planOf("add_to", kAddSource, 256, 0));
  ASSERT_TRUE(kernels);
  const int64_t count = 1 << 22;
  void *buffers[] = {allocate(count * 4), allocate(count * 4)};
  expectOk(device->fill(buffers[0], 0, count * 4));
  expectOk(device->fill(buffers[1], 0, count * 4));
  expectOk(device->launch(*kernels, addLaunch(count), buffers));
  for (int repeat = 0; repeat < 2; ++repeat) {
    expectOk(device->startProfile());
    EXPECT_EQ(device->startProfile().code(), StatusCode::Internal);
    device->markStep(3);
    expectOk(device->launch(*kernels, addLaunch(count, 10), buffers));
    device->markStep(7);
    expectOk(device->launch(*kernels, addLaunch(count, 100), buffers));
    expectOk(device->launch(*kernels, addLaunch(count, 100), buffers));
    device->markStep(9);
    expectOk(device->copy(buffers[0], buffers[1], count * 4));
    StatusOr<std::vector<StepTime>> times = device->stopProfile();
    ASSERT_TRUE(times) << times.status().message();
    std::printf("profile%s%s:", device->profileNote().empty() ? "" : ", ", device->profileNote().c_str());
    for (const StepTime &time : *times)
      std::printf(" step %d %.4f ms", time.step, time.ms);
    std::printf("\n");
    ASSERT_EQ(times->size(), 3u);
    EXPECT_EQ((*times)[0].step, 3);
    EXPECT_EQ((*times)[1].step, 7);
    EXPECT_EQ((*times)[2].step, 9);
    for (const StepTime &time : *times)
      EXPECT_GT(time.ms, 0) << time.step;
    EXPECT_GT((*times)[1].ms, (*times)[0].ms);
  }
  EXPECT_EQ(device->stopProfile().status().code(), StatusCode::Internal);
}

// The way that is taken where there is no CUPTI, on a stream of its own.
TEST_F(GpuKernel, EventProfilerSaysThatItIsOne) {
  StatusOr<const Driver *> driver = Driver::get();
  ASSERT_TRUE(driver);
  CUstream stream = nullptr;
  ASSERT_EQ((*driver)->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const size_t bytes = 1 << 26;
  auto memory = reinterpret_cast<CUdeviceptr>(allocate(bytes));
  {
    std::unique_ptr<Profiler> profiler = createEventProfiler(**driver, stream, "for a test");
    EXPECT_NE(profiler->note().find("for a test"), std::string::npos);
    for (int repeat = 0; repeat < 2; ++repeat) {
      expectOk(profiler->start());
      for (int32_t step : {5, 4, 5}) {
        profiler->mark(step);
        ASSERT_EQ((*driver)->cuMemsetD8Async(memory, 0, bytes, stream), CUDA_SUCCESS);
      }
      StatusOr<std::vector<StepTime>> times = profiler->stop();
      ASSERT_TRUE(times) << times.status().message();
      ASSERT_EQ(times->size(), 2u);
      EXPECT_EQ((*times)[0].step, 4);
      EXPECT_GT((*times)[0].ms, 0);
      EXPECT_EQ((*times)[1].step, 5);
      EXPECT_GT((*times)[1].ms, 0);
    }
  }
  (*driver)->cuStreamDestroy(stream);
}

// Not a test but figures; run it with --gtest_also_run_disabled_tests.
TEST_F(GpuKernel, DISABLED_LaunchCost) {
  auto kernels = load(planOf("add_to", kAddSource, 256, 0));
  ASSERT_TRUE(kernels);
  void *buffers[] = {allocate(4), allocate(4)};
  Launch launch = addLaunch(1);
  for (int run = 0; run < 3; ++run) {
    expectOk(device->synchronize());
    auto begin = std::chrono::steady_clock::now();
    // Fewer than the driver's queue holds, so that the host never waits for the device.
    for (int i = 0; i < 500; ++i)
      expectOk(device->launch(*kernels, launch, buffers));
    std::printf("launch: %.2f us on the host\n",
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() /
                    500);
  }
}
