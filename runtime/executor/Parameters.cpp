//===- Parameters.cpp - Fills the buffers that a plan starts from ---------===//
#include "runtime/executor/Parameters.h"

#include "runtime/base/Random.h"
#include "runtime/plan/Verify.h"

namespace heddle::runtime {

namespace {

Status fillPart(Device &device, const Buffer &buffer, const ParameterPart &part, char *address, uint64_t seed,
                const ParameterSource &source, std::vector<uint8_t> &staging) {
  int64_t elements = elementsOf(part.shape), size = sizeOf(buffer.dtype);
  void *destination = address + part.elementOffset * size;
  if (source) {
    staging.resize(static_cast<size_t>(elements * size));
    HEDDLE_ASSIGN_OR_RETURN(bool given, source(part, buffer.dtype, staging));
    if (given) {
      HEDDLE_RETURN_IF_ERROR(device.upload(destination, staging.data(), elements * size));
      return device.synchronize(); // The next part takes the same staging memory.
    }
  }
  return device.generate(destination, buffer.dtype, elements, part.init, part.scale, seed,
                         streamOf(part.name));
}

/// Whether the parts, which are disjoint, leave nothing of the buffer.
bool partsCover(const Buffer &buffer) {
  int64_t covered = 0;
  for (const ParameterPart &part : buffer.parts)
    covered += elementsOf(part.shape);
  return covered * sizeOf(buffer.dtype) == buffer.bytes;
}

} // namespace

Status fillBuffers(Device &device, const Plan &plan, std::span<char *const> addresses, uint64_t seed,
                   const ParameterSource &source) {
  std::vector<uint8_t> staging;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &buffer = plan.buffers[i];
    if (!addresses[i])
      continue;
    switch (buffer.role) {
    case BufferRole::Parameter:
      if (!partsCover(buffer))
        HEDDLE_RETURN_IF_ERROR(device.fill(addresses[i], 0, buffer.bytes));
      for (const ParameterPart &part : buffer.parts)
        HEDDLE_RETURN_IF_ERROR(fillPart(device, buffer, part, addresses[i], seed, source, staging)
                                   .with("parameter " + part.name));
      break;
    case BufferRole::Constant:
      if (!buffer.data.empty())
        HEDDLE_RETURN_IF_ERROR(
            device.upload(addresses[i], buffer.data.data(), static_cast<int64_t>(buffer.data.size())));
      break;
    case BufferRole::State:
    case BufferRole::Input:
      HEDDLE_RETURN_IF_ERROR(device.fill(addresses[i], 0, buffer.bytes));
      break;
    case BufferRole::Output:
    case BufferRole::Saved:
    case BufferRole::Scratch:
      break;
    }
  }
  return device.synchronize();
}

} // namespace heddle::runtime
