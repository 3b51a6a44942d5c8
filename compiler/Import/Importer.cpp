#include "compiler/Import/Importer.h"
#include "compiler/Import/ConfigFile.h"
#include "compiler/Import/DecoderBuilder.h"
#include "compiler/Import/GraphFile.h"
#include "compiler/Import/Presets.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace heddle;
using namespace heddle::import;
using runtime::invalidInput;
using runtime::StatusOr;

/// Presets and configurations.
static StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> importSpec(mlir::MLIRContext *context, DecoderSpec spec,
                                                              const ModelRequest &request,
                                                              std::vector<std::string> &warnings,
                                                              std::string *sizes) {
  if (request.layers) {
    if (*request.layers < 1 || *request.layers > spec.layers)
      return invalidInput("layers: wanted 1 to " + std::to_string(spec.layers) + " for " + spec.name +
                          ", found " + std::to_string(*request.layers));
    spec.layers = *request.layers;
  }
  spec.vocabulary = request.vocabulary.value_or(spec.vocabulary);
  DecoderExtents extents{request.batch.value_or(ModelRequest::kDefaultBatch),
                         request.context.value_or(ModelRequest::kDefaultContext)};
  HEDDLE_RETURN_IF_ERROR(validate(spec, extents).with(spec.name));
  // A learned table has no more rows; rotary positions go on, beyond what the weights were trained for.
  if (spec.maxPositions > 0 && extents.seq > spec.maxPositions)
    warnings.push_back(spec.name + ": context " + std::to_string(extents.seq) + " is beyond " +
                       spec.fieldNames["max_positions"] + " " + std::to_string(spec.maxPositions) +
                       ": weights that were trained for that may give nothing of use there");
  if (!(request.dropout >= 0 && request.dropout <= 1))
    return invalidInput("dropout: wanted a probability from 0 to 1, found " +
                        std::to_string(request.dropout));
  if (sizes)
    *sizes = sizesText(spec);
  return buildDecoder(context, spec, extents, {request.loss, request.dropout});
}

StatusOr<mlir::OwningOpRef<mlir::ModuleOp>> heddle::import::importModel(mlir::MLIRContext *context,
                                                                        const ModelRequest &request,
                                                                        std::vector<std::string> *warnings,
                                                                        std::string *sizes) {
  llvm::StringRef model = request.model;
  std::vector<std::string> unwanted;
  std::vector<std::string> &found = warnings ? *warnings : unwanted;
  if (!model.ends_with(".mlir")) {
    if (model.starts_with("study:")) {
      HEDDLE_ASSIGN_OR_RETURN(DecoderSpec spec, findPreset(request.model));
      return importSpec(context, std::move(spec), request, found, sizes);
    }
    if (isConfigPath(request.model)) {
      HEDDLE_ASSIGN_OR_RETURN(DecoderSpec spec, readConfig(request.model, found));
      return importSpec(context, std::move(spec), request, found, sizes);
    }
    std::string presets;
    for (const std::string &name : presetNames())
      presets += (presets.empty() ? "" : ", ") + name;
    return invalidInput(
        "'" + model.take_front(200).str() +
        "' is neither a graph file (*.mlir), a configuration (a folder with config.json, or *.json) nor a "
        "preset (" +
        presets + ")" + (llvm::sys::fs::exists(model) ? "" : "; there is no file or folder of that name"));
  }
  const std::pair<const char *, bool> given[] = {{"batch", request.batch.has_value()},
                                                 {"context", request.context.has_value()},
                                                 {"layers", request.layers.has_value()},
                                                 {"vocabulary", request.vocabulary.has_value()}};
  for (auto [field, present] : given)
    if (present)
      return invalidInput(request.model + ": a graph file states its own extents, " + field +
                          " cannot be set for it");
  if (request.dropout != 0)
    return invalidInput(request.model +
                        ": a graph file states its own dropout (graph.dropout), none can be set for it");
  return readGraphFile(context, request.model);
}
