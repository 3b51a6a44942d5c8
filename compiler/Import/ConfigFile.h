//===- ConfigFile.h - From config.json to a description ---------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_IMPORT_CONFIGFILE_H
#define HEDDLE_COMPILER_IMPORT_CONFIGFILE_H

#include "compiler/Import/DecoderSpec.h"

#include <string>
#include <vector>

namespace heddle::import {

/// Whether MODEL names a configuration: a path that ends in .json, or a folder.
bool isConfigPath(const std::string &model);

/// Reads a config.json, or the one in a folder, by its family's table (Families.h). `null` and an absent
/// field are the same. InvalidInput names file and field, what was wanted and what was found; a model_type
/// without a table is refused with the first feature that is missing. One warning lists the fields that no
/// table knows. The description still has to be checked by `validate`, whose messages then use the file's
/// names.
runtime::StatusOr<DecoderSpec> readConfig(const std::string &model, std::vector<std::string> &warnings);

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_CONFIGFILE_H
