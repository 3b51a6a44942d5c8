//===- WeightMatch.cpp - Stored tensors and wanted parameters -------------===//
#include "runtime/base/Json.h"
#include "runtime/tooling/Weights.h"

#include <algorithm>
#include <set>

namespace heddle::runtime {
namespace {

/// The base model's name inside a model with a head: gpt2; bert and its kind; llama, qwen2 and mistral.
constexpr std::string_view kPrefixes[] = {"bert.", "model.", "transformer."};

/// What files hold besides parameters: causal masks of gpt2, rotary frequencies of llama, positions of bert.
/// A '*' stands for any characters.
constexpr std::string_view kTables[] = {"*.attn.bias", "*.attn.masked_bias", "*rotary_emb.inv_freq",
                                        "*position_ids"};

/// What shares a wanted tensor's values where a model ties its head; older files store it once more.
constexpr std::string_view kTied[] = {"lm_head.weight", "cls.predictions.decoder.weight",
                                      "cls.predictions.decoder.bias"};

/// Heads on top of a base model. A graph computes a head, or has nothing of it.
constexpr std::string_view kHeads[] = {"pooler.", "cls.predictions.", "cls.seq_relationship."};

/// What the parameters of norms were called in files from before transformers.
struct Suffix {
  std::string_view old, now;
};
constexpr Suffix kSuffixes[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                {"LayerNorm.beta", "LayerNorm.bias"}};

/// What is left of a name where prefixes and old suffixes count for nothing.
std::string bareName(std::string_view name) {
  for (std::string_view prefix : kPrefixes)
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  for (Suffix suffix : kSuffixes)
    if (name.ends_with(suffix.old))
      return std::string(name.substr(0, name.size() - suffix.old.size())) + std::string(suffix.now);
  return std::string(name);
}

bool matches(std::string_view name, std::string_view pattern) {
  size_t star = pattern.find('*');
  if (star == std::string_view::npos)
    return name == pattern;
  std::string_view before = pattern.substr(0, star), after = pattern.substr(star + 1);
  return name.size() >= before.size() + after.size() && name.starts_with(before) && name.ends_with(after);
}

template <size_t N>
bool matchesAny(std::string_view name, const std::string_view (&patterns)[N]) {
  return std::any_of(std::begin(patterns), std::end(patterns),
                     [&](std::string_view pattern) { return matches(name, pattern); });
}

bool converts(const std::optional<DType> &from, DType to) {
  return from && (*from == to || (isFloating(*from) && isFloating(to)));
}

StatusOr<bool> sameBytes(const WeightTensor &a, const WeightTensor &b) {
  constexpr int64_t kPiece = int64_t{1} << 20;
  std::vector<uint8_t> first, second;
  for (int64_t at = 0; at < a.stored->bytes; at += kPiece) {
    size_t size = static_cast<size_t>(std::min(kPiece, a.stored->bytes - at));
    first.resize(size);
    second.resize(size);
    HEDDLE_RETURN_IF_ERROR(a.file->read(*a.stored, at, first));
    HEDDLE_RETURN_IF_ERROR(b.file->read(*b.stored, at, second));
    if (first != second)
      return false;
  }
  return true;
}

/// What does not fit, by kind; a line each.
struct Misfits {
  std::vector<std::string> missing, misshapen, mistyped, ambiguous, extra;

  bool any() const {
    return !missing.empty() || !misshapen.empty() || !mistyped.empty() || !ambiguous.empty() ||
           !extra.empty();
  }
  std::string text() const {
    std::string head, lines;
    auto list = [&](const std::vector<std::string> &entries, const char *kind) {
      if (entries.empty())
        return;
      head += (head.empty() ? "" : ", ") + std::to_string(entries.size()) + " " + kind;
      for (size_t i = 0; i < std::min(entries.size(), kMostListed); ++i)
        lines += std::string("\n  ") + kind + ": " + entries[i];
      if (entries.size() > kMostListed)
        lines +=
            std::string("\n  ") + kind + ": and " + std::to_string(entries.size() - kMostListed) + " more";
    };
    list(missing, "missing");
    list(misshapen, "of another shape");
    list(mistyped, "of a type that does not convert");
    list(ambiguous, "ambiguous");
    list(extra, "not wanted");
    return head + lines;
  }
};

class Matcher {
public:
  Matcher(const WeightFiles &files, const std::vector<WantedWeight> &wanted, const MatchOptions &options)
      : files_(files), wanted_(wanted), options_(options) {
    for (const auto &[name, tensor] : files.tensors())
      byBareName_.emplace(bareName(name), &name);
  }

  StatusOr<WeightMatch> run() {
    for (const WantedWeight &weight : wanted_)
      matchOne(weight);
    for (const auto &[name, tensor] : files_.tensors())
      if (!used_.contains(&name))
        HEDDLE_RETURN_IF_ERROR(judgeExtra(name, tensor));
    if (misfits_.any())
      return invalidInput(files_.path() + " does not fit the model: " + misfits_.text());
    return std::move(match_);
  }

private:
  /// The file's own key of the tensor for a wanted name; null where there is none or no single one.
  const std::string *find(const WantedWeight &weight) {
    auto exact = files_.tensors().find(weight.name);
    if (exact != files_.tensors().end())
      return &exact->first;
    auto [begin, end] = byBareName_.equal_range(bareName(weight.name));
    if (begin == end) {
      misfits_.missing.push_back(shown(weight.name) + " " + shapeOf(weight));
      return nullptr;
    }
    if (std::next(begin) != end) {
      misfits_.ambiguous.push_back(shown(weight.name) + ": " + shown(*begin->second) + " or " +
                                   shown(*std::next(begin)->second));
      for (; begin != end; ++begin)
        used_.insert(begin->second);
      return nullptr;
    }
    return begin->second;
  }

  void matchOne(const WantedWeight &weight) {
    const std::string *name = find(weight);
    if (!name)
      return;
    used_.insert(name);
    const WeightTensor &tensor = files_.tensors().at(*name);
    std::string line = shown(*name) + ": wanted " + shapeOf(weight) + ", found " + describe(*tensor.stored);
    if (tensor.stored->shape != weight.shape)
      misfits_.misshapen.push_back(line);
    else if (!converts(tensor.stored->dtype, weight.dtype))
      misfits_.mistyped.push_back(line);
    else
      match_.byName[weight.name] = tensor;
  }

  Status judgeExtra(const std::string &name, const WeightTensor &tensor) {
    std::string bare = bareName(name);
    std::optional<int64_t> layer = layerOf(bare);
    if (matchesAny(name, kTables) || (options_.layers && layer && *layer >= *options_.layers))
      return Status::ok();
    bool tied = matchesAny(bare, kTied);
    if (tied)
      for (const auto &[wantedName, other] : match_.byName)
        if (other.stored->shape == tensor.stored->shape &&
            other.stored->typeName == tensor.stored->typeName) {
          HEDDLE_ASSIGN_OR_RETURN(bool same, sameBytes(tensor, other));
          if (same)
            return Status::ok();
        }
    if (ofUnusedHead(bare)) {
      match_.unusedHeads.push_back(name);
      return Status::ok();
    }
    misfits_.extra.push_back(
        shown(name) + " " + describe(*tensor.stored) +
        (tied ? "; a tied head must equal a wanted tensor, this one differs from all" : ""));
    return Status::ok();
  }

  bool ofUnusedHead(std::string_view bare) const {
    for (std::string_view head : kHeads)
      if (bare.starts_with(head))
        return std::none_of(wanted_.begin(), wanted_.end(), [&](const WantedWeight &weight) {
          return bareName(weight.name).starts_with(head);
        });
    return false;
  }

  static std::string shapeOf(const WantedWeight &weight) { return describe(weight.dtype, weight.shape); }

  const WeightFiles &files_;
  const std::vector<WantedWeight> &wanted_;
  const MatchOptions &options_;
  std::multimap<std::string, const std::string *> byBareName_;
  std::set<const std::string *> used_; ///< The files' own keys.
  Misfits misfits_;
  WeightMatch match_;
};

} // namespace

std::optional<int64_t> layerOf(std::string_view name) {
  while (!name.empty()) {
    std::string_view part = name.substr(0, name.find('.'));
    // Nine digits fit.
    if (!part.empty() && part.size() <= 9 && part.find_first_not_of("0123456789") == std::string_view::npos)
      return std::stoll(std::string(part));
    name.remove_prefix(std::min(name.size(), part.size() + 1));
  }
  return std::nullopt;
}

StatusOr<WeightMatch> matchWeights(const WeightFiles &files, const std::vector<WantedWeight> &wanted,
                                   const MatchOptions &options) {
  return Matcher(files, wanted, options).run();
}

} // namespace heddle::runtime
