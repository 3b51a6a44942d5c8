//===- Json.cpp - JSON from files that are not trusted --------------------===//
#include "runtime/tooling/Json.h"

#include <set>
#include <vector>

namespace heddle::runtime {

using Json = nlohmann::json;

StatusOr<Json> parseJsonObject(std::string_view text, const std::string &what) {
  // Names of every object that is open; the outermost object's keys are at depth 1.
  std::vector<std::set<std::string>> open;
  std::string twice;
  // Whoever walks a value does so by recursion.
  constexpr int kMostLevels = 32;
  bool tooDeep = false;
  auto callback = [&](int depth, Json::parse_event_t event, Json &parsed) {
    bool starts = event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    tooDeep = tooDeep || (starts && depth >= kMostLevels);
    if (event == Json::parse_event_t::object_start)
      open.emplace_back();
    else if (event == Json::parse_event_t::object_end)
      open.pop_back();
    else if (event == Json::parse_event_t::key && twice.empty() &&
             !open.back().insert(parsed.get<std::string>()).second)
      twice = (depth == 1 ? what : "field") + " " + shown(parsed.get<std::string>()) + " is there twice";
    return !tooDeep; // What is left out is not built; the parser itself needs no stack.
  };
  if (text.find('\0') != std::string_view::npos) // There the library would take the text to end.
    return invalidInput("no JSON: a byte of it is zero");
  Json object = Json::parse(text, callback, /*allow_exceptions=*/false);
  if (tooDeep)
    return invalidInput("JSON nested deeper than " + std::to_string(kMostLevels) + " levels");
  if (object.is_discarded() || !object.is_object())
    return invalidInput("no JSON object");
  if (!twice.empty())
    return invalidInput(twice);
  return object;
}

std::string shown(std::string_view name) {
  constexpr size_t kMost = 200;
  std::string text = "'";
  for (char c : name.substr(0, kMost))
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + (name.size() > kMost ? "…'" : "'");
}

} // namespace heddle::runtime
