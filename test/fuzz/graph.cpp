//===- graph.cpp - Fuzzes the reader of textual graphs --------------------===//
//
// What reads as a graph is printed and must then read again.
//
//===----------------------------------------------------------------------===//
#include "compiler/Import/Importer.h"
#include "test/fuzz/Fuzz.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace heddle;

static runtime::StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
read(mlir::MLIRContext &context, const fuzz::Folder &folder, const uint8_t *data, size_t size) {
  ModelRequest request;
  request.model = folder.write("graph.mlir", data, size);
  return import::importModel(&context, request);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const fuzz::Folder folder;
  // A context keeps every type and attribute that it has seen, so it is renewed now and then.
  static std::unique_ptr<mlir::MLIRContext> context;
  static int runs = 0;
  if (runs++ % 1000 == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);

  auto module = read(*context, folder, data, size);
  if (!module) {
    fuzz::requireGoodError(module.status());
    return 0;
  }
  std::string text;
  llvm::raw_string_ostream(text) << **module;
  auto again = read(*context, folder, reinterpret_cast<const uint8_t *>(text.data()), text.size());
  fuzz::require(again.isOk(), "a graph that was read and printed reads again", again.status().message());
  return 0;
}
