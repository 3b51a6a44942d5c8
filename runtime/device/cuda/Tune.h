//===- Tune.h - Algorithms of products, timed -------------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H
#define HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H

#include "runtime/device/Device.h"

#include <cstdint>
#include <vector>

namespace heddle::runtime {

/// A candidate for Product::algorithm and its time on the device: the median of several runs, in
/// milliseconds.
struct TunedAlgorithm {
  std::vector<uint8_t> algorithm;
  double ms = 0;
};

/// Times the `count` algorithms that cuBLASLt guesses to be best; fastest first. The operands must be real
/// memory of a CUDA device; d is overwritten, so c must not be d where beta is not 0. The run waits for the
/// device.
StatusOr<std::vector<TunedAlgorithm>> tuneProduct(Device &device, const Product &product,
                                                  const Device::ProductAddresses &addresses, int count = 8);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_DEVICE_CUDA_TUNE_H
