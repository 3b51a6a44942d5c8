// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the device library's kernels on the CPU, so that their indexing, masking and synchronisation are
// tested where there is no GPU: every thread of a block is a fiber, warp-wide instructions are exchanges
// between fibers, and the scheduler picks fibers in random order. It replaces types.cuh and async.cuh (all of
// the inline PTX) by functions of the same meaning. Stricter than a GPU in three ways:
//   - cp.async copies happen as late as the program allows: in the wait that requires them, so a missing wait
//   shows
//   - shared memory starts as NaN
//   - addresses of vector copies and of ldmatrix are checked for alignment and range
// Include before any file of the device library.

#ifndef HEDDLE_TEST_GPU_ATTENTION_EMULATION_H
#define HEDDLE_TEST_GPU_ATTENTION_EMULATION_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <utility>
#include <vector>

#include "bench/kernels/attention_cases.h"

#define __device__
#define __host__
#define __global__
#define HEDDLE_DEVICE_TYPES_CUH
#define HEDDLE_DEVICE_ASYNC_CUH

struct uint2 {
  unsigned int x, y;
};
struct alignas(16) uint4 {
  unsigned int x, y, z, w;
};
struct Dim3 {
  unsigned int x = 1, y = 1, z = 1;
};
inline Dim3 threadIdx, blockIdx, blockDim, gridDim;
using std::max;
using std::min;

namespace heddle::emulation {

[[noreturn]] inline void die(const char *message) {
  std::fprintf(stderr, "emulation: %s (block %u, thread %u)\n", message, blockIdx.x, threadIdx.x);
  std::exit(1);
}

/// Threads that meet: released when all have arrived.
struct Barrier {
  int arrived = 0;
  unsigned generation = 0;
};

struct Copy {
  void *target;
  const void *source;
  int bytes;
  bool valid;
};

/// What a lane gives to, and receives from, a warp-wide instruction.
struct Slot {
  float value;
  const void *row;
  unsigned int words[4];
  float c[4];
  unsigned int a[4], b[2];
  bool predicate;
};

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  bool done = false;
  const Barrier *waiting = nullptr;
  unsigned generation = 0;
  std::vector<std::vector<Copy>> groups{1}; // the last is still open
};

struct Block {
  int threads = 0;
  std::vector<Fiber> fibers;
  Barrier block;
  Barrier named[16];
  std::vector<Barrier> warps;
  std::vector<Slot> slots;
  unsigned index = 0; // blockIdx.x
  int left = 0;       // threads that are not done
  std::vector<unsigned char> storage;
  unsigned char *shared = nullptr;
  size_t sharedBytes = 0;
  ucontext_t scheduler;
  int current = 0;
  std::function<void()> body;
};
inline Block *running = nullptr; // whose fiber runs now
inline Block &block() { return *running; }
inline long long idle = 0; // turns of fibers since something was done

inline void enter() {
  block().body();
  block().fibers[block().current].done = true;
  swapcontext(&block().fibers[block().current].context, &block().scheduler);
}

/// Arrives; the last of `count` first runs `action`, then everybody goes on.
template <typename Action>
void meet(Barrier &barrier, int count, Action action) {
  idle = 0;
  if (++barrier.arrived == count) {
    action();
    barrier.arrived = 0;
    ++barrier.generation;
    return;
  }
  Fiber &fiber = block().fibers[block().current];
  fiber.waiting = &barrier;
  fiber.generation = barrier.generation;
  swapcontext(&fiber.context, &block().scheduler);
}

inline int lane() { return block().current % 32; }
inline Slot *warpSlots() { return &block().slots[block().current / 32 * 32]; }
inline Slot &slot() { return block().slots[block().current]; }
template <typename Action>
void meetWarp(Action action) {
  meet(block().warps[block().current / 32], 32, action);
}

inline void checkShared(const void *pointer, int bytes) {
  const auto *p = static_cast<const unsigned char *>(pointer);
  if (p < block().shared || p + bytes > block().shared + block().sharedBytes)
    die("address outside of shared memory");
  if (reinterpret_cast<uintptr_t>(pointer) % bytes)
    die("misaligned address in shared memory");
}

/// Lets others run; dies where nobody has got anything done for long.
inline void yield() {
  if (++idle > 4000ll * block().threads)
    die("deadlock: what a thread waits for never happens");
  swapcontext(&block().fibers[block().current].context, &block().scheduler);
}

/// Makes `block` ready to run as block `index`.
inline void start(Block &block, unsigned index) {
  block.index = index;
  block.left = block.threads;
  std::memset(block.shared, 0xff, block.sharedBytes);
  block.block = Barrier{};
  std::fill(std::begin(block.named), std::end(block.named), Barrier{});
  block.warps.assign(block.threads / 32, Barrier{});
  for (Fiber &fiber : block.fibers) {
    fiber.done = false;
    fiber.waiting = nullptr;
    fiber.groups.assign(1, {});
    fiber.stack.resize(128 * 1024);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, enter, 0);
  }
}

/// Runs body() for every thread of every block, `resident` blocks at a time: the next one starts when one is
/// done, as on a GPU. Which of them and which of their fibers goes on is random.
inline void launch(int blocks, int threads, size_t sharedBytes, uint64_t seed, std::function<void()> body,
                   int resident = 1) {
  uint64_t random = seed * 2 + 1;
  const auto pick = [&](int count) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    return int((random >> 33) % count);
  };
  blockDim.x = threads;
  gridDim.x = blocks;
  std::vector<Block> residents(std::min(resident, blocks));
  int next = 0, left = blocks;
  for (Block &block : residents) {
    block.threads = threads;
    block.body = body;
    block.storage.resize(sharedBytes + 1024);
    block.shared = reinterpret_cast<unsigned char *>(
        (reinterpret_cast<uintptr_t>(block.storage.data()) + 1023) / 1024 * 1024);
    block.sharedBytes = sharedBytes;
    block.fibers.resize(threads);
    block.slots.resize(threads);
    start(block, next++);
  }
  idle = 0;
  for (int stuck = 0; left > 0;) {
    Block &block = residents[pick(int(residents.size()))];
    if (block.left == 0)
      continue;
    running = &block;
    blockIdx.x = block.index;
    const int first = pick(threads);
    bool ran = false;
    for (int i = 0; i < threads; ++i) {
      const int t = (first + i) % threads;
      Fiber &fiber = block.fibers[t];
      if (fiber.done || (fiber.waiting && fiber.waiting->generation == fiber.generation))
        continue;
      fiber.waiting = nullptr;
      block.current = t;
      threadIdx.x = t;
      swapcontext(&block.scheduler, &fiber.context);
      block.left -= fiber.done;
      ran = true;
    }
    stuck = ran ? 0 : stuck + 1;
    if (stuck > 100 * int(residents.size()))
      die("deadlock: some threads never reach a barrier");
    if (block.left == 0) {
      --left;
      if (next < blocks)
        start(block, next++);
    }
  }
}

} // namespace heddle::emulation

inline void __syncthreads() {
  heddle::emulation::meet(heddle::emulation::block().block, heddle::emulation::block().threads, [] {});
}
namespace heddle {
inline void named_sync(int id, int threads) {
  emulation::meet(emulation::block().named[id], threads, [] {});
}
} // namespace heddle
inline void __syncwarp() {
  heddle::emulation::meetWarp([] {});
}
inline float __shfl_xor_sync(unsigned, float value, int distance) {
  using namespace heddle::emulation;
  slot().value = value;
  float result;
  Slot *slots = warpSlots();
  meetWarp([&] {
    float values[32];
    for (int l = 0; l < 32; ++l)
      values[l] = slots[l].value;
    for (int l = 0; l < 32; ++l)
      slots[l].c[0] = values[l ^ distance];
  });
  result = slot().c[0];
  return result;
}
inline unsigned __ballot_sync(unsigned, bool predicate) {
  using namespace heddle::emulation;
  slot().predicate = predicate;
  Slot *slots = warpSlots();
  meetWarp([&] {
    unsigned bits = 0;
    for (int l = 0; l < 32; ++l)
      bits |= unsigned(slots[l].predicate) << l;
    for (int l = 0; l < 32; ++l)
      slots[l].words[0] = bits;
  });
  return slot().words[0];
}
inline bool __any_sync(unsigned, bool predicate) {
  using namespace heddle::emulation;
  slot().predicate = predicate;
  Slot *slots = warpSlots();
  meetWarp([&] {
    bool any = false;
    for (int l = 0; l < 32; ++l)
      any |= slots[l].predicate;
    for (int l = 0; l < 32; ++l)
      slots[l].words[0] = any;
  });
  return slot().words[0] != 0;
}

namespace heddle {

// types.cuh
struct alignas(2) bf16 {
  unsigned short bits;
};
struct alignas(2) f16 {
  unsigned short bits;
};
inline float to_float(float value) { return value; }
inline float to_float(bf16 value) { return bench::decode(bench::Element::BF16, value.bits); }
inline float to_float(f16 value) { return bench::decode(bench::Element::F16, value.bits); }
template <typename T>
T from_float(float value);
template <>
inline float from_float<float>(float value) {
  return value;
}
template <>
inline bf16 from_float<bf16>(float value) {
  return {(unsigned short)bench::encode(bench::Element::BF16, value)};
}
template <>
inline f16 from_float<f16>(float value) {
  return {(unsigned short)bench::encode(bench::Element::F16, value)};
}
template <typename T>
unsigned int pack_pair(float low, float high) {
  return from_float<T>(low).bits | (unsigned int)from_float<T>(high).bits << 16;
}
inline int opaque(int value) { return value; }
inline float exp2_approx(float x) { return x < -126.0f ? 0.0f : std::exp2(x); }

// async.cuh
inline unsigned char *dynamic_shared() { return emulation::block().shared; }
inline void cp_async(void *target, const void *source, int bytes, bool valid) {
  emulation::checkShared(target, bytes);
  if (valid && reinterpret_cast<uintptr_t>(source) % bytes)
    emulation::die("misaligned source of cp.async");
  emulation::block().fibers[emulation::block().current].groups.back().push_back(
      {target, source, bytes, valid});
}
inline void cp_async_16(void *target, const void *source, bool valid) { cp_async(target, source, 16, valid); }
inline void cp_async_4(void *target, const void *source, bool valid) { cp_async(target, source, 4, valid); }
inline void cp_async_commit() { emulation::block().fibers[emulation::block().current].groups.emplace_back(); }
template <int Pending>
void cp_async_wait() {
  auto &groups = emulation::block().fibers[emulation::block().current].groups;
  while (int(groups.size()) - 1 > Pending) {
    for (const emulation::Copy &copy : groups.front()) {
      if (copy.valid)
        std::memcpy(copy.target, copy.source, copy.bytes);
      else
        std::memset(copy.target, 0, copy.bytes);
    }
    groups.erase(groups.begin());
  }
}

inline void wait_for(const int *counter, int wanted) {
  while (*counter != wanted)
    emulation::yield();
}
inline void publish(int *counter, int value) {
  emulation::idle = 0;
  *counter = value;
}
inline int draw_number(int *counter) { return (*counter)++; }
template <int N>
void load_fresh(float (&values)[N], const float *source) {
  if (reinterpret_cast<uintptr_t>(source) % (4 * N))
    emulation::die("misaligned load");
  std::memcpy(values, source, 4 * N);
}

inline void ldmatrix(unsigned int (&matrices)[4], const void *row, bool transposed) {
  emulation::checkShared(row, 16);
  emulation::slot().row = row;
  emulation::Slot *slots = emulation::warpSlots();
  emulation::meetWarp([&] {
    for (int l = 0; l < 32; ++l)
      for (int m = 0; m < 4; ++m) {
        unsigned int word = 0;
        for (int pair = 0; pair < 2; ++pair) {
          const int r = transposed ? l % 4 * 2 + pair : l / 4, c = transposed ? l / 4 : l % 4 * 2 + pair;
          unsigned short bits;
          std::memcpy(&bits, static_cast<const unsigned short *>(slots[m * 8 + r].row) + c, 2);
          word |= (unsigned int)bits << (16 * pair);
        }
        slots[l].words[m] = word;
      }
  });
  std::copy_n(emulation::slot().words, 4, matrices);
}
inline void ldmatrix_x4(unsigned int (&matrices)[4], const void *row) { ldmatrix(matrices, row, false); }
inline void ldmatrix_x4_trans(unsigned int (&matrices)[4], const void *row) { ldmatrix(matrices, row, true); }

template <typename T>
void mma_16x8x16(float (&c)[4], const unsigned int (&a)[4], unsigned int b0, unsigned int b1) {
  emulation::Slot &mine = emulation::slot();
  std::copy_n(c, 4, mine.c);
  std::copy_n(a, 4, mine.a);
  mine.b[0] = b0;
  mine.b[1] = b1;
  emulation::Slot *slots = emulation::warpSlots();
  emulation::meetWarp([&] {
    float A[16][16], B[16][8];
    const auto half = [](unsigned int word, int pair) {
      return to_float(T{(unsigned short)(word >> (16 * pair))});
    };
    for (int l = 0; l < 32; ++l)
      for (int pair = 0; pair < 2; ++pair) {
        for (int e = 0; e < 4; ++e)
          A[l / 4 + e % 2 * 8][l % 4 * 2 + pair + e / 2 * 8] = half(slots[l].a[e], pair);
        for (int e = 0; e < 2; ++e)
          B[l % 4 * 2 + pair + e * 8][l / 4] = half(slots[l].b[e], pair);
      }
    for (int l = 0; l < 32; ++l)
      for (int e = 0; e < 4; ++e)
        for (int k = 0; k < 16; ++k)
          slots[l].c[e] += A[l / 4 + e / 2 * 8][k] * B[k][l % 4 * 2 + e % 2];
  });
  std::copy_n(mine.c, 4, c);
}

} // namespace heddle

inline float __uint_as_float(unsigned int bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

#include "bench/kernels/attention_traits.cuh"

namespace heddle::emulation {

/// Storage aligned as device allocations are, of NaN.
template <typename T>
struct Buffer {
  std::vector<T> storage;
  size_t size;
  explicit Buffer(size_t size) : storage(size + 16 / sizeof(T) + 1), size(size) {
    std::fill(storage.begin(), storage.end(), from_float<T>(std::nanf("")));
  }
  explicit Buffer(const std::vector<float> &values) : Buffer(values.size()) {
    for (size_t i = 0; i < size; ++i)
      data()[i] = from_float<T>(values[i]);
  }
  T *data() { return reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(storage.data()) + 15) / 16 * 16); }
  std::vector<float> decoded() {
    std::vector<float> result;
    for (size_t i = 0; i < size; ++i)
      result.push_back(to_float(data()[i]));
    return result;
  }
};

} // namespace heddle::emulation

#endif // HEDDLE_TEST_GPU_ATTENTION_EMULATION_H
