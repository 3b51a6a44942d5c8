//===- Families.h - What config.json means, family by family ----*- C++ -*-===//
//
// A family is a table: what all its models have in common, the fields that say the rest, and the fields whose
// other values would be another architecture. ConfigFile.cpp reads every family by the same code.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_H

#include "compiler/Import/DecoderSpec.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::import {

/// Where a field's value goes. Its type says what the file must hold: an integer, a number, a
/// boolean, an activation's name, an object that scales rotary positions, a list of each layer's kind of
/// attention.
using FieldTarget =
    std::variant<int64_t DecoderSpec::*, std::optional<int64_t> DecoderSpec::*, double DecoderSpec::*,
                 std::optional<double> DecoderSpec::*, bool DecoderSpec::*, Activation DecoderSpec::*,
                 RotaryScaling DecoderSpec::*, std::vector<bool> DecoderSpec::*>;

struct Field {
  const char *name; ///< In config.json.
  const char *what; ///< In messages of `validate`, which then say `name`.
  FieldTarget target;
  bool required = false;                  ///< Else what the family has in common holds where it is absent.
  std::vector<const char *> aliases = {}; ///< Other names of it; both together must agree.
  const char *onlyIf = nullptr;           ///< Read only where this boolean field is true.
  int64_t least = 1;                      ///< Of an integer.
};

/// A field that may have one value only: any other asks for `feature`.
struct FixedField {
  const char *name;
  const char *wanted; ///< As JSON text.
  const char *feature;
};

struct Family {
  const char *modelType;
  DecoderSpec common;
  std::vector<Field> fields;
  std::vector<FixedField> fixed;
  std::vector<const char *> ignored; ///< Known, and without meaning for a forward pass.
};

/// The family of a model_type, or null.
const Family *findFamily(std::string_view modelType);
/// "bert, gpt2, …".
std::string familyNames();
/// What a model_type that is known needs and the builder lacks, or null.
const char *missingFeature(std::string_view modelType);

/// Fields of any family.
const std::vector<FixedField> &fixedFields();
const std::vector<const char *> &ignoredFields();

} // namespace heddle::import

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_H
