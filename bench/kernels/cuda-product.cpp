// Times the algorithms that cuBLASLt guesses to be best for products of the study's shapes, in the order of
// its guesses, on a CUDA device: what the first choice costs beside the best. Built by the target
// cuda-product (with HEDDLE_BUILD_BENCHES=ON).
//   cuda-product M N K [BATCH [f32|bf16]]
#include "runtime/device/cuda/Tune.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace heddle::runtime;

static Status run(int64_t m, int64_t n, int64_t k, int64_t batch, DType type) {
  HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Device> device, createCudaDevice());
  Product p;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  p.math = type == DType::F32 ? MathMode::F32 : MathMode::Low;
  p.a = {{0, 0}, type, k, m * k, false};
  p.b = {{0, 0}, type, k, n * k, true}; // A weight [n, k], as torch.nn.Linear stores it.
  p.d = {{0, 0}, type, n, m * n, false};
  constexpr int64_t kWorkspace = 32 << 20;
  HEDDLE_ASSIGN_OR_RETURN(void *a, device->allocate(batch * m * k * sizeOf(type)));
  HEDDLE_ASSIGN_OR_RETURN(void *b, device->allocate(batch * n * k * sizeOf(type)));
  HEDDLE_ASSIGN_OR_RETURN(void *d, device->allocate(batch * m * n * sizeOf(type)));
  HEDDLE_ASSIGN_OR_RETURN(void *workspace, device->allocate(kWorkspace));
  // Random data: products of zeros run faster than real ones.
  HEDDLE_RETURN_IF_ERROR(device->generate(a, type, batch * m * k, InitKind::Normal, 1.0, 1, 1));
  HEDDLE_RETURN_IF_ERROR(device->generate(b, type, batch * n * k, InitKind::Normal, 1.0, 1, 2));
  Device::ProductAddresses addresses{a, b, nullptr, nullptr, d, workspace, kWorkspace};
  HEDDLE_ASSIGN_OR_RETURN(std::vector<TunedAlgorithm> tuned, tuneProduct(*device, p, addresses, 16));
  std::printf("%lldx%lldx%lld,batch %lld,%s,tuned best first (ms):", (long long)m, (long long)n, (long long)k,
              (long long)batch, std::string(nameOf(type)).c_str());
  for (const TunedAlgorithm &algorithm : tuned)
    std::printf(" %.4f", algorithm.ms);
  std::printf("\n");
  return Status::ok();
}

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: cuda-product M N K [BATCH [f32|bf16]]\n");
    return 2;
  }
  int64_t batch = argc > 4 ? std::atoll(argv[4]) : 1;
  DType type = argc > 5 && std::strcmp(argv[5], "bf16") == 0 ? DType::BF16 : DType::F32;
  Status status = run(std::atoll(argv[1]), std::atoll(argv[2]), std::atoll(argv[3]), batch, type);
  if (!status)
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status ? 0 : 3;
}
