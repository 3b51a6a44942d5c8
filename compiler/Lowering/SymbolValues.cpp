#include "compiler/Lowering/SymbolValues.h"
#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"

using namespace heddle;
using namespace heddle::graph;

/// All symbolic extents, each once.
static std::vector<SymbolicDim> symbolicExtents(mlir::Operation *op) {
  std::vector<SymbolicDim> extents;
  llvm::SetVector<mlir::Type> types;
  op->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *inner) {
    for (mlir::Region &region : inner->getRegions())
      for (mlir::Block &block : region)
        types.insert(block.getArgumentTypes().begin(), block.getArgumentTypes().end());
    types.insert(inner->result_type_begin(), inner->result_type_end());
  });
  for (mlir::Type type : types)
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
      for (const SymbolicDim &dim : symbolicShape(tensor))
        if (!dim.isStatic() && !llvm::any_of(extents, [&](const SymbolicDim &other) {
              return other == dim && other.value == dim.value;
            }))
          extents.push_back(dim);
  return extents;
}

mlir::FailureOr<llvm::StringMap<int64_t>> heddle::symbolValues(mlir::Operation *op) {
  std::vector<SymbolicDim> extents = symbolicExtents(op);
  llvm::StringMap<int64_t> values;
  bool changed = true;
  while (changed) {
    changed = false;
    for (const SymbolicDim &dim : extents) {
      int64_t rest = dim.value / dim.coefficient;
      llvm::SmallVector<llvm::StringRef> unknown;
      for (llvm::StringRef symbol : dim.symbols) {
        auto known = values.find(symbol);
        if (known == values.end())
          unknown.push_back(symbol);
        else
          rest /= known->second;
      }
      // A quotient that is not exact contradicts below.
      if (unknown.size() == 1) {
        values[unknown.front()] = std::max<int64_t>(rest, 1);
        changed = true;
      }
    }
  }
  for (const SymbolicDim &dim : extents) {
    int64_t product = dim.coefficient;
    for (llvm::StringRef symbol : dim.symbols) {
      if (!values.contains(symbol))
        return op->emitError() << "no extent gives the value of the symbol \"" << symbol << "\": \""
                               << dim.name() << "\" is known only as a product";
      product *= values.at(symbol);
    }
    if (product != dim.value)
      return op->emitError() << "an extent \"" << dim.name() << "\" is " << dim.value << ", others make it "
                             << product;
  }
  return values;
}
