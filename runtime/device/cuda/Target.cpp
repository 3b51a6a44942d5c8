//===- Target.cpp - Which code runs on which GPU --------------------------===//
#include "runtime/device/cuda/Target.h"

#include <charconv>

using namespace heddle::runtime;

std::optional<CudaTarget> heddle::runtime::parseCudaTarget(std::string_view text) {
  if (text.substr(0, 3) != "sm_")
    return std::nullopt;
  text.remove_prefix(3);
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 10 || number > 9999)
    return std::nullopt;
  CudaTarget target{number / 10, number % 10, 0};
  std::string_view rest = text.substr(end - text.data());
  if (rest == "a" || rest == "f")
    target.suffix = rest[0];
  else if (!rest.empty())
    return std::nullopt;
  return target;
}

std::string heddle::runtime::bestCudaTarget(int major, int minor) {
  return "sm_" + std::to_string(major) + std::to_string(minor) + (major >= 9 ? "a" : "");
}

bool heddle::runtime::cubinRunsOn(const CudaTarget &target, int major, int minor) {
  return target.major == major && (target.suffix == 'a' ? target.minor == minor : target.minor <= minor);
}

bool heddle::runtime::sourceRunsOn(const CudaTarget &target, int major, int minor) {
  if (target.suffix)
    return cubinRunsOn(target, major, minor);
  return target.major < major || (target.major == major && target.minor <= minor);
}
