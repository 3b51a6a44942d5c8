//===- config.cpp - Fuzzes the reader of config.json ----------------------===//
//
// What reads as a description and is valid becomes a graph, cut to two layers, and that graph verifies.
//
//===----------------------------------------------------------------------===//
#include "compiler/Import/ConfigFile.h"
#include "compiler/Import/DecoderBuilder.h"
#include "test/fuzz/Fuzz.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <memory>

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fuzz::Folder folder;
  // A context keeps every type and attribute that it has seen, so it is renewed now and then.
  static std::unique_ptr<mlir::MLIRContext> context;
  static int runs = 0;
  if (runs++ % 1000 == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);

  std::vector<std::string> warnings;
  runtime::StatusOr<import::DecoderSpec> spec =
      import::readConfig(folder.write("config.json", data, size), warnings);
  if (!spec) {
    fuzz::requireGoodError(spec.status());
    return 0;
  }
  spec->layers = std::min<int64_t>(spec->layers, 2);
  import::DecoderExtents extents{1, 8};
  if (runtime::Status status = validate(*spec, extents); !status) {
    fuzz::requireGoodError(status);
    return 0;
  }
  mlir::OwningOpRef<mlir::ModuleOp> module = buildDecoder(context.get(), *spec, extents);
  fuzz::require(module && mlir::succeeded(mlir::verify(*module)), "a valid description makes a graph");
  return 0;
}
