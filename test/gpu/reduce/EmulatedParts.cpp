// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated kernels of test/emission that sum their rows in parts run thread by thread on the CPU
// (Emulation.h) against float64: fewer rows than parts, as many, and more; a block for a part and several
// parts in a block, the last of which are not there. Every sum is written, also that of a part without a row,
// nothing beyond the last, and threads in another order give the same bits.

#include "test/gpu/attention/Emulation.h"

#define __launch_bounds__(...)
#define __shared__ static // Blocks run one after the other.

static float rsqrtf(float value) { return 1.0f / std::sqrt(value); }

#include "test/emission/golden/gelu_gradient_bf16.cu"
#include "test/emission/golden/norm_gradient.cu"
#include "test/emission/golden/norm_gradient_narrow.cu"

using namespace heddle;

namespace {

int failures = 0, runs = 0;

void report(const char *name, int rows, const char *what, bool good) {
  ++runs;
  failures += !good;
  if (!good)
    std::printf("FAIL %s, %d rows: %s\n", name, rows, what);
}

/// Elements that end at a guard, which a kernel must leave alone; aligned as a plan's buffers are.
template <typename T>
struct Buffer {
  static constexpr int kGuard = 64;
  explicit Buffer(size_t count) : count(count), storage(count + kGuard + 256 / sizeof(T)) {
    std::memset(static_cast<void *>(storage.data()), 0xff, storage.size() * sizeof(T)); // NaN
  }
  T *data() { return reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(storage.data()) + 255) / 256 * 256); }
  T &operator[](size_t index) { return data()[index]; }
  bool guarded() {
    const auto *bytes = reinterpret_cast<const unsigned char *>(data() + count);
    return std::all_of(bytes, bytes + kGuard * sizeof(T), [](unsigned char byte) { return byte == 0xff; });
  }
  size_t count;
  std::vector<T> storage;
};

float number(uint64_t &random) {
  random = random * 6364136223846793005ull + 1442695040888963407ull;
  return float(int(random >> 40) - (1 << 23)) / (1 << 23);
}

/// A few float32 roundings of numbers of this size: sums of up to 768 terms in lanes, a root, products.
bool isClose(float found, double wanted, double size) { return std::fabs(found - wanted) <= 2e-6 * size; }

/// Whether the sums, row by row of the parts, are those of `terms` [rows, width].
bool sumsAreRight(Buffer<float> &sums, const std::vector<double> &terms, int rows, int width, int parts) {
  const int length = (rows + parts - 1) / parts;
  for (int part = 0; part < parts; ++part)
    for (int column = 0; column < width; ++column) {
      double sum = 0, size = 0;
      for (int row = part * length; row < std::min((part + 1) * length, rows); ++row) {
        sum += terms[size_t(row) * width + column];
        size += std::fabs(terms[size_t(row) * width + column]);
      }
      if (!isClose(sums[size_t(part) * width + column], sum, size + (size != 0)))
        return false;
    }
  return true;
}

using NormGradient = void(const float *, const float *, const float *, float *, float *, long long);

void runNorm(const char *name, NormGradient *kernel, int rows, int width, int parts, int blocks,
             int threads) {
  const size_t count = size_t(rows) * width;
  Buffer<float> x(count), dy(count), weight(width);
  uint64_t random = 7;
  for (size_t i = 0; i < count; ++i)
    x[i] = number(random), dy[i] = number(random);
  for (int i = 0; i < width; ++i)
    weight[i] = number(random);
  std::vector<double> terms(count), gradients(count);
  for (int row = 0; row < rows; ++row) {
    double squares = 0, dots = 0;
    for (size_t i = size_t(row) * width; i < size_t(row + 1) * width; ++i) {
      squares += double(x[i]) * x[i];
      dots += double(dy[i]) * weight[i % width] * x[i];
    }
    const double scale = 1 / std::sqrt(squares / width + 1e-5);
    for (size_t i = size_t(row) * width; i < size_t(row + 1) * width; ++i) {
      terms[i] = dy[i] * (x[i] * scale);
      gradients[i] = (double(dy[i]) * weight[i % width] - x[i] * scale * (scale * dots / width)) * scale;
    }
  }
  std::vector<float> first;
  for (uint64_t seed : {1, 7}) {
    Buffer<float> dx(count), sums(size_t(parts) * width);
    emulation::launch(blocks, threads, 4, seed,
                      [&] { kernel(x.data(), dy.data(), weight.data(), dx.data(), sums.data(), rows); });
    bool good = true;
    for (size_t i = 0; i < count; ++i)
      good &= isClose(dx[i], gradients[i], 8);
    report(name, rows, "the gradient", good);
    report(name, rows, "the sums", sumsAreRight(sums, terms, rows, width, parts));
    report(name, rows, "elements beyond the last are written", dx.guarded() && sums.guarded());
    std::vector<float> all(dx.data(), dx.data() + count);
    all.insert(all.end(), sums.data(), sums.data() + sums.count);
    if (first.empty())
      first = all;
    report(name, rows, "other bits for threads in another order",
           std::memcmp(all.data(), first.data(), all.size() * sizeof(float)) == 0);
  }
}

void runGelu(int batch, int seq) {
  constexpr int kWidth = 3080, kParts = 256;
  const int rows = batch * seq;
  const size_t count = size_t(rows) * kWidth;
  Buffer<bf16> x(count), dy(count), dx(count);
  Buffer<float> bias(size_t(kParts) * kWidth), whole(bias.count);
  std::vector<double> gradients(count), given(count);
  uint64_t random = 9;
  for (size_t i = 0; i < count; ++i) {
    x[i] = from_float<bf16>(number(random)), dy[i] = from_float<bf16>(number(random));
    given[i] = to_float(dy[i]);
    gradients[i] = given[i] * std::tanh(double(to_float(x[i])));
  }
  emulation::launch(kParts, 800, 4, 1, [&] {
    gelu_gradient_bf16(x.data(), dy.data(), dx.data(), bias.data(), whole.data(), batch, seq);
  });
  bool good = true;
  for (size_t i = 0; i < count; ++i) // Half a step of bf16.
    good &= std::fabs(to_float(dx[i]) - gradients[i]) <= std::fabs(gradients[i]) / 256 + 1e-30;
  report("gelu", rows, "the gradient", good);
  report("gelu", rows, "the first sums", sumsAreRight(bias, gradients, rows, kWidth, kParts));
  report("gelu", rows, "the second sums", sumsAreRight(whole, given, rows, kWidth, kParts));
  report("gelu", rows, "elements beyond the last are written",
         dx.guarded() && bias.guarded() && whole.guarded());
}

} // namespace

int main() {
  for (int rows : {1, 5, 12, 13, 100})
    runNorm("norm", norm_gradient, rows, 768, 12, 12, 192);
  for (int rows : {1, 39, 40, 41, 333})
    runNorm("narrow norm", norm_gradient_narrow, rows, 24, 40, 3, 128);
  runGelu(3, 100);
  std::printf("%d checks, %d failures\n", runs, failures);
  return failures != 0 || runs == 0;
}
