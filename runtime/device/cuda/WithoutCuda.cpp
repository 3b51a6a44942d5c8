//===- WithoutCuda.cpp - Builds that had no CUDA headers ------------------===//
#include "runtime/device/cuda/Tune.h"

using namespace heddle::runtime;

static Status builtWithout() {
  return unavailable(
      "CUDA devices: this program was built without the CUDA headers (see HEDDLE_CUDA_INCLUDE_DIRS)");
}

StatusOr<std::unique_ptr<Device>> heddle::runtime::createCudaDevice(int index) { return builtWithout(); }

StatusOr<std::vector<TunedAlgorithm>> heddle::runtime::tuneProduct(Device &device, const Product &product,
                                                                   const Device::ProductAddresses &addresses,
                                                                   int count) {
  return builtWithout();
}
