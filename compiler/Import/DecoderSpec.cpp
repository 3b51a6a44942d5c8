#include "compiler/Import/DecoderSpec.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace heddle::import;
using heddle::runtime::invalidInput;
using heddle::runtime::Status;

/// Positions and ids are i32.
static constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();
/// Elements of the largest value; beyond it byte counts would near the range of int64.
static constexpr double kMaxElements = 1e15;

static Status wanted(const std::string &field, const std::string &want, const std::string &found) {
  return invalidInput(field + ": wanted " + want + ", found " + found);
}

static Status checkExtent(const char *field, int64_t value) {
  if (value < 1 || value > kMaxExtent)
    return wanted(field, "1 to " + std::to_string(kMaxExtent), std::to_string(value));
  return Status::ok();
}

static Status checkFinite(const char *field, double value, bool zeroAllowed) {
  if (!std::isfinite(value) || value < 0 || (value == 0 && !zeroAllowed))
    return wanted(field, zeroAllowed ? "a finite number >= 0" : "a finite number > 0", std::to_string(value));
  return Status::ok();
}

Status heddle::import::validate(const DecoderSpec &spec, const DecoderExtents &extents) {
  const std::pair<const char *, int64_t> fields[] = {
      {"layers", spec.layers},         {"d_model", spec.dModel},   {"d_ff", spec.dFf},
      {"heads", spec.heads},           {"kv_heads", spec.kvHeads}, {"head_dim", spec.headDim},
      {"vocabulary", spec.vocabulary}, {"batch", extents.batch},   {"context", extents.seq}};
  for (auto [field, value] : fields)
    HEDDLE_RETURN_IF_ERROR(checkExtent(field, value));
  if (spec.heads % spec.kvHeads != 0)
    return wanted("kv_heads", "a divisor of heads " + std::to_string(spec.heads),
                  std::to_string(spec.kvHeads));
  bool rotary =
      spec.positions == Positions::RotaryInterleaved || spec.positions == Positions::RotaryHalfSplit;
  if (rotary && spec.headDim % 2 != 0)
    return wanted("head_dim", "an even number for rotary positions", std::to_string(spec.headDim));
  if (spec.positions == Positions::Learned && extents.seq > spec.maxPositions)
    return wanted("context", "at most max_positions " + std::to_string(spec.maxPositions),
                  std::to_string(extents.seq));
  HEDDLE_RETURN_IF_ERROR(checkFinite("epsilon", spec.epsilon, /*zeroAllowed=*/true));
  if (rotary)
    HEDDLE_RETURN_IF_ERROR(checkFinite("theta", spec.theta, /*zeroAllowed=*/false));

  double tokens = static_cast<double>(extents.batch) * extents.seq;
  double scores = tokens * spec.heads * extents.seq;
  double widest = tokens * std::max({spec.dModel, spec.dFf, spec.vocabulary, spec.heads * spec.headDim});
  if (scores > kMaxElements || widest > kMaxElements)
    return wanted("batch and context", "values of at most 1e15 elements",
                  std::to_string(std::max(scores, widest)));
  return Status::ok();
}
