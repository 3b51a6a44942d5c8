// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the attention benches do alike: flags, memory of a device, random operands, timing.

#ifndef HEDDLE_BENCH_KERNELS_ATTENTION_DEVICE_H
#define HEDDLE_BENCH_KERNELS_ATTENTION_DEVICE_H

#include "attention_cases.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <initializer_list>
#include <variant>

namespace heddle::bench {

/// A flag and what it sets: a bool by itself, anything else to the argument after it, named `argument` in
/// messages.
struct Flag {
  const char *name;
  std::variant<bool *, int *, uint64_t *, std::string *> value;
  const char *argument = nullptr;
};

/// Reads a bench's command line; false after an error that lists the flags.
inline bool parseFlags(int argc, char **argv, std::initializer_list<Flag> flags) {
  for (int i = 1; i < argc; ++i) {
    const Flag *found = nullptr;
    for (const Flag &flag : flags)
      if (argv[i] == std::string(flag.name) && (!flag.argument || i + 1 < argc))
        found = &flag;
    if (!found) {
      std::fprintf(stderr, "error: unknown flag '%s', or one without its argument; flags are", argv[i]);
      for (const Flag &flag : flags)
        std::fprintf(stderr, flag.argument ? " %s %s" : " %s", flag.name, flag.argument);
      std::fputs("\n", stderr);
      return false;
    }
    if (bool *const *set = std::get_if<bool *>(&found->value))
      **set = true;
    else if (int *const *number = std::get_if<int *>(&found->value))
      **number = std::atoi(argv[++i]);
    else if (uint64_t *const *number = std::get_if<uint64_t *>(&found->value))
      **number = std::strtoull(argv[++i], nullptr, 10);
    else
      *std::get<std::string *>(found->value) = argv[++i];
  }
  return true;
}

inline void cuda(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

struct DeviceBuffer {
  void *data = nullptr;
  size_t size;
  explicit DeviceBuffer(size_t bytes) : size(bytes) {
    cuda(cudaMalloc(&data, std::max<size_t>(bytes, 16)), "cudaMalloc");
    cuda(cudaMemset(data, 0xff, bytes), "cudaMemset"); // NaN in every element type
  }
  ~DeviceBuffer() { cudaFree(data); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  void *at(long long element, int bytes) const { return static_cast<char *>(data) + element * bytes; }
};

inline std::vector<unsigned char> encodeAll(Element e, const std::vector<float> &values) {
  const int size = bytes(e);
  std::vector<unsigned char> raw(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint32_t bits = encode(e, values[i]);
    std::memcpy(raw.data() + i * size, &bits, size);
  }
  return raw;
}

inline std::vector<float> decodeAll(Element e, const std::vector<unsigned char> &raw) {
  const int size = bytes(e);
  std::vector<float> values(raw.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, raw.data() + i * size, size);
    values[i] = decode(e, bits);
  }
  return values;
}

inline int multiprocessors() {
  static const int count = [] {
    int value = 0;
    cuda(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), "attribute");
    return value;
  }();
  return count;
}

static __global__ void fillRandom(void *target, long long count, int size) {
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < count;
       i += (long long)gridDim.x * blockDim.x) {
    unsigned long long z = i * 0x9e3779b97f4a7c15ull + 12345;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    // Sum of four uniforms: close enough to normal, unit variance.
    float value = -2.0f * 1.7320508f;
    for (int part = 0; part < 4; ++part)
      value += float((z >> (16 * part)) & 0xffff) / 65536.0f * 1.7320508f;
    if (size == 4)
      static_cast<float *>(target)[i] = value;
    else
      static_cast<unsigned short *>(target)[i] = (unsigned short)(__float_as_uint(value) >> 16); // bf16
  }
}

/// Median milliseconds of 20 measurements after 5; short kernels are launched several times in a measurement,
/// back to back, so that what is measured is not the launch.
template <typename Launch>
double timeLaunches(Launch launch) {
  int launches = 1;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int i = 0; i < 25; ++i) {
    cudaEventRecord(begin);
    for (int n = 0; n < launches; ++n)
      launch();
    cudaEventRecord(end);
    cuda(cudaEventSynchronize(end), "timing");
    float ms;
    cudaEventElapsedTime(&ms, begin, end);
    if (i == 1)
      launches = std::clamp(int(1.0f / ms), 1, 20);
    if (i >= 5)
      times.push_back(ms / launches);
  }
  std::sort(times.begin(), times.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return (times[9] + times[10]) / 2;
}

} // namespace heddle::bench

#endif // HEDDLE_BENCH_KERNELS_ATTENTION_DEVICE_H
