//===- SavedFlags.cpp - Flags that a checkpoint remembers -----------------===//
#include "tools/heddle/Support/SavedFlags.h"

#include <algorithm>
#include <charconv>

namespace heddle::driver {

using namespace runtime;
using Json = nlohmann::json;

std::string Range::text() const {
  auto number = [](double value) {
    return Json(value == static_cast<int64_t>(value) ? Json(int64_t(value)) : Json(value)).dump();
  };
  if (most == std::numeric_limits<double>::infinity())
    return "from " + number(least) + " on";
  return "from " + number(least) + (open ? " to below " : " to ") + number(most);
}

Json valuesOf(const std::vector<SavedFlag> &flags) {
  Json values = Json::object();
  for (const SavedFlag &flag : flags)
    std::visit(
        [&](auto *value) {
          if constexpr (std::is_same_v<decltype(value), std::optional<int64_t> *>)
            values[flag.name] = *value ? Json(**value) : Json();
          else
            values[flag.name] = *value;
        },
        flag.value);
  return values;
}

std::string wanted(const SavedFlag &flag, const Json &value) {
  bool optional = std::holds_alternative<std::optional<int64_t> *>(flag.value);
  if (std::holds_alternative<std::string *>(flag.value)) {
    std::string words;
    for (const std::string &word : flag.words) {
      if (value == word)
        return "";
      words += (words.empty() ? "" : ", ") + word;
    }
    return "one of " + words;
  }
  if (optional && value.is_null())
    return "";
  if (std::holds_alternative<double *>(flag.value))
    return value.is_number() && flag.range.contains(value.get<double>()) ? ""
                                                                         : "a number " + flag.range.text();
  // Whole numbers up to 2^64 - 1 are a seed's alone.
  bool whole = value.is_number_integer() &&
               (std::holds_alternative<uint64_t *>(flag.value)
                    ? value.is_number_unsigned()
                    : !value.is_number_unsigned() ||
                          value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()});
  return whole && flag.range.contains(value.get<double>()) ? "" : "a whole number " + flag.range.text();
}

Json valueOf(const SavedFlag &flag, std::string_view text) {
  auto read = [&](auto number) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? Json(number) : Json(text);
  };
  if (std::holds_alternative<std::string *>(flag.value))
    return text;
  if (std::holds_alternative<double *>(flag.value))
    return read(double{});
  return std::holds_alternative<uint64_t *>(flag.value) ? read(uint64_t{}) : read(int64_t{});
}

std::string changeOf(const std::string &name, const Json &now, const Json &saved) {
  return name + " " + now.dump(-1, ' ', false, Json::error_handler_t::replace) + " instead of " +
         saved.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<std::string> changesOf(const std::vector<SavedFlag> &flags, const Json &saved) {
  std::vector<std::string> changes;
  Json now = valuesOf(flags);
  for (const SavedFlag &flag : flags)
    if (const Json &before = saved[flag.name]; !flag.given && !before.is_null() && now[flag.name] != before)
      changes.push_back(changeOf(flag.name, now[flag.name], before));
  return changes;
}

StatusOr<std::vector<std::string>> restore(const std::vector<SavedFlag> &flags, const Json &saved,
                                           const std::string &file) {
  if (!saved.is_object())
    return invalidInput(file + ": wanted an object of settings, found " + shownValue(saved));
  for (const SavedFlag &flag : flags) {
    if (!saved.contains(flag.name) && flag.later)
      continue;
    if (!saved.contains(flag.name))
      return invalidInput(file + ": no setting " + shown(flag.name));
    if (std::string text = wanted(flag, saved[flag.name]); !text.empty())
      return invalidInput(file + ": setting " + shown(flag.name) + ": wanted " + text + ", found " +
                          shownValue(saved[flag.name]));
  }
  for (const auto &item : saved.items())
    if (std::none_of(flags.begin(), flags.end(),
                     [&](const SavedFlag &flag) { return flag.name == item.key(); }))
      return invalidInput(file + ": unknown setting " + shown(item.key()));

  std::vector<std::string> changes;
  Json given = valuesOf(flags);
  for (const SavedFlag &flag : flags) {
    if (!saved.contains(flag.name))
      continue;
    const Json &value = saved[flag.name];
    if (flag.given) {
      if (given[flag.name] != value)
        changes.push_back(changeOf("--" + flag.name, given[flag.name], value));
      continue;
    }
    std::visit(
        [&](auto *target) {
          if constexpr (std::is_same_v<decltype(target), std::optional<int64_t> *>)
            *target = value.is_null() ? std::nullopt : std::optional(value.get<int64_t>());
          else
            *target = value.get<std::remove_pointer_t<decltype(target)>>();
        },
        flag.value);
  }
  return changes;
}

} // namespace heddle::driver
