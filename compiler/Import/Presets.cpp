#include "compiler/Import/Presets.h"

using namespace heddle::import;

namespace {
struct Size {
  const char *name;
  int64_t dModel, dFf, layers, heads;
};
} // namespace

// Pre-norm decoders: RMSNorm, rotary positions in interleaved pairs, SwiGLU, no biases, untied, 10,000
// tokens.
static constexpr Size kSizes[] = {
    {"study:small", 768, 3072, 12, 12},  {"study:medium", 1024, 4096, 24, 16},
    {"study:large", 1280, 5120, 36, 20}, {"study:xl", 2560, 10240, 32, 32},
    {"study:10B", 4608, 12288, 50, 36},
};
static constexpr int64_t kVocabulary = 10000;

std::vector<std::string> heddle::import::presetNames() {
  std::vector<std::string> names;
  for (const Size &size : kSizes)
    names.push_back(size.name);
  return names;
}

heddle::runtime::StatusOr<DecoderSpec> heddle::import::findPreset(std::string_view name) {
  for (const Size &size : kSizes) {
    if (name != size.name)
      continue;
    DecoderSpec spec;
    spec.name = size.name;
    spec.dModel = size.dModel;
    spec.dFf = size.dFf;
    spec.layers = size.layers;
    spec.heads = spec.kvHeads = size.heads;
    spec.headDim = size.dModel / size.heads;
    spec.vocabulary = kVocabulary;
    return spec;
  }
  std::string list;
  for (const Size &size : kSizes)
    list += (list.empty() ? "" : ", ") + std::string(size.name);
  return runtime::invalidInput("unknown preset '" + std::string(name.substr(0, 100)) + "', the presets are " +
                               list);
}
