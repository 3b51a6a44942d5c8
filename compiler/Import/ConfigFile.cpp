//===- ConfigFile.cpp - From config.json to a description -----------------===//
#include "compiler/Import/ConfigFile.h"
#include "compiler/Import/Families.h"
#include "compiler/Import/JsonFile.h"

#include "runtime/base/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <limits>
#include <set>

using namespace heddle::import;
using heddle::runtime::invalidInput;
using heddle::runtime::shownValue;
using heddle::runtime::Status;
using heddle::runtime::StatusOr;
using Json = nlohmann::json;

namespace {

/// Names of transformers' activations that are one formula are one here. gelu_fast is the tanh form too.
struct ActivationName {
  const char *name;
  Activation activation;
};
constexpr ActivationName kActivations[] = {
    {"silu", Activation::Silu},          {"swish", Activation::Silu},
    {"gelu", Activation::GeluErf},       {"gelu_new", Activation::GeluTanh},
    {"relu", Activation::Relu},          {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh},
};

/// A number in the object that scales rotary positions.
struct RotaryPart {
  const char *name; ///< In the object.
  const char *what; ///< In messages of `validate`, which then say `name`.
  std::variant<double RotaryScaling::*, int64_t RotaryScaling::*> target;
  const char *number; ///< What is wanted where it is missing, up to the kind of scaling.
  bool wavelengths;   ///< Wanted for scaling by wavelength alone.
};
constexpr RotaryPart kRotaryParts[] = {
    {"factor", "rotary_factor", &RotaryScaling::factor, "a number for ", false},
    {"low_freq_factor", "rotary_low", &RotaryScaling::low, "a number for ", true},
    {"high_freq_factor", "rotary_high", &RotaryScaling::high, "a number for ", true},
    {"original_max_position_embeddings", "rotary_original", &RotaryScaling::originalPositions,
     "an integer for ", true},
};

Status wanted(const std::string &field, const std::string &want, const Json *found) {
  return invalidInput(field + ": wanted " + want + ", found " + (found ? shownValue(*found) : "nothing"));
}

/// One object of the file; remembers which fields were asked for.
class Reader {
public:
  /// `prefix` stands in front of the fields' names in messages.
  explicit Reader(const Json &object, std::string prefix = "")
      : object_(object), prefix_(std::move(prefix)) {}

  /// The value of a field, or null where it is absent or `null`.
  const Json *find(const std::string &name) {
    known_.insert(name);
    auto it = object_.find(name);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
  }
  /// The same under any of its names; `name` becomes the one found. Two that differ are an error.
  StatusOr<const Json *> findAlias(std::string &name, const std::vector<const char *> &aliases);

  Status read(const std::string &name, const Json &value, int64_t &out, int64_t least = 1);
  Status read(const std::string &name, const Json &value, double &out);
  Status read(const std::string &name, const Json &value, bool &out);
  Status read(const std::string &name, const Json &value, Activation &out);
  Status read(const std::string &name, const Json &value, RotaryScaling &out);
  Status read(const std::string &name, const Json &value, std::vector<bool> &out);
  template <typename T>
  Status read(const std::string &name, const Json &value, std::optional<T> &out) {
    return read(name, value, out.emplace());
  }
  /// Nothing happens where the field is absent.
  template <typename T>
  Status readIfThere(const std::string &name, T &out) {
    const Json *value = find(name);
    return value ? read(name, *value, out) : Status::ok();
  }

  void know(const char *name) { known_.insert(name); }
  /// Fields nobody asked for, those of objects that were read included.
  std::vector<std::string> unknown() const;

private:
  const Json &object_;
  std::string prefix_;
  std::set<std::string> known_;
  std::vector<std::string> unknownInside_;
};

} // namespace

StatusOr<const Json *> Reader::findAlias(std::string &name, const std::vector<const char *> &aliases) {
  const Json *value = find(name);
  for (const char *alias : aliases) {
    const Json *other = find(alias);
    if (value && other && *value != *other)
      return invalidInput(prefix_ + name + " is " + shownValue(*value) + " and " + alias +
                          ", another name of it, " + shownValue(*other));
    if (!value && other) {
      value = other;
      name = alias;
    }
  }
  return value;
}

Status Reader::read(const std::string &name, const Json &value, int64_t &out, int64_t least) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (!value.is_number_integer() || value < least || value > kMax)
    return wanted(prefix_ + name, "an integer from " + std::to_string(least) + " to " + std::to_string(kMax),
                  &value);
  out = value.get<int64_t>();
  return Status::ok();
}

Status Reader::read(const std::string &name, const Json &value, double &out) {
  if (!value.is_number())
    return wanted(prefix_ + name, "a number", &value);
  out = value.get<double>();
  return Status::ok();
}

Status Reader::read(const std::string &name, const Json &value, bool &out) {
  if (!value.is_boolean())
    return wanted(prefix_ + name, "true or false", &value);
  out = value.get<bool>();
  return Status::ok();
}

Status Reader::read(const std::string &name, const Json &value, Activation &out) {
  std::string names;
  for (const ActivationName &activation : kActivations) {
    names += (names.empty() ? "" : ", ") + std::string(activation.name);
    if (value == activation.name) {
      out = activation.activation;
      return Status::ok();
    }
  }
  return wanted(prefix_ + name, "one of " + names, &value);
}

Status Reader::read(const std::string &name, const Json &value, RotaryScaling &out) {
  if (!value.is_object())
    return wanted(prefix_ + name, "an object", &value);
  Reader inner(value, prefix_ + name + ".");
  std::string kindName = "rope_type";
  HEDDLE_ASSIGN_OR_RETURN(const Json *kind, inner.findAlias(kindName, {"type"}));
  if (!kind || *kind == "default")
    out.kind = RotaryScaling::Kind::None;
  else if (*kind == "linear")
    out.kind = RotaryScaling::Kind::Linear;
  else if (*kind == "llama3")
    out.kind = RotaryScaling::Kind::ByWavelength;
  else
    return wanted(prefix_ + name + "." + kindName, "default, linear or llama3", kind);

  for (const RotaryPart &part : kRotaryParts) {
    const Json *number = inner.find(part.name);
    bool required = out.kind == RotaryScaling::Kind::ByWavelength ||
                    (out.kind == RotaryScaling::Kind::Linear && !part.wavelengths);
    if (!number && required)
      return wanted(prefix_ + name + "." + part.name, std::string(part.number) + kind->get<std::string>(),
                    nullptr);
    if (number)
      HEDDLE_RETURN_IF_ERROR(
          std::visit([&](auto target) { return inner.read(part.name, *number, out.*target); }, part.target));
  }
  HEDDLE_RETURN_IF_ERROR(inner.readIfThere("rope_theta", out.theta));
  llvm::append_range(unknownInside_, inner.unknown());
  return Status::ok();
}

/// true for a layer whose attention has a window.
Status Reader::read(const std::string &name, const Json &value, std::vector<bool> &out) {
  const char *want = "a list of full_attention and sliding_attention";
  if (!value.is_array())
    return wanted(prefix_ + name, want, &value);
  for (const Json &kind : value) {
    if (kind != "full_attention" && kind != "sliding_attention")
      return wanted(prefix_ + name, want, &kind);
    out.push_back(kind == "sliding_attention");
  }
  return Status::ok();
}

std::vector<std::string> Reader::unknown() const {
  std::vector<std::string> names;
  for (const auto &[name, value] : object_.items())
    if (!known_.contains(name))
      names.push_back(prefix_ +
                      (name.size() <= 60 && llvm::all_of(name, llvm::isPrint) ? name : shownValue(name)));
  llvm::append_range(names, unknownInside_);
  return names;
}

static Status readField(Reader &reader, const Field &field, DecoderSpec &spec) {
  std::string name = field.name;
  HEDDLE_ASSIGN_OR_RETURN(const Json *value, reader.findAlias(name, field.aliases));
  if (field.onlyIf) {
    bool enabled = false;
    HEDDLE_RETURN_IF_ERROR(reader.readIfThere(field.onlyIf, enabled));
    if (!enabled)
      return Status::ok();
  }
  spec.fieldNames[field.what] = name;
  if (std::holds_alternative<RotaryScaling DecoderSpec::*>(field.target))
    for (const RotaryPart &part : kRotaryParts)
      spec.fieldNames[part.what] = name + "." + part.name;
  if (!value)
    return field.required ? wanted(name, "a value", nullptr) : Status::ok();
  if (const auto *integer = std::get_if<int64_t DecoderSpec::*>(&field.target))
    return reader.read(name, *value, spec.*(*integer), field.least);
  return std::visit([&](auto target) { return reader.read(name, *value, spec.*target); }, field.target);
}

static Status checkFixed(Reader &reader, const FixedField &field) {
  const Json *value = reader.find(field.name);
  if (!value || *value == Json::parse(field.wanted))
    return Status::ok();
  return invalidInput(std::string(field.name) + ": wanted " + field.wanted + ", found " + shownValue(*value) +
                      ": " + field.feature + " is not there");
}

/// What follows from other fields where the file is silent.
static Status derive(DecoderSpec &spec) {
  auto name = [&](const char *what) { return spec.fieldNames[what]; };
  if (spec.kvHeads == 0)
    spec.kvHeads = spec.heads;
  if (spec.headDim == 0) {
    if (spec.dModel % spec.heads != 0)
      return invalidInput(name("heads") + ": wanted a divisor of " + name("d_model") + " " +
                          std::to_string(spec.dModel) + ", found " + std::to_string(spec.heads));
    spec.headDim = spec.dModel / spec.heads;
  }
  if (spec.dFf == 0)
    spec.dFf = 4 * spec.dModel;
  if (spec.rotaryScaling.theta)
    spec.theta = *spec.rotaryScaling.theta;
  return Status::ok();
}

/// One text for all fields that no table knows, or an empty one.
static std::string warningFor(const std::vector<std::string> &unknown) {
  constexpr size_t kNamed = 20;
  std::string text;
  for (size_t i = 0; i < std::min(unknown.size(), kNamed); ++i)
    text += (i ? ", " : "") + unknown[i];
  if (unknown.size() > kNamed)
    text += " and " + std::to_string(unknown.size() - kNamed) + " more";
  return text.empty() ? text : (unknown.size() == 1 ? "unknown field " : "unknown fields ") + text;
}

static StatusOr<DecoderSpec> fromJson(const Json &object, std::vector<std::string> &warnings) {
  Reader reader(object);
  const Json *type = reader.find("model_type");
  if (!type || !type->is_string())
    return wanted("model_type", "one of " + familyNames(), type);
  const auto &modelType = type->get_ref<const std::string &>();
  const Family *family = findFamily(modelType);
  if (!family) {
    const char *feature = missingFeature(modelType);
    Status status = wanted("model_type", "one of " + familyNames(), type);
    return feature ? invalidInput(status.message() + ": " + feature + " is not there") : status;
  }
  for (const auto *names : {&ignoredFields(), &family->ignored})
    for (const char *name : *names)
      reader.know(name);
  for (const auto *fixed : {&fixedFields(), &family->fixed})
    for (const FixedField &field : *fixed)
      reader.know(field.name);
  for (const Field &field : family->fields) {
    reader.know(field.name);
    for (const char *alias : field.aliases)
      reader.know(alias);
    if (field.onlyIf)
      reader.know(field.onlyIf);
  }
  DecoderSpec spec = family->common;
  auto fill = [&]() -> Status {
    for (const auto *fixed : {&fixedFields(), &family->fixed})
      for (const FixedField &field : *fixed)
        HEDDLE_RETURN_IF_ERROR(checkFixed(reader, field));
    for (const Field &field : family->fields)
      HEDDLE_RETURN_IF_ERROR(readField(reader, field, spec));
    return derive(spec);
  };
  Status status = fill();
  std::string warning = warningFor(reader.unknown());
  // What is missed may be there under a name that no table knows.
  if (!status.isOk())
    return warning.empty() ? status : invalidInput(status.message() + " (the file has " + warning + ")");
  if (!warning.empty())
    warnings.push_back(warning);
  return spec;
}

bool heddle::import::isConfigPath(const std::string &model) {
  return llvm::StringRef(model).ends_with(".json") || llvm::sys::fs::is_directory(model);
}

StatusOr<DecoderSpec> heddle::import::readConfig(const std::string &model,
                                                 std::vector<std::string> &warnings) {
  std::string path = model;
  if (llvm::sys::fs::is_directory(model)) {
    llvm::SmallString<256> inside(model);
    llvm::sys::path::append(inside, "config.json");
    path = inside.str().str();
    if (!llvm::sys::fs::exists(path))
      return invalidInput(model + ": wanted a folder with a config.json, found none in it");
  }
  HEDDLE_ASSIGN_OR_RETURN(Json object, readJsonObject(path));
  std::vector<std::string> found;
  StatusOr<DecoderSpec> spec = fromJson(object, found);
  if (!spec)
    return std::move(spec).status().with(path);
  for (const std::string &warning : found)
    warnings.push_back(path + ": " + warning);
  spec->name = path;
  return spec;
}
