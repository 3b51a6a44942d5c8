//===- Json.h - JSON from files that are not trusted ------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_BASE_JSON_H
#define HEDDLE_RUNTIME_BASE_JSON_H

#include "runtime/base/Status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// No file that is read here comes near it, and whoever walks a value does so by recursion.
constexpr size_t kMaxJsonDepth = 32;

/// Parses a JSON object. InvalidInput "file:line:column: reason" with the place where reading stopped: where
/// the text is anything else, has a zero byte (the library would take the text to end there), nests deeper
/// than kMaxJsonDepth, or an object in it names one key twice (the library keeps the last of them and says
/// nothing). `file` is what the message begins with; `what` is what a key of the outermost object names:
/// "tensor 'a' is there twice".
StatusOr<nlohmann::json> parseJsonObject(std::string_view text, const std::string &file,
                                         const std::string &what = "field");

/// A name from a file as messages show it: quoted, control characters replaced, cut where it is long.
std::string shown(std::string_view name);
/// A value from a file as messages show it: its JSON text in ASCII, which quotes strings and nothing else,
/// cut where it is long.
std::string shownValue(const nlohmann::json &value);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_BASE_JSON_H
