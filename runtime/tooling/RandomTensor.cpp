//===- RandomTensor.cpp - Inputs and weights drawn on the host ------------===//
#include "runtime/tooling/RandomTensor.h"

#include "runtime/base/Convert.h"
#include "runtime/base/Random.h"
#include "runtime/base/ThreadPool.h"

#include <cstring>

namespace heddle::runtime {
namespace {

template <typename T>
void store(uint8_t *data, int64_t index, T value) {
  std::memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

/// Uniform in [0, limit), limit at most 2^53: the high half of a 32-bit word times the limit, of 64 bits
/// where that is more.
int64_t uniformElement(uint64_t seed, uint64_t stream, uint64_t index, int64_t limit) {
  std::array<uint32_t, 4> block =
      philox4x32({static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32),
                  static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                 {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  if (limit > int64_t{1} << 32) {
    unsigned __int128 word = uint64_t{block[0]} << 32 | block[1];
    return static_cast<int64_t>((word * static_cast<uint64_t>(limit)) >> 64);
  }
  return static_cast<int64_t>((static_cast<uint64_t>(block[0]) * static_cast<uint64_t>(limit)) >> 32);
}

} // namespace

StatusOr<HostTensor> randomTensor(DType dtype, const std::vector<int64_t> &shape, int64_t limit,
                                  uint64_t seed, const std::string &name) {
  bool integer = dtype == DType::I32 || dtype == DType::I64 || dtype == DType::U8;
  // float64 holds no larger ones exactly.
  if (integer && (limit <= 0 || limit > int64_t{1} << (dtype == DType::I64 ? 53 : 31)))
    return invalidInput(
        "input '" + name + "' (" + describe(dtype, shape) +
        "): the plan states no range for its values, so none can be drawn; give it from a file");
  if (dtype == DType::Bool)
    limit = 2;
  if (dtype == DType::U8)
    limit = std::min<int64_t>(limit, 256);
  HEDDLE_ASSIGN_OR_RETURN(int64_t bytes, byteCount(dtype, shape));
  HostTensor tensor{dtype, shape, std::vector<uint8_t>(bytes)};
  uint8_t *data = tensor.data.data();
  uint64_t stream = streamOf(name);
  float factor = normalFactor(1.0);
  int64_t count = bytes / sizeOf(dtype);
  int64_t row = shape.empty() ? 1 : shape.back();
  auto integerAt = [&](int64_t i) {
    return limit == 2 && i % row == 0 ? 1 : uniformElement(seed, stream, i, limit);
  };
  ThreadPool pool;
  pool.parallelFor(count, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      switch (dtype) {
      case DType::F32:
        store(data, i, normalElement(seed, stream, i, factor));
        break;
      case DType::BF16:
        store(data, i, f32ToBf16(normalElement(seed, stream, i, factor)));
        break;
      case DType::F16:
        store(data, i, f32ToF16(normalElement(seed, stream, i, factor)));
        break;
      case DType::I32:
        store(data, i, static_cast<int32_t>(integerAt(i)));
        break;
      case DType::I64:
        store(data, i, integerAt(i));
        break;
      case DType::Bool:
      case DType::U8:
        store(data, i, static_cast<uint8_t>(uniformElement(seed, stream, i, limit)));
        break;
      }
  });
  return tensor;
}

std::vector<double> drawParameter(const ParameterPart &part, uint64_t seed) {
  int64_t count = 1;
  for (int64_t dim : part.shape)
    count *= dim;
  if (part.init == InitKind::Constant)
    return std::vector<double>(count, static_cast<float>(part.scale));
  std::vector<double> values(count);
  uint64_t stream = streamOf(part.name);
  float factor = normalFactor(part.scale);
  ThreadPool pool;
  pool.parallelFor(count, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      values[i] = normalElement(seed, stream, i, factor);
  });
  return values;
}

} // namespace heddle::runtime
