//===- Json.h - JSON from files that are not trusted ------------*- C++ -*-===//
#ifndef HEDDLE_RUNTIME_TOOLING_JSON_H
#define HEDDLE_RUNTIME_TOOLING_JSON_H

#include "runtime/base/Status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heddle::runtime {

/// Parses a JSON object. InvalidInput where the text is anything else, and where an object in it names one
/// key twice (the library keeps the last of them and says nothing); `what` is what a key names: "tensor 'a'
/// is there twice".
StatusOr<nlohmann::json> parseJsonObject(std::string_view text, const std::string &what);

/// A name from a file as messages show it: quoted, control characters replaced, cut where it is long.
std::string shown(std::string_view name);

} // namespace heddle::runtime

#endif // HEDDLE_RUNTIME_TOOLING_JSON_H
