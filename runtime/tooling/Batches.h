//===- Batches.h - Random windows of a token file ---------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_BATCHES_H
#define HEDDLE_RUNTIME_TOOLING_BATCHES_H

#include "runtime/tooling/TokenFile.h"

namespace heddle::runtime {

/// Batches of windows of `context` + 1 tokens, each at a place that is drawn uniformly, with replacement. Of
/// a window all tokens but the last are ids, and all but the first their targets. Window number w of a seed
/// is always the same: its place comes from block w of the counter-based generator (runtime/base/Random.h),
/// so that the number of windows drawn so far is all that resuming needs.
class Batches {
public:
  /// `file` must outlive this. InvalidInput where it has fewer than `context` + 1 tokens.
  static StatusOr<Batches> create(const TokenFile &file, int64_t batch, int64_t context, uint64_t seed,
                                  uint64_t position = 0);

  /// Fills ids and targets, each [batch, context], and advances by `batch` windows.
  Status next(std::span<int32_t> ids, std::span<int32_t> targets);
  /// Ids of one batch.
  int64_t tokensPerBatch() const { return batch_ * context_; }
  uint64_t seed() const { return seed_; }
  /// Windows drawn so far.
  uint64_t position() const { return position_; }
  /// The first token of window number `window`.
  int64_t placeOf(uint64_t window) const;

private:
  Batches(const TokenFile &file, int64_t batch, int64_t context, uint64_t seed, uint64_t position)
      : file_(&file), batch_(batch), context_(context), seed_(seed), position_(position) {}
  const TokenFile *file_;
  int64_t batch_, context_;
  uint64_t seed_, position_;
};

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_BATCHES_H
