//===- Batches.cpp - Random windows of a token file -----------------------===//
#include "runtime/tooling/Batches.h"

#include "runtime/base/Random.h"

#include <algorithm>
#include <vector>

namespace heddle::runtime {

StatusOr<Batches> Batches::create(const TokenFile &file, int64_t batch, int64_t context, uint64_t seed,
                                  uint64_t position) {
  if (file.size() <= context)
    return invalidInput(file.path() + ": " + std::to_string(file.size()) + " tokens; a context of " +
                        std::to_string(context) + " wants at least " + std::to_string(context + 1));
  return Batches(file, batch, context, seed, position);
}

int64_t Batches::placeOf(uint64_t window) const {
  uint64_t stream = streamOf("batches");
  std::array<uint32_t, 4> block =
      philox4x32({static_cast<uint32_t>(window), static_cast<uint32_t>(window >> 32),
                  static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)},
                 {static_cast<uint32_t>(seed_), static_cast<uint32_t>(seed_ >> 32)});
  uint64_t bits = uint64_t{block[1]} << 32 | block[0];
  // The high half of bits * places: uniform in [0, places) to within places / 2^64.
  auto places = static_cast<uint64_t>(file_->size() - context_);
  return static_cast<int64_t>(static_cast<unsigned __int128>(bits) * places >> 64);
}

Status Batches::next(std::span<int32_t> ids, std::span<int32_t> targets) {
  std::vector<int32_t> window(static_cast<size_t>(context_ + 1));
  for (int64_t row = 0; row < batch_; ++row) {
    HEDDLE_RETURN_IF_ERROR(file_->read(placeOf(position_ + static_cast<uint64_t>(row)), window));
    std::copy(window.begin(), window.end() - 1, ids.begin() + row * context_);
    std::copy(window.begin() + 1, window.end(), targets.begin() + row * context_);
  }
  position_ += static_cast<uint64_t>(batch_);
  return Status::ok();
}

} // namespace heddle::runtime
