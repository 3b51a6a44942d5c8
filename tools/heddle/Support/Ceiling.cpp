//===- Ceiling.cpp - What a large matrix product reaches here -------------===//
#include "tools/heddle/Support/Ceiling.h"

#include "runtime/plan/CpuAlgorithm.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace heddle::driver {

using namespace runtime;

namespace {

constexpr int64_t kWorkspace = 32 << 20;
/// Seconds of a product that is no longer made twice as long.
constexpr double kLongEnough = 5e-3;

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

/// How one product is computed.
struct Way {
  std::string algorithm; ///< Product::algorithm; empty: the library's.
  int64_t panel = 0;     ///< Rows of b's panels (Buffer::panel).
};

/// The ways in which plans for this device have their products: eager ones of the library, compiled ones for
/// the CPU of Heddle's own, with the weights in panels.
std::vector<Way> waysOf(const Device &device) {
  std::vector<Way> ways = {{}};
  if (device.kind() == "cpu") {
    int64_t panel = panelOf(device.target());
    ways.push_back({tiledAlgorithm(panel), panel});
  }
  return ways;
}

/// Seconds of the fastest of many products of this side, the first, which warms up, left out: two of them,
/// and where these took a GPU or CPU long enough to be at its full speed, as many as fit into `budget`
/// seconds, five at least.
StatusOr<double> bestSeconds(Device &device, const Way &way, int64_t side, DType dtype, MathMode math,
                             double budget) {
  int64_t count = side * side;
  HEDDLE_ASSIGN_OR_RETURN(Memory a, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory b, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory d, Memory::allocate(device, count * sizeOf(dtype)));
  HEDDLE_ASSIGN_OR_RETURN(Memory workspace, Memory::allocate(device, kWorkspace));
  HEDDLE_RETURN_IF_ERROR(device.generate(a.get(), dtype, count, InitKind::Normal, 1.0, 0, 1));
  HEDDLE_RETURN_IF_ERROR(device.generate(b.get(), dtype, count, InitKind::Normal, 1.0, 0, 2));
  if (way.panel > 0)
    HEDDLE_RETURN_IF_ERROR(device.packPanels(b.get(), dtype, side, side, way.panel));
  Product product;
  product.m = product.n = product.k = side;
  product.math = math;
  product.algorithm.assign(way.algorithm.begin(), way.algorithm.end());
  for (MatrixRef *matrix : {&product.a, &product.b, &product.d}) {
    matrix->ref.buffer = 0;
    matrix->dtype = dtype;
    matrix->ld = side;
  }
  product.b.transposed = way.panel > 0; // As weights are stored.
  Device::ProductAddresses addresses;
  addresses.a = a.get();
  addresses.b = b.get();
  addresses.d = d.get();
  addresses.workspace = workspace.get();
  addresses.workspaceBytes = kWorkspace;
  double best = 0, spent = 0;
  for (int run = 0; run < 3 || (best >= kLongEnough && (run < 6 || spent < budget)); ++run) {
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    auto start = std::chrono::steady_clock::now();
    HEDDLE_RETURN_IF_ERROR(device.product(product, addresses));
    HEDDLE_RETURN_IF_ERROR(device.synchronize());
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    spent += seconds;
    if (run == 1 || (run > 1 && seconds < best))
      best = seconds;
  }
  return best;
}

} // namespace

StatusOr<double> measureCeiling(Device &device, const std::string &precision, double budget) {
  bool low = precision.starts_with("bf16"); // Autocast or true: the products are the same.
  DType dtype = low ? DType::BF16 : DType::F32;
  MathMode math = low ? MathMode::Low : precision == "tf32" ? MathMode::TF32 : MathMode::F32;
  if (device.kind() == "cpu") { // Which multiplies float32 alone, and widens what is stored narrower.
    dtype = DType::F32;
    math = MathMode::F32;
  }
  const std::vector<Way> ways = waysOf(device);
  double ceiling = 0;
  for (const Way &way : ways)
    for (int64_t side = 1024; side <= 8192; side *= 2) {
      HEDDLE_ASSIGN_OR_RETURN(double seconds, bestSeconds(device, way, side, dtype, math,
                                                          budget / static_cast<double>(ways.size())));
      double length = static_cast<double>(side);
      ceiling = std::max(ceiling, 2.0 * length * length * length / std::max(seconds, 1e-9));
      if (seconds >= kLongEnough)
        break;
    }
  return ceiling;
}

} // namespace heddle::driver
