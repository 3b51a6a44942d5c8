//===- WithoutCuda.cpp - Builds that had no CUDA headers ------------------===//
#include "runtime/device/cuda/Tune.h"

using namespace heddle::runtime;

static Status builtWithout() {
  return unavailable(
      "CUDA devices: this program was built without the CUDA headers (see HEDDLE_CUDA_INCLUDE_DIRS)");
}

StatusOr<std::unique_ptr<Device>> heddle::runtime::createCudaDevice(int index) { return builtWithout(); }

struct CudaProductTuner::Impl {};
CudaProductTuner::CudaProductTuner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CudaProductTuner::~CudaProductTuner() = default;

StatusOr<std::unique_ptr<CudaProductTuner>> CudaProductTuner::create(Device &) { return builtWithout(); }
StatusOr<TunedProduct> CudaProductTuner::tune(const Product &, const ProductSite &) { return builtWithout(); }
StatusOr<std::vector<TunedAlgorithm>> CudaProductTuner::candidates(const Product &, const ProductSite &,
                                                                   int) {
  return builtWithout();
}

StatusOr<TuningDevice> heddle::runtime::tuningDevice(int) { return builtWithout(); }
