//===- Tune.h - Algorithms of products, timed -------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H

#include "runtime/device/Device.h"
#include "runtime/product/PlanTuning.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace heddle::runtime {

/// A candidate for Product::algorithm and its time on the device: the median of several runs, in
/// milliseconds.
struct TunedAlgorithm {
  std::vector<uint8_t> algorithm;
  double ms = 0;
  int32_t rank = 0; ///< Its place among the library's guesses; 0 is what an untuned plan runs with.
};

/// Where among `tuned`, which is not empty, the library's first guess is: that of the least rank, since the
/// library may guess what it then refuses to run.
size_t guessOf(std::span<const TunedAlgorithm> tuned);

/// What timings on CUDA device `index` hold for, found out without making a context on it.
struct TuningDevice {
  std::string identity; ///< Name, multiprocessors, driver and cuBLASLt version: TuningOptions::identity.
  std::string target;   ///< "sm_90a".
};
/// Unavailable where there is no such device or no cuBLASLt.
StatusOr<TuningDevice> tuningDevice(int index = 0);

/// Times what cuBLASLt guesses to be best, on operands of its own: random numbers, weights read from memory
/// and not from the cache, as a run does. Work on `device` should be done before; each call waits for it.
class CudaProductTuner final : public ProductTuner {
public:
  /// InvalidInput where `device` is no CUDA device.
  static StatusOr<std::unique_ptr<CudaProductTuner>> create(Device &device);
  ~CudaProductTuner() override;

  StatusOr<TunedProduct> tune(const Product &product, const ProductSite &site) override;

  /// The candidates and their times, fastest first. Those that are clearly slower are dropped after one
  /// sample.
  StatusOr<std::vector<TunedAlgorithm>> candidates(const Product &product, const ProductSite &site,
                                                   int count);

private:
  struct Impl;
  explicit CudaProductTuner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H
