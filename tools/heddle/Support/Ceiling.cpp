//===- Ceiling.cpp - What a large matrix product reaches here -------------===//
#include "tools/heddle/Support/Ceiling.h"

#include <algorithm>
#include <chrono>

namespace heddle::driver {

using namespace runtime;

namespace {

constexpr int64_t kWorkspace = 32 << 20;

/// Device memory that is given back on every way out.
class Memory {
public:
  Memory(Device &device, void *address) : device_(device), address_(address) {}
  Memory(Memory &&other) noexcept
      : device_(other.device_), address_(std::exchange(other.address_, nullptr)) {}
  ~Memory() {
    if (address_)
      device_.release(address_);
  }
  static StatusOr<Memory> allocate(Device &device, int64_t bytes) {
    HEDDLE_ASSIGN_OR_RETURN(void *address, device.allocate(bytes));
    return Memory(device, address);
  }
  void *get() const { return address_; }

private:
  Device &device_;
  void *address_;
};

/// Seconds of the fastest of five products of this side, after one that warms up.
StatusOr<double> bestSeconds(Device &device, int64_t side, DType dtype, MathMode math) {
  int64_t count = side * side;
  HEDDLE_ASSIGN_OR_RETURN(Memory a, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory b, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory d, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory workspace, Memory::allocate(device, kWorkspace));
  HEDDLE_RETURN_IF_ERROR(device.generate(a.get(), dtype, count, InitKind::Normal, 1.0, 0, 1));
  HEDDLE_RETURN_IF_ERROR(device.generate(b.get(), dtype, count, InitKind::Normal, 1.0, 0, 2));
  Product product;
  product.m = product.n = product.k = side;
  product.math = math;
  for (MatrixRef *matrix : {&product.a, &product.b, &product.d}) {
    matrix->ref.buffer = 0;
    matrix->dtype = dtype;
    matrix->ld = side;
  }
  Device::ProductAddresses addresses;
  addresses.a = a.get();
  addresses.b = b.get();
  addresses.d = d.get();
  addresses.workspace = workspace.get();
  addresses.workspaceBytes = kWorkspace;
  double best = 0;
  for (int run = 0; run < 6; ++run) {
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    auto start = std::chrono::steady_clock::now();
    HEDDLE_RETURN_IF_ERROR(device.product(product, addresses));
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run == 1 || (run > 1 && seconds < best))
      best = seconds;
  }
  return best;
}

} // namespace

StatusOr<double> measureCeiling(Device &device, const std::string &precision) {
  bool low = precision.starts_with("bf16"); // Autocast or true: the products are the same.
  DType dtype = low ? DType::BF16 : DType::F32;
  MathMode math = low ? MathMode::Low : precision == "tf32" ? MathMode::TF32 : MathMode::F32;
  for (int64_t side = 1024;; side *= 2) {
    HEDDLE_ASSIGN_OR_RETURN(double seconds, bestSeconds(device, side, dtype, math));
    if (seconds >= 5e-3 || side >= 8192)
      return 2.0 * static_cast<double>(side) * static_cast<double>(side) * static_cast<double>(side) /
             seconds;
  }
}

} // namespace heddle::driver
