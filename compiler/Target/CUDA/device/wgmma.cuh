// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Hopper (sm_90a) adds for matrix products: products by groups of four warps whose operands lie in
// swizzled shared memory (wgmma), barriers in shared memory that producers and consumers share (mbarrier),
// barriers of some of a block's warps, and registers that move between warp groups.
//
// A swizzled tile is made of column blocks of 64 16-bit elements. A block holds its rows one after another,
// 128 bytes each, and starts at a multiple of 1024 bytes; within a row the chunk of 16 bytes c lies at
// c ^ (row % 8). Both products read such tiles: the first with the contraction along the columns (K-major),
// the second with the contraction along the rows (MN-major), so that values need no transposition.
//
// Facts: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions"; names of the fields follow it.

#ifndef HEDDLE_DEVICE_WGMMA_CUH
#define HEDDLE_DEVICE_WGMMA_CUH

#include "async.cuh"

namespace heddle {

constexpr int kWarpGroupSize = 128;
/// Elements and bytes of a row of a swizzled column block.
constexpr int kSwizzleColumns = 64;
constexpr int kSwizzleRowBytes = 128;

/// The block's dynamic shared memory, aligned for swizzled tiles. A kernel uses this or dynamic_shared().
__device__ inline unsigned char *swizzled_shared() {
  extern __shared__ __align__(1024) unsigned char heddle_swizzled_shared[];
  return heddle_swizzled_shared;
}

/// Where in a column block the 16 bytes of chunk `chunk` (0..7) of row `row` lie, in bytes.
__device__ inline int swizzled_offset(int row, int chunk) {
  return row * kSwizzleRowBytes + ((chunk ^ (row & 7)) << 4);
}

// Barriers in shared memory -------------------------------------------------------------------------------

/// Counts arrivals; after `arrivals` of them its phase ends and the next begins, with the parity flipped.
struct alignas(8) SharedBarrier {
  unsigned long long state;
};

__device__ inline void barrier_init(SharedBarrier *barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

/// Makes initialised barriers known to asynchronous users; a block barrier must follow.
__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void barrier_arrive(SharedBarrier *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Whether the phase of parity `parity` has ended (the phase before the first counts as one of parity 1). May
/// wait a short while.
__device__ inline bool barrier_try(SharedBarrier *barrier, int parity) {
  unsigned int done;
  asm volatile("{\n.reg .pred p;\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
               "selp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(shared_address(barrier)), "r"(parity)
               : "memory");
  return done != 0;
}

__device__ inline void barrier_wait(SharedBarrier *barrier, int parity) {
  while (!barrier_try(barrier, parity)) {
  }
}

/// Arrives, and makes the phase wait for `bytes` more bytes of copies, too.
__device__ inline void barrier_arrive_expecting(SharedBarrier *barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

/// What this thread wrote to shared memory by ordinary stores and cp.async becomes visible to wgmma of the
/// threads that it synchronises with after this.
__device__ inline void fence_shared_for_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Copies by the tensor unit -------------------------------------------------------------------------------

/// Describes a tensor in global memory and the box of it that a copy brings (the driver's CUtensorMap). Made
/// by the host, passed by value as a __grid_constant__ parameter.
struct alignas(64) TensorMap {
  unsigned long long words[16];
};

__device__ inline void prefetch_map(const TensorMap &map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// Starts copying the box of a tensor of four dimensions that begins at (c0, c1, c2, c3), c0 along the rows;
/// what lies outside of the tensor becomes zero. The barrier counts the box's bytes as they arrive. By one
/// thread; visible to wgmma of whoever waits for the barrier.
__device__ inline void copy_box(void *target, const TensorMap &map, SharedBarrier *barrier, int c0, int c1,
                                int c2, int c3) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
               "{%3, %4, %5, %6}], [%2];" ::"r"(shared_address(target)),
               "l"(&map), "r"(shared_address(barrier)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}

// Barriers of some warps, and registers -------------------------------------------------------------------

/// Arrives at such a barrier, and does not wait.
__device__ inline void named_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Changes the registers that each thread of the calling warp group may use; multiples of 8 from 24 to 240.
/// All warps of the group call it. Raising waits until others have given up enough.
template <int Registers>
__device__ inline void lower_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void raise_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

// Products ------------------------------------------------------------------------------------------------

/// Where a swizzled operand lies: bits 0..13 address / 16, 16..29 leading offset / 16, 32..45 stride offset /
/// 16, 62..63 the swizzle, 1 for 128 bytes.
struct MatrixDescriptor {
  unsigned long long bits;
};

/// An operand whose rows are the product's rows (of A) or columns (of B): eight of them to 1024 bytes. A step
/// of the contraction, 16 elements, is 32 bytes further.
__device__ inline MatrixDescriptor descriptor_k_major(const void *tile) {
  return {((unsigned long long)shared_address(tile) >> 4 & 0x3fff) | 1ull << 16 |
          (unsigned long long)(1024 >> 4) << 32 | 1ull << 62};
}

/// An operand B whose rows run along the contraction; its column blocks are `block_bytes` apart. A step of
/// the contraction, 16 rows, is 2048 bytes further.
__device__ inline MatrixDescriptor descriptor_mn_major(const void *tile, int block_bytes) {
  return {((unsigned long long)shared_address(tile) >> 4 & 0x3fff) |
          (unsigned long long)(block_bytes >> 4) << 16 | (unsigned long long)(1024 >> 4) << 32 | 1ull << 62};
}

/// The operand `bytes` (a multiple of 16) further on.
__device__ inline MatrixDescriptor operator+(MatrixDescriptor descriptor, int bytes) {
  return {descriptor.bits + (unsigned long long)(bytes >> 4)};
}

/// Before the first product of a group, and before products that use registers written since.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Closes the group of all products started since the last call.
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// What was computed into the registers is there before this, and nothing that reads them moves before this.
template <int Count>
__device__ inline void pin_registers(float (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    asm volatile("" : "+f"(values[i])::"memory");
}

template <int Steps>
__device__ inline void pin_registers(unsigned int (&values)[Steps][4]) {
#pragma unroll
  for (int i = 0; i < Steps; ++i)
    asm volatile(""
                 : "+r"(values[i][0]), "+r"(values[i][1]), "+r"(values[i][2]), "+r"(values[i][3])::"memory");
}

/// Waits until at most `Pending` of the youngest groups are under way; `result` is that of an older one.
template <int Pending, int Count>
__device__ inline void wgmma_wait(float (&result)[Count]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
  pin_registers(result);
}

/// d[64 x N] (+)= A[64 x 16] B[16 x N], float32 sums, started by the four warps of a group together. In the
/// lane of warp w with g = lane / 4 and t = lane % 4, d[4 n + 2 half + pair] is the element (16 w + g + 8
/// half, 8 n + 2 t + pair). Registers belong to the product until wgmma_wait.
///   shared    A and B K-major, from shared memory; without `accumulate`, d's old values are dropped
///   values    A from registers as for mma_16x8x16 (rows 16 w ...), B MN-major; adds to d
template <typename T, int N>
struct WarpGroupProduct;

#define HEDDLE_D8(o)                                                                                         \
  "+f"(d[o]), "+f"(d[o + 1]), "+f"(d[o + 2]), "+f"(d[o + 3]), "+f"(d[o + 4]), "+f"(d[o + 5]),                \
      "+f"(d[o + 6]), "+f"(d[o + 7])
#define HEDDLE_R16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define HEDDLE_DALL16 HEDDLE_D8(0)
#define HEDDLE_R32                                                                                           \
  HEDDLE_R16                                                                                                 \
  ", %8, %9, %10, %11, %12, %13, %14, %15"
#define HEDDLE_DALL32 HEDDLE_DALL16, HEDDLE_D8(8)
#define HEDDLE_R48                                                                                           \
  HEDDLE_R32                                                                                                 \
  ", %16, %17, %18, %19, %20, %21, %22, %23"
#define HEDDLE_DALL48 HEDDLE_DALL32, HEDDLE_D8(16)
#define HEDDLE_R64                                                                                           \
  HEDDLE_R48                                                                                                 \
  ", %24, %25, %26, %27, %28, %29, %30, %31"
#define HEDDLE_DALL64 HEDDLE_DALL48, HEDDLE_D8(24)
#define HEDDLE_R80                                                                                           \
  HEDDLE_R64                                                                                                 \
  ", %32, %33, %34, %35, %36, %37, %38, %39"
#define HEDDLE_DALL80 HEDDLE_DALL64, HEDDLE_D8(32)
#define HEDDLE_R96                                                                                           \
  HEDDLE_R80                                                                                                 \
  ", %40, %41, %42, %43, %44, %45, %46, %47"
#define HEDDLE_DALL96 HEDDLE_DALL80, HEDDLE_D8(40)
#define HEDDLE_R112                                                                                          \
  HEDDLE_R96                                                                                                 \
  ", %48, %49, %50, %51, %52, %53, %54, %55"
#define HEDDLE_DALL112 HEDDLE_DALL96, HEDDLE_D8(48)
#define HEDDLE_R128                                                                                          \
  HEDDLE_R112                                                                                                \
  ", %56, %57, %58, %59, %60, %61, %62, %63"
#define HEDDLE_DALL128 HEDDLE_DALL112, HEDDLE_D8(56)

#define HEDDLE_PRODUCT(T, NAME, N, I0, I1, I2, I3, I4)                                                       \
  template <>                                                                                                \
  struct WarpGroupProduct<T, N> {                                                                            \
    static __device__ inline void shared(float (&d)[N / 2], MatrixDescriptor a, MatrixDescriptor b,          \
                                         bool accumulate) {                                                  \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " I2 ", 0;\n"                                           \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" HEDDLE_R##N          \
                   "}, " I0 ", " I1 ", p, 1, 1, 0, 0;\n}"                                                    \
                   : HEDDLE_DALL##N                                                                          \
                   : "l"(a.bits), "l"(b.bits), "r"(int(accumulate)));                                        \
    }                                                                                                        \
    static __device__ inline void values(float (&d)[N / 2], const unsigned int (&a)[4],                      \
                                         MatrixDescriptor b) {                                               \
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"                                                \
                   "wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" HEDDLE_R##N          \
                   "}, {" I0 ", " I1 ", " I2 ", " I3 "}, " I4 ", p, 1, 1, 1;\n}"                             \
                   : HEDDLE_DALL##N                                                                          \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b.bits));                               \
    }                                                                                                        \
  };
#define HEDDLE_PRODUCTS(N, I0, I1, I2, I3, I4)                                                               \
  HEDDLE_PRODUCT(bf16, "bf16", N, I0, I1, I2, I3, I4)                                                        \
  HEDDLE_PRODUCT(f16, "f16", N, I0, I1, I2, I3, I4)

HEDDLE_PRODUCTS(16, "%8", "%9", "%10", "%11", "%12")
HEDDLE_PRODUCTS(32, "%16", "%17", "%18", "%19", "%20")
HEDDLE_PRODUCTS(48, "%24", "%25", "%26", "%27", "%28")
HEDDLE_PRODUCTS(64, "%32", "%33", "%34", "%35", "%36")
HEDDLE_PRODUCTS(80, "%40", "%41", "%42", "%43", "%44")
HEDDLE_PRODUCTS(96, "%48", "%49", "%50", "%51", "%52")
HEDDLE_PRODUCTS(112, "%56", "%57", "%58", "%59", "%60")
HEDDLE_PRODUCTS(128, "%64", "%65", "%66", "%67", "%68")

} // namespace heddle

#endif // HEDDLE_DEVICE_WGMMA_CUH
