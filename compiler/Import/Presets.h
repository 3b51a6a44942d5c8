//===- Presets.h - The study's models by name -------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_PRESETS_H
#define HEDDLE_COMPILER_IMPORT_PRESETS_H

#include "compiler/Import/DecoderSpec.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::import {

/// "study:small" … "study:10B", from the smallest to the largest.
std::vector<std::string> presetNames();

/// The preset's description, or InvalidInput that lists all presets.
runtime::StatusOr<DecoderSpec> findPreset(std::string_view name);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_PRESETS_H
