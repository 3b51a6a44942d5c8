//===- JsonFile.h - Reading a JSON description ------------------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_JSONFILE_H
#define HEDDLE_COMPILER_IMPORT_JSONFILE_H

#include "runtime/base/Status.h"

#include <nlohmann/json.hpp>

#include <string>

namespace heddle::import {

/// No description of a model comes near it.
constexpr size_t kMaxJsonBytes = 1 << 20;

/// The object in a file. InvalidInput as parseJsonObject; "file: reason" where there is no such file or it is
/// too large.
runtime::StatusOr<nlohmann::json> readJsonObject(const std::string &path);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_JSONFILE_H
