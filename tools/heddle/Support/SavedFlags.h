//===- SavedFlags.h - Flags that a checkpoint remembers ---------*- C++ -*-===//
//
// A training that is resumed goes on with the values that it had: a flag that is not given takes the saved
// one, a flag that is given wins and is named. One table says which flags those are and what their values may
// be, for the command line and for the file alike.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_TOOLS_HEDDLE_SUPPORT_SAVEDFLAGS_H
#define HEDDLE_TOOLS_HEDDLE_SUPPORT_SAVEDFLAGS_H

#include "runtime/base/Json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::driver {

/// Numbers that a flag takes: least to most; without `most` itself where it is open.
struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool open = false;

  /// Never true of NaN and infinity.
  bool contains(double value) const {
    return std::isfinite(value) && value >= least && (open ? value < most : value <= most);
  }
  std::string text() const; ///< "from 0 to below 1", "from 1 on".
};

struct SavedFlag {
  std::string name; ///< "lr" for --lr.
  std::variant<int64_t *, uint64_t *, double *, std::string *, std::optional<int64_t> *> value;
  Range range{};                    ///< Of numbers.
  std::vector<std::string> words{}; ///< Of texts.
  bool later = false; ///< Checkpoints made before there was such a flag lack it: they had its default.
  bool given = false; ///< On the command line.
};

/// What a flag wants, as messages say it ("a whole number from 1 on"), or nothing where `value` is that.
std::string wanted(const SavedFlag &flag, const nlohmann::json &value);

/// The text of a command line as the value of a flag that it stands for; a text that is no number where the
/// flag has one stays a text, which `wanted` refuses.
nlohmann::json valueOf(const SavedFlag &flag, std::string_view text);

/// An object with each flag's value by name; null for an optional one without.
nlohmann::json valuesOf(const std::vector<SavedFlag> &flags);

/// Gives the flags that were not given the values of `saved`. Returns what the given ones change, a line
/// each:
/// "--lr 0.1 instead of 0.001". InvalidInput, before anything is changed, begins with `file` and names a
/// value that is missing, unknown or not allowed.
runtime::StatusOr<std::vector<std::string>> restore(const std::vector<SavedFlag> &flags,
                                                    const nlohmann::json &saved, const std::string &file);

/// How a change is told: `lr 0.1 instead of 0.001`; texts are quoted.
std::string changeOf(const std::string &name, const nlohmann::json &now, const nlohmann::json &saved);

/// What became of values that were restored and that the model then decided: a line for each flag that was
/// not given and is now other than `saved`, an object that `restore` took. A saved null said nothing.
std::vector<std::string> changesOf(const std::vector<SavedFlag> &flags, const nlohmann::json &saved);

} // namespace heddle::driver

#endif // HEDDLE_TOOLS_HEDDLE_SUPPORT_SAVEDFLAGS_H
