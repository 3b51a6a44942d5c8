//===- Parameters.cpp - Fills the buffers that a plan starts from ---------===//
#include "runtime/executor/Parameters.h"

#include "runtime/base/Random.h"
#include "runtime/plan/Verify.h"

#include <algorithm>

namespace heddle::runtime {

namespace {

/// Bytes that are read and uploaded at a time; a multiple of every element's size. Large enough that a copy
/// over a bus is not bound by its latency, small beside any model.
constexpr int64_t kPiece = int64_t{16} << 20;

/// Fills parameters one after another, by way of memory that all of them share.
class PartFiller {
public:
  PartFiller(Device &device, uint64_t seed, const ParameterSource &source)
      : device_(device), seed_(seed), source_(source) {}
  ~PartFiller() {
    if (stored_) {
      (void)device_.synchronize(); // A conversion may still read it; an error has nobody to go to.
      device_.release(stored_);
    }
  }
  PartFiller(const PartFiller &) = delete;
  PartFiller &operator=(const PartFiller &) = delete;

  Status fill(const Buffer &buffer, const ParameterPart &part, char *address) {
    char *destination = address + part.elementOffset * sizeOf(buffer.dtype);
    int64_t elements = elementsOf(part.shape);
    if (source_ && buffer.role == BufferRole::Parameter) {
      HEDDLE_ASSIGN_OR_RETURN(std::optional<StoredValues> values, source_(part));
      if (values)
        return values->dtype == buffer.dtype ? upload(*values, destination, elements)
                                             : convert(*values, buffer.dtype, destination, elements);
    }
    return device_.generate(destination, buffer.dtype, elements, part.init, part.scale, seed_,
                            streamOf(part.name));
  }

private:
  /// Reads one piece into staging_, which is free again once `use` returned.
  template <typename Use>
  Status pieces(const StoredValues &values, int64_t elements, Use use) {
    int64_t size = sizeOf(values.dtype), most = kPiece / size;
    for (int64_t begin = 0; begin < elements; begin += most) {
      int64_t count = std::min(most, elements - begin);
      staging_.resize(static_cast<size_t>(count * size));
      HEDDLE_RETURN_IF_ERROR(values.read(begin * size, staging_));
      HEDDLE_RETURN_IF_ERROR(use(begin, count));
    }
    return Status::ok();
  }

  Status upload(const StoredValues &values, char *destination, int64_t elements) {
    int64_t size = sizeOf(values.dtype);
    return pieces(values, elements, [&](int64_t begin, int64_t count) {
      return device_.upload(destination + begin * size, staging_.data(), count * size);
    });
  }

  Status convert(const StoredValues &values, DType to, char *destination, int64_t elements) {
    if (!stored_) {
      HEDDLE_ASSIGN_OR_RETURN(stored_, device_.allocate(kPiece));
    }
    // The next upload is behind this conversion in the device's stream.
    return pieces(values, elements, [&](int64_t begin, int64_t count) -> Status {
      HEDDLE_RETURN_IF_ERROR(device_.upload(stored_, staging_.data(), count * sizeOf(values.dtype)));
      return device_.convert(destination + begin * sizeOf(to), to, stored_, values.dtype, count);
    });
  }

  Device &device_;
  uint64_t seed_;
  const ParameterSource &source_;
  std::vector<uint8_t> staging_;
  void *stored_ = nullptr; ///< Device memory for a piece before its conversion.
};

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
  PartFiller filler(device, seed, source);
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer &buffer = plan.buffers[i];
    if (!addresses[i])
      continue;
    switch (buffer.role) {
    case BufferRole::Parameter:
    case BufferRole::State:
      if (!partsCover(buffer))
        HEDDLE_RETURN_IF_ERROR(device.fill(addresses[i], 0, buffer.bytes));
      for (const ParameterPart &part : buffer.parts)
        HEDDLE_RETURN_IF_ERROR(filler.fill(buffer, part, addresses[i]).with("parameter " + part.name));
      // Values are drawn, read and converted in the order of the state dict; only then do they move.
      if (buffer.panel > 0)
        HEDDLE_RETURN_IF_ERROR(
            device.packPanels(addresses[i], buffer.dtype, buffer.shape[0], buffer.shape[1], buffer.panel));
      break;
    case BufferRole::Constant:
      if (!buffer.data.empty())
        HEDDLE_RETURN_IF_ERROR(
            device.upload(addresses[i], buffer.data.data(), static_cast<int64_t>(buffer.data.size())));
      break;
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
