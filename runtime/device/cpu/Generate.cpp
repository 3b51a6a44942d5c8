//===- Generate.cpp - Draws and converts tensors on the CPU ---------------===//
#include "runtime/device/cpu/Generate.h"

#include "runtime/base/Convert.h"
#include "runtime/base/CpuFeatures.h"
#include "runtime/base/Random.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

/// normalElement for a run of elements: the same arithmetic (a test holds the two together), with the rounds
/// inside one loop body so that the compiler draws a vector of elements at a time.
HEDDLE_ALWAYS_INLINE void drawBody(uint64_t seed, uint64_t stream, uint64_t first, int64_t count,
                                   float factor, float *__restrict__ destination) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t index = first + static_cast<uint64_t>(i);
    auto c0 = static_cast<uint32_t>(index), c1 = static_cast<uint32_t>(index >> 32);
    auto c2 = static_cast<uint32_t>(stream), c3 = static_cast<uint32_t>(stream >> 32);
    auto k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      uint64_t p0 = uint64_t{0xD2511F53u} * c0, p1 = uint64_t{0xCD9E8D57u} * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    uint32_t sum = (c0 & 0xffffu) + (c0 >> 16) + (c1 & 0xffffu) + (c1 >> 16) + (c2 & 0xffffu) + (c2 >> 16) +
                   (c3 & 0xffffu) + (c3 >> 16);
    destination[i] = factor * static_cast<float>(static_cast<int32_t>(sum) - 262140);
  }
}
HEDDLE_DISPATCH(draw, drawBody,
                (uint64_t seed, uint64_t stream, uint64_t first, int64_t count, float factor,
                 float *destination),
                (seed, stream, first, count, factor, destination))

/// Elements drawn at a time, to stay in the first cache while they are narrowed.
constexpr int64_t kBlock = 2048;

} // namespace

Status generateElements(ThreadPool &pool, void *destination, DType dtype, int64_t count, InitKind kind,
                        double scale, uint64_t seed, uint64_t stream) {
  if (!isFloating(dtype))
    return internalError("the generator draws f32, bf16 or f16, found " + std::string(nameOf(dtype)));
  float factor = normalFactor(scale);
  pool.parallelFor(count, kBlock, [&](int64_t begin, int64_t end) {
    float block[kBlock];
    if (kind == InitKind::Constant)
      std::fill(block, block + kBlock, static_cast<float>(scale));
    for (int64_t i = begin; i < end; i += kBlock) {
      int64_t length = std::min(kBlock, end - i);
      if (kind == InitKind::Normal)
        draw(seed, stream, static_cast<uint64_t>(i), length, factor, block);
      // Cannot fail: the type was checked above.
      (void)narrowFromF32(dtype, block, static_cast<char *>(destination) + i * sizeOf(dtype), length);
    }
  });
  return Status::ok();
}

Status convertElements(ThreadPool &pool, void *destination, DType to, const void *source, DType from,
                       int64_t count) {
  for (DType type : {from, to})
    if (!isFloating(type))
      return internalError("conversion wants f32, bf16 or f16, found " + std::string(nameOf(type)));
  pool.parallelFor(count, kBlock, [&](int64_t begin, int64_t end) {
    if (from == to) { // Copied as it is: a signalling NaN stays one, as on a GPU.
      std::memcpy(static_cast<char *>(destination) + begin * sizeOf(to),
                  static_cast<const char *>(source) + begin * sizeOf(to),
                  static_cast<size_t>((end - begin) * sizeOf(to)));
      return;
    }
    float block[kBlock];
    for (int64_t i = begin; i < end; i += kBlock) {
      int64_t length = std::min(kBlock, end - i);
      // Neither can fail: the types were checked above.
      (void)widenToF32(from, static_cast<const char *>(source) + i * sizeOf(from), block, length);
      (void)narrowFromF32(to, block, static_cast<char *>(destination) + i * sizeOf(to), length);
    }
  });
  return Status::ok();
}

} // namespace heddle::runtime
