#include "compiler/Import/DecoderSpec.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

using namespace heddle::import;
using heddle::runtime::invalidInput;
using heddle::runtime::Status;

/// Positions and ids are i32.
static constexpr int64_t kMaxExtent = std::numeric_limits<int32_t>::max();
/// Each adds some 50 ops to the graph; the deepest models that were trained have a thousand.
static constexpr int64_t kMaxLayers = 2000;
/// Elements of the largest value; beyond it byte counts would near the range of int64.
static constexpr double kMaxElements = 1e15;

/// "1.26e+16": what is too large needs no last digit.
static std::string roundedText(double count) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3g", count);
  return buffer;
}

std::string heddle::import::sizesText(const DecoderSpec &spec) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = number(spec.layers) + (spec.layers == 1 ? " layer" : " layers") + ", width " +
                     number(spec.dModel) + ", " + number(spec.heads) +
                     (spec.heads == 1 ? " head" : " heads") + " of " + number(spec.headDim);
  if (spec.kvHeads != spec.heads)
    text += " (" + number(spec.kvHeads) + " of keys and values)";
  return text + ", MLP " + number(spec.dFf) + (spec.gated ? " (gated)" : "") + ", vocabulary " +
         number(spec.vocabulary);
}

namespace {

/// Checks under the names that the description has for its fields.
class Validation {
public:
  explicit Validation(const DecoderSpec &spec) : spec_(spec) {}

  std::string name(const std::string &field) const {
    auto it = spec_.fieldNames.find(field);
    return it == spec_.fieldNames.end() ? field : it->second;
  }
  Status wanted(const std::string &field, const std::string &want, const std::string &found) const {
    return invalidInput(name(field) + ": wanted " + want + ", found " + found);
  }
  Status extent(const char *field, int64_t value) const {
    if (value < 1 || value > kMaxExtent)
      return wanted(field, "1 to " + std::to_string(kMaxExtent), std::to_string(value));
    return Status::ok();
  }
  /// Kernels compute with it in float32, where what must not be 0 has to be above 0, too.
  Status finite(const char *field, double value, bool zeroAllowed) const {
    double least = zeroAllowed ? 0 : std::numeric_limits<float>::min();
    if (!(value >= least && value <= std::numeric_limits<float>::max())) {
      std::ostringstream found;
      found << value;
      return wanted(field, zeroAllowed ? "a finite number >= 0 of float32" : "a finite number > 0 of float32",
                    found.str());
    }
    return Status::ok();
  }
  Status scaling() const;

private:
  const DecoderSpec &spec_;
};

} // namespace

Status Validation::scaling() const {
  const RotaryScaling &scaling = spec_.rotaryScaling;
  if (scaling.kind == RotaryScaling::Kind::None)
    return Status::ok();
  HEDDLE_RETURN_IF_ERROR(finite("rotary_factor", scaling.factor, /*zeroAllowed=*/false));
  if (scaling.kind == RotaryScaling::Kind::Linear)
    return Status::ok();
  HEDDLE_RETURN_IF_ERROR(finite("rotary_low", scaling.low, /*zeroAllowed=*/false));
  HEDDLE_RETURN_IF_ERROR(finite("rotary_high", scaling.high, /*zeroAllowed=*/false));
  if (scaling.high <= scaling.low)
    return wanted("rotary_high", "more than " + name("rotary_low") + " " + std::to_string(scaling.low),
                  std::to_string(scaling.high));
  return extent("rotary_original", scaling.originalPositions);
}

Status heddle::import::validate(const DecoderSpec &spec, const DecoderExtents &extents) {
  Validation check(spec);
  const std::pair<const char *, int64_t> fields[] = {
      {"layers", spec.layers},         {"d_model", spec.dModel},   {"d_ff", spec.dFf},
      {"heads", spec.heads},           {"kv_heads", spec.kvHeads}, {"head_dim", spec.headDim},
      {"vocabulary", spec.vocabulary}, {"batch", extents.batch},   {"context", extents.seq}};
  for (auto [field, value] : fields)
    HEDDLE_RETURN_IF_ERROR(check.extent(field, value));
  if (spec.layers > kMaxLayers)
    return check.wanted("layers", "1 to " + std::to_string(kMaxLayers), std::to_string(spec.layers));
  if (spec.heads % spec.kvHeads != 0)
    return check.wanted("kv_heads", "a divisor of " + check.name("heads") + " " + std::to_string(spec.heads),
                        std::to_string(spec.kvHeads));
  bool rotary =
      spec.positions == Positions::RotaryInterleaved || spec.positions == Positions::RotaryHalfSplit;
  if (rotary && spec.headDim % 2 != 0)
    return check.wanted("head_dim", "an even number for rotary positions", std::to_string(spec.headDim));
  if (spec.positions == Positions::Learned) {
    HEDDLE_RETURN_IF_ERROR(check.extent("max_positions", spec.maxPositions));
    if (extents.seq > spec.maxPositions)
      return check.wanted("context",
                          "at most " + check.name("max_positions") + " " + std::to_string(spec.maxPositions),
                          std::to_string(extents.seq));
  }
  if (!spec.windowLayers.empty() && static_cast<int64_t>(spec.windowLayers.size()) < spec.layers)
    return check.wanted("window_layers", "an entry for each of " + std::to_string(spec.layers) + " layers",
                        std::to_string(spec.windowLayers.size()));
  if (!spec.window &&
      std::find(spec.windowLayers.begin(), spec.windowLayers.end(), true) != spec.windowLayers.end())
    return check.wanted("window", "a value for the layers that have one", "nothing");
  if (spec.window)
    HEDDLE_RETURN_IF_ERROR(check.extent("window", *spec.window));
  HEDDLE_RETURN_IF_ERROR(check.finite("epsilon", spec.epsilon, /*zeroAllowed=*/true));
  if (rotary)
    HEDDLE_RETURN_IF_ERROR(check.finite("theta", spec.theta, /*zeroAllowed=*/false));
  HEDDLE_RETURN_IF_ERROR(check.scaling());
  HEDDLE_RETURN_IF_ERROR(check.finite("embedding_std", spec.embeddingStd, /*zeroAllowed=*/true));
  HEDDLE_RETURN_IF_ERROR(check.finite("linear_std", spec.linearStd.value_or(0), /*zeroAllowed=*/true));
  HEDDLE_RETURN_IF_ERROR(check.finite("bias_std", spec.biasStd, /*zeroAllowed=*/true));

  double tokens = static_cast<double>(extents.batch) * extents.seq;
  double scores = tokens * spec.heads * extents.seq;
  double inner = static_cast<double>(spec.heads) * spec.headDim;
  double outer = static_cast<double>(std::max({spec.dModel, spec.dFf, spec.vocabulary}));
  double widest = tokens * std::max(inner, outer);
  // Widths of a weight: their product, too, is a number of elements.
  double weight = std::max(inner * 3, outer) * std::max(inner, outer);
  if (scores > kMaxElements || widest > kMaxElements)
    return check.wanted("batch and context", "values of at most 1e15 elements",
                        roundedText(std::max(scores, widest)));
  if (weight > kMaxElements)
    return check.wanted("d_model", "weights of at most 1e15 elements", roundedText(weight));
  return Status::ok();
}
