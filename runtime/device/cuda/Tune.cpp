//===- Tune.cpp - Algorithms of products, timed ---------------------------===//
#include "runtime/device/cuda/Tune.h"

#include "runtime/device/cuda/CudaDevice.h"

#include <algorithm>

using namespace heddle::runtime;

namespace {

/// A pair of events that is destroyed with its scope.
struct Stopwatch {
  const Driver &driver;
  CUevent begin = nullptr, end = nullptr;

  ~Stopwatch() {
    for (CUevent event : {begin, end})
      if (event)
        driver.cuEventDestroy(event);
  }
};

} // namespace

/// Median of `kRuns` after two that are not counted: the first may load the kernel, the second warms the
/// caches.
static StatusOr<double> medianTime(CudaDevice &device, Cublas &cublas, const Product &product,
                                   const Device::ProductAddresses &addresses) {
  constexpr int kWarmups = 2, kRuns = 9;
  const Driver &driver = device.driver();
  Stopwatch watch{driver};
  HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventCreate, (&watch.begin, CU_EVENT_DEFAULT), "tuning");
  HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventCreate, (&watch.end, CU_EVENT_DEFAULT), "tuning");
  std::vector<double> times;
  for (int run = -kWarmups; run < kRuns; ++run) {
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventRecord, (watch.begin, device.stream()), "tuning");
    HEDDLE_RETURN_IF_ERROR(cublas.enqueue(product, addresses, device.stream()));
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, cuEventRecord, (watch.end, device.stream()), "tuning");
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    float ms = 0;
    HEDDLE_RETURN_IF_CUDA_ERROR(driver, elapsedTime, (&ms, watch.begin, watch.end), "tuning");
    if (run >= 0)
      times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
  return times[kRuns / 2];
}

StatusOr<std::vector<TunedAlgorithm>> heddle::runtime::tuneProduct(Device &device, const Product &product,
                                                                   const Device::ProductAddresses &addresses,
                                                                   int count) {
  auto *cuda = dynamic_cast<CudaDevice *>(&device);
  if (!cuda)
    return internalError("products are tuned on CUDA devices, not on " + device.name());
  if (product.beta != 0 && addresses.c == addresses.d)
    return internalError("tuning would overwrite c of a product that accumulates in place");
  HEDDLE_ASSIGN_OR_RETURN(Cublas * cublas, cuda->cublas());
  HEDDLE_ASSIGN_OR_RETURN(std::vector<std::vector<uint8_t>> candidates,
                          cublas->candidates(product, addresses, count));
  std::vector<TunedAlgorithm> tuned;
  Product trial = product;
  for (std::vector<uint8_t> &algorithm : candidates) {
    trial.algorithm = algorithm;
    HEDDLE_ASSIGN_OR_RETURN(double ms, medianTime(*cuda, *cublas, trial, addresses));
    tuned.push_back({std::move(algorithm), ms});
  }
  // Stable: of equal times the library's better guess stays first.
  std::stable_sort(tuned.begin(), tuned.end(), [](const auto &x, const auto &y) { return x.ms < y.ms; });
  return tuned;
}
