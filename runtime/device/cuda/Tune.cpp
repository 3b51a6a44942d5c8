//===- Tune.cpp - Algorithms of products, timed ---------------------------===//
#include "runtime/device/cuda/Tune.h"

#include "runtime/device/cuda/CudaDevice.h"
#include "runtime/device/cuda/Probe.h"
#include "runtime/device/cuda/Target.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

/// Candidates that a plan's products are chosen from: the library's order is good, and each costs the loading
/// of its kernel.
constexpr int kCandidates = 8;
/// One sample times so many milliseconds of work, so that events and gaps count for little; at most
/// kMostRuns.
constexpr double kSampleMs = 0.2;
constexpr int kMostRuns = 20;
constexpr int kRounds = 5;
/// A candidate this much slower than the best in the first round is not sampled again.
constexpr double kClearlySlower = 1.15;
/// What is not faster than the library's own guess by more than this is noise, and the guess stays.
constexpr double kWorthwhile = 1.02;
/// Milliseconds after which a product's rounds end early; large products are timed well by few runs.
constexpr double kProductBudgetMs = 150;
/// How much of a result is compared to see that two runs give the same bits.
constexpr int64_t kComparedBytes = int64_t(16) << 20;

/// A pair of events that is destroyed with its scope.
struct Stopwatch {
  const Driver &driver;
  CUevent begin = nullptr, end = nullptr;

  explicit Stopwatch(const Driver &driver) : driver(driver) {}
  Stopwatch(const Stopwatch &) = delete;
  ~Stopwatch() {
    for (CUevent event : {begin, end})
      if (event)
        driver.cuEventDestroy(event);
  }
  Status make() {
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventCreate, (&begin, CU_EVENT_DEFAULT), "tuning");
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventCreate, (&end, CU_EVENT_DEFAULT), "tuning");
    return Status::ok();
  }
};

/// From an operand's first element to behind its last, in bytes.
int64_t spanBytes(const MatrixRef &matrix, int64_t rows, int64_t columns, int64_t batch) {
  if (matrix.transposed)
    std::swap(rows, columns);
  return ((batch - 1) * matrix.batchStride + (rows - 1) * matrix.ld + columns) * sizeOf(matrix.dtype);
}

/// Operands of one product in memory of their own, of the alignments that the plan gives.
class Operands {
public:
  Operands(Device &device, const Product &product, const ProductSite &site)
      : device_(device), p_(product), site_(site) {}
  Operands(const Operands &) = delete;
  ~Operands() {
    for (void *memory : memory_)
      device_.release(memory);
  }

  Status make(int64_t cacheBytes) {
    HEDDLE_RETURN_IF_ERROR(
        operand(a_, p_.a, p_.m, p_.k, p_.batch, site_.alignment[0], site_.coldA ? cacheBytes : 0));
    HEDDLE_RETURN_IF_ERROR(
        operand(b_, p_.b, p_.k, p_.n, p_.batch, site_.alignment[1], site_.coldB ? cacheBytes : 0));
    HEDDLE_RETURN_IF_ERROR(operand(d_, p_.d, p_.m, p_.n, p_.batch, site_.alignment[4], 0));
    if (p_.beta != 0 && !site_.inPlace)
      HEDDLE_RETURN_IF_ERROR(operand(c_, p_.c, p_.m, p_.n, p_.batch, site_.alignment[2], 0));
    if (site_.alignment[3]) {
      MatrixRef bias{{}, p_.biasType, p_.n, 0, false};
      HEDDLE_RETURN_IF_ERROR(operand(bias_, bias, 1, p_.n, 1, site_.alignment[3], 0));
    }
    if (site_.workspaceBytes > 0) {
      HEDDLE_ASSIGN_OR_RETURN(workspace_, allocate(site_.workspaceBytes));
    }
    return Status::ok();
  }

  /// Addresses for the next run: weights are another copy each time.
  Device::ProductAddresses next() {
    Device::ProductAddresses at;
    at.a = a_.copy(turn_);
    at.b = b_.copy(turn_);
    at.d = d_.address;
    at.c = p_.beta == 0 ? nullptr : site_.inPlace ? d_.address : c_.address;
    at.bias = bias_.address;
    at.workspace = workspace_;
    at.workspaceBytes = site_.workspaceBytes;
    ++turn_;
    return at;
  }

  /// The first bytes of d after one run from the same start.
  StatusOr<std::vector<uint8_t>> resultOf(Cublas &cublas, const Product &product, CUstream stream) {
    if (site_.inPlace)
      HEDDLE_RETURN_IF_ERROR(device_.generate(d_.address, p_.d.dtype, d_.bytes / sizeOf(p_.d.dtype),
                                              InitKind::Normal, 1.0, 1, 9));
    else
      HEDDLE_RETURN_IF_ERROR(device_.fill(d_.address, 0xff, d_.bytes));
    turn_ = 0;
    HEDDLE_RETURN_IF_ERROR(cublas.enqueue(product, next(), stream));
    std::vector<uint8_t> bytes(static_cast<size_t>(std::min(d_.bytes, kComparedBytes)));
    HEDDLE_RETURN_IF_ERROR(device_.download(bytes.data(), d_.address, int64_t(bytes.size())));
    return bytes;
  }

private:
  struct Copies {
    char *address = nullptr;
    int64_t bytes = 0, stride = 0, count = 1;
    char *copy(int64_t turn) const { return address ? address + turn % count * stride : nullptr; }
  };

  StatusOr<void *> allocate(int64_t bytes) {
    HEDDLE_ASSIGN_OR_RETURN(void *memory, device_.allocate(bytes));
    memory_.push_back(memory);
    return memory;
  }

  /// `coldBytes` > 0: so many copies that together they do not fit into a cache of that size twice over, so
  /// that each is read from memory. Random numbers: products of zeros run at a higher clock than real ones.
  Status operand(Copies &copies, const MatrixRef &matrix, int64_t rows, int64_t columns, int64_t batch,
                 uint32_t alignment, int64_t coldBytes) {
    int64_t shift = alignment < 256 ? alignment : 0;
    copies.bytes = spanBytes(matrix, rows, columns, batch);
    copies.stride = (copies.bytes + shift + 255) / 256 * 256;
    copies.count = std::max<int64_t>(1, (2 * coldBytes + copies.stride - 1) / copies.stride);
    HEDDLE_ASSIGN_OR_RETURN(void *memory, allocate(copies.stride * copies.count));
    copies.address = static_cast<char *>(memory) + shift;
    return device_.generate(memory, matrix.dtype, copies.stride * copies.count / sizeOf(matrix.dtype),
                            InitKind::Normal, 1.0, 1, memory_.size());
  }

  Device &device_;
  const Product &p_;
  const ProductSite &site_;
  Copies a_, b_, c_, d_, bias_;
  void *workspace_ = nullptr;
  std::vector<void *> memory_;
  int64_t turn_ = 0;
};

/// A candidate under measurement.
struct Trial {
  TunedAlgorithm result;
  std::vector<double> samples;
  double median() {
    auto middle = samples.begin() + int64_t(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
  }
};

} // namespace

struct CudaProductTuner::Impl {
  Impl(CudaDevice &device, Cublas &cublas) : device(device), cublas(cublas), watch(device.driver()) {}

  /// Milliseconds of one run. The run before the first event keeps the device busy while the others are
  /// enqueued: gaps are the host's and not the algorithm's.
  StatusOr<double> sample(const Product &product, Operands &operands, int runs) {
    const Driver &driver = device.driver();
    HEDDLE_RETURN_IF_ERROR(cublas.enqueue(product, operands.next(), device.stream()));
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventRecord, (watch.begin, device.stream()), "tuning");
    for (int run = 0; run < runs; ++run)
      HEDDLE_RETURN_IF_ERROR(cublas.enqueue(product, operands.next(), device.stream()));
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventRecord, (watch.end, device.stream()), "tuning");
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    float ms = 0;
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, elapsedTime, (&ms, watch.begin, watch.end), "tuning");
    return double(ms) / runs;
  }

  StatusOr<std::vector<TunedAlgorithm>> candidates(const Product &product, Operands &operands, int count);

  CudaDevice &device;
  Cublas &cublas;
  Stopwatch watch;
  int64_t cacheBytes = 0;
};

StatusOr<std::vector<TunedAlgorithm>> CudaProductTuner::Impl::candidates(const Product &product,
                                                                         Operands &operands, int count) {
  HEDDLE_ASSIGN_OR_RETURN(std::vector<std::vector<uint8_t>> algorithms,
                          cublas.candidates(product, operands.next(), count));
  std::vector<Trial> trials;
  Product trial = product;
  double best = 0, spent = 0;
  for (size_t rank = 0; rank < algorithms.size(); ++rank) {
    trial.algorithm = algorithms[rank];
    // The first run loads the kernel. What the library guesses and then refuses to run is no candidate.
    if (!cublas.enqueue(trial, operands.next(), device.stream()))
      continue;
    HEDDLE_ASSIGN_OR_RETURN(double ms, sample(trial, operands, 1));
    best = trials.empty() ? ms : std::min(best, ms);
    spent += 3 * ms;
    trials.push_back({{std::move(algorithms[rank]), ms, int32_t(rank)}, {}});
  }
  if (trials.empty())
    return invalidInput("cuBLASLt runs none of the algorithms that it guesses for " +
                        describeProduct(product, {}));
  int runs = std::clamp(int(kSampleMs / std::max(best, 1e-3)), 1, kMostRuns);
  // Candidates take turns, so that a clock that drifts meets all of them. The first guess is always measured
  // well: what is gained is told against it.
  double first = best;
  for (int round = 0; round < kRounds && (round == 0 || spent < kProductBudgetMs); ++round)
    for (Trial &one : trials) {
      if (one.result.ms > kClearlySlower * first && &one != &trials.front())
        continue;
      trial.algorithm = one.result.algorithm;
      HEDDLE_ASSIGN_OR_RETURN(double ms, sample(trial, operands, runs));
      one.samples.push_back(ms);
      spent += ms * (runs + 1);
    }
  std::vector<TunedAlgorithm> tuned;
  for (Trial &one : trials) {
    if (!one.samples.empty())
      one.result.ms = one.median();
    tuned.push_back(std::move(one.result));
  }
  // Stable: of equal times the library's better guess stays first.
  std::stable_sort(tuned.begin(), tuned.end(), [](const auto &x, const auto &y) { return x.ms < y.ms; });
  return tuned;
}

size_t heddle::runtime::guessOf(std::span<const TunedAlgorithm> tuned) {
  auto guess = std::min_element(tuned.begin(), tuned.end(),
                                [](const auto &x, const auto &y) { return x.rank < y.rank; });
  return size_t(guess - tuned.begin());
}

CudaProductTuner::CudaProductTuner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CudaProductTuner::~CudaProductTuner() = default;

StatusOr<std::unique_ptr<CudaProductTuner>> CudaProductTuner::create(Device &device) {
  auto *cuda = dynamic_cast<CudaDevice *>(&device);
  if (!cuda)
    return invalidInput("products are tuned on CUDA devices, not on " + device.name());
  HEDDLE_ASSIGN_OR_RETURN(Cublas * cublas, cuda->cublas());
  auto impl = std::make_unique<Impl>(*cuda, *cublas);
  HEDDLE_RETURN_IF_ERROR(impl->watch.make());
  int cache = 0;
  HEDDLE_RETURN_IF_CUDA_ERROR(cuda->driver(), cuDeviceGetAttribute,
                              (&cache, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, cuda->handle()), device.name());
  impl->cacheBytes = cache;
  return std::unique_ptr<CudaProductTuner>(new CudaProductTuner(std::move(impl)));
}

StatusOr<std::vector<TunedAlgorithm>> CudaProductTuner::candidates(const Product &product,
                                                                   const ProductSite &site, int count) {
  Operands operands(impl_->device, product, site);
  HEDDLE_RETURN_IF_ERROR(operands.make(impl_->cacheBytes));
  return impl_->candidates(product, operands, count);
}

StatusOr<TunedProduct> CudaProductTuner::tune(const Product &product, const ProductSite &site) {
  Operands operands(impl_->device, product, site);
  HEDDLE_RETURN_IF_ERROR(operands.make(impl_->cacheBytes));
  HEDDLE_ASSIGN_OR_RETURN(std::vector<TunedAlgorithm> tuned,
                          impl_->candidates(product, operands, kCandidates));
  auto guess = tuned.begin() + int64_t(guessOf(tuned));
  double guessMs = guess->ms;
  if (guessMs <= kWorthwhile * tuned.front().ms)
    std::rotate(tuned.begin(), guess, guess + 1);
  // cuBLASLt is only asked for algorithms that sum in a fixed order (Cublas.cpp); this looks whether they do.
  Product trial = product;
  for (TunedAlgorithm &algorithm : tuned) {
    trial.algorithm = algorithm.algorithm;
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> once,
                            operands.resultOf(impl_->cublas, trial, impl_->device.stream()));
    HEDDLE_ASSIGN_OR_RETURN(std::vector<uint8_t> again,
                            operands.resultOf(impl_->cublas, trial, impl_->device.stream()));
    if (once == again)
      return TunedProduct{std::move(algorithm.algorithm), algorithm.ms, guessMs};
  }
  return unavailable("no algorithm of cuBLASLt gives the same bits twice for " +
                     describeProduct(product, site));
}

StatusOr<TuningDevice> heddle::runtime::tuningDevice(int index) {
  HEDDLE_ASSIGN_OR_RETURN(const Driver *driver, Driver::get());
  HEDDLE_ASSIGN_OR_RETURN(Cublas::Library library, Cublas::library());
  CUdevice device = 0;
  std::string context = "CUDA device " + std::to_string(index);
  HEDDLE_RETURN_IF_CUDA_ERROR(*driver, cuDeviceGet, (&device, index), context);
  char name[256] = "";
  HEDDLE_RETURN_IF_CUDA_ERROR(*driver, cuDeviceGetName, (name, sizeof(name), device), context);
  int processors = 0;
  HEDDLE_RETURN_IF_CUDA_ERROR(*driver, cuDeviceGetAttribute,
                              (&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), context);
  HEDDLE_ASSIGN_OR_RETURN(auto capability, computeCapability(index));
  return TuningDevice{std::string(name) + ", " + std::to_string(processors) + " multiprocessors, driver " +
                          std::to_string(driver->version()) + ", cuBLASLt " + library.version,
                      bestCudaTarget(capability.first, capability.second)};
}
