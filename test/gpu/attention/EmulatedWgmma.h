// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.cuh on the CPU, for Emulation.h: barriers in shared memory, barriers of some warps, and the products
// of warp groups, which read swizzled operands as the instructions do. Weaker than a GPU in one way: a
// product or a copy is done when it is started, so a missing wait does not show.

#ifndef HEDDLE_TEST_GPU_ATTENTION_EMULATEDWGMMA_H
#define HEDDLE_TEST_GPU_ATTENTION_EMULATEDWGMMA_H

#include "Emulation.h"

#define HEDDLE_DEVICE_WGMMA_CUH

namespace heddle::emulation {

/// What a thread of a warp group gives to a product.
struct GroupSlot {
  float *d;
  unsigned int a[4];
};
inline GroupSlot groupSlots[1024];
inline Barrier groups[8];

} // namespace heddle::emulation

inline int __shfl_sync(unsigned, int value, int source) {
  using namespace heddle::emulation;
  slot().words[0] = (unsigned)value;
  Slot *slots = warpSlots();
  meetWarp([&] {
    for (int l = 0; l < 32; ++l)
      slots[l].words[1] = slots[source].words[0];
  });
  return (int)slot().words[1];
}

inline unsigned int __shfl_xor_sync(unsigned, unsigned int value, int distance) {
  using namespace heddle::emulation;
  slot().words[0] = value;
  Slot *slots = warpSlots();
  meetWarp([&] {
    for (int l = 0; l < 32; ++l)
      slots[l].words[1] = slots[l ^ distance].words[0];
  });
  return slot().words[1];
}

namespace heddle {

constexpr int kWarpGroupSize = 128;
constexpr int kSwizzleColumns = 64;
constexpr int kSwizzleRowBytes = 128;

inline unsigned char *swizzled_shared() { return emulation::block().shared; }
inline int swizzled_offset(int row, int chunk) { return row * kSwizzleRowBytes + ((chunk ^ (row & 7)) << 4); }

struct alignas(8) SharedBarrier {
  unsigned char wanted, arrived;
  bool phase;
  int bytes; // announced and not yet copied
};
inline void barrier_init(SharedBarrier *barrier, int arrivals) {
  emulation::checkShared(barrier, 8);
  *barrier = {(unsigned char)arrivals, 0, false, 0};
}
inline void barrier_init_fence() {}
inline void barrier_count(SharedBarrier *barrier, int arrivals, int bytes) {
  emulation::checkShared(barrier, 8);
  emulation::idle = 0;
  barrier->arrived += arrivals;
  barrier->bytes += bytes;
  if (barrier->arrived == barrier->wanted && barrier->bytes == 0) {
    barrier->arrived = 0;
    barrier->phase = !barrier->phase;
  }
}
inline void barrier_arrive(SharedBarrier *barrier) { barrier_count(barrier, 1, 0); }
inline void barrier_arrive_expecting(SharedBarrier *barrier, int bytes) { barrier_count(barrier, 1, bytes); }
inline bool barrier_try(SharedBarrier *barrier, int parity) { return int(barrier->phase) != parity; }
inline void barrier_wait(SharedBarrier *barrier, int parity) {
  while (!barrier_try(barrier, parity))
    emulation::yield();
}
inline void fence_shared_for_wgmma() {}

/// A tensor of 16-bit elements of [batch, heads, rows, columns], strides in elements.
struct TensorMap {
  const void *data;
  int columns, rows, heads, batch;
  long long row, head, batchStride;
  int boxRows;
};
inline void prefetch_map(const TensorMap &) {}
/// Done when it is started.
inline void copy_box(void *target, const TensorMap &map, SharedBarrier *barrier, int c0, int c1, int c2,
                     int c3) {
  unsigned char *box = static_cast<unsigned char *>(target);
  if ((box - emulation::block().shared) % 1024 != 0)
    emulation::die("a swizzled box is not aligned");
  for (int r = 0; r < map.boxRows; ++r)
    for (int c = 0; c < kSwizzleColumns; ++c) {
      unsigned short element = 0;
      if (c0 + c < map.columns && c1 + r < map.rows && c2 < map.heads && c3 < map.batch)
        element = static_cast<const unsigned short *>(
            map.data)[c3 * map.batchStride + c2 * map.head + (c1 + r) * map.row + c0 + c];
      unsigned char *to = box + swizzled_offset(r, c / 8) + c % 8 * 2;
      emulation::checkShared(to, 2);
      std::memcpy(to, &element, 2);
    }
  barrier_count(barrier, 0, -map.boxRows * kSwizzleRowBytes);
}

inline void named_arrive(int id, int threads) {
  emulation::Barrier &barrier = emulation::block().named[id];
  if (++barrier.arrived == threads) {
    barrier.arrived = 0;
    ++barrier.generation;
  }
}
template <int Registers>
void lower_registers() {}
template <int Registers>
void raise_registers() {}

struct MatrixDescriptor {
  const unsigned char *tile;
  int block_bytes; // 0: K-major
};
inline MatrixDescriptor descriptor_k_major(const void *tile) {
  return {static_cast<const unsigned char *>(tile), 0};
}
inline MatrixDescriptor descriptor_mn_major(const void *tile, int block_bytes) {
  return {static_cast<const unsigned char *>(tile), block_bytes};
}
inline MatrixDescriptor operator+(MatrixDescriptor descriptor, int bytes) {
  return {descriptor.tile + bytes, descriptor.block_bytes};
}

inline void wgmma_fence() {}
inline void wgmma_commit() {}
template <typename Array>
void pin_registers(Array &) {}
template <int Pending, int Count>
void wgmma_wait(float (&)[Count]) {}

/// Element k of row (or column) n of an operand.
template <typename T>
float operand_at(const MatrixDescriptor &operand, int n, int k) {
  const unsigned char *linear =
      operand.tile + (operand.block_bytes ? n / 64 * operand.block_bytes + k * kSwizzleRowBytes + n % 64 * 2
                                          : n * kSwizzleRowBytes + k * 2);
  size_t offset = linear - emulation::block().shared;
  offset ^= (offset >> 7 & 7) << 4;
  emulation::checkShared(emulation::block().shared + offset, 2);
  T value;
  std::memcpy(&value, emulation::block().shared + offset, 2);
  return to_float(value);
}

template <typename T, int N>
struct WarpGroupProduct {
  static void shared(float (&d)[N / 2], MatrixDescriptor a, MatrixDescriptor b, bool accumulate) {
    run(d, b, accumulate, [&](int row, int k) { return operand_at<T>(a, row, k); });
  }
  static void values(float (&d)[N / 2], const unsigned int (&a)[4], MatrixDescriptor b) {
    std::copy_n(a, 4, emulation::groupSlots[emulation::block().current].a);
    const int first = emulation::block().current / kWarpGroupSize * kWarpGroupSize;
    run(d, b, true, [&](int row, int k) {
      const int lane = row % 8 * 4 + k % 8 / 2;
      const unsigned int word =
          emulation::groupSlots[first + row / 16 * 32 + lane].a[row % 16 / 8 + k / 8 * 2];
      return to_float(T{(unsigned short)(word >> (16 * (k % 2)))});
    });
  }

private:
  template <typename At>
  static void run(float (&d)[N / 2], MatrixDescriptor b, bool accumulate, At a) {
    using namespace emulation;
    const int group = block().current / kWarpGroupSize;
    groupSlots[block().current].d = d;
    meet(groups[group], kWarpGroupSize, [&] {
      static float A[64][16], B[16][N];
      for (int k = 0; k < 16; ++k) {
        for (int row = 0; row < 64; ++row)
          A[row][k] = a(row, k);
        for (int n = 0; n < N; ++n)
          B[k][n] = operand_at<T>(b, n, k);
      }
      for (int row = 0; row < 64; ++row)
        for (int n = 0; n < N; ++n) {
          float &sum = groupSlots[group * kWarpGroupSize + row / 16 * 32 + row % 8 * 4 + n % 8 / 2]
                           .d[n / 8 * 4 + row % 16 / 8 * 2 + n % 2];
          float total = accumulate ? sum : 0.0f;
          for (int k = 0; k < 16; ++k)
            total += A[row][k] * B[k][n];
          sum = total;
        }
    });
  }
};

} // namespace heddle

#endif // HEDDLE_TEST_GPU_ATTENTION_EMULATEDWGMMA_H
