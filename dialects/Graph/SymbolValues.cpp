#include "dialects/Graph/SymbolValues.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace heddle::graph;

namespace {
struct Extent {
  SymbolicDim dim;
  mlir::Operation *op; ///< The first that has it.
};
} // namespace

/// All symbolic extents, each once: first those of one symbol, both in the order of the text.
static std::vector<Extent> symbolicExtents(mlir::Operation *op) {
  llvm::MapVector<mlir::Type, mlir::Operation *> types;
  op->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *inner) {
    for (mlir::Region &region : inner->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes())
          types.insert({type, inner});
    for (mlir::Type type : inner->getResultTypes())
      types.insert({type, inner});
  });
  std::vector<Extent> extents;
  llvm::StringSet<> seen;
  for (auto [type, first] : types)
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type); tensor && tensor.getEncoding())
      for (const SymbolicDim &dim : symbolicShape(tensor))
        if (!dim.isStatic() && seen.insert(dim.name() + "=" + std::to_string(dim.value)).second)
          extents.push_back({dim, first});
  // What a symbol is where it stands alone is what was meant, and what products are held against.
  std::stable_partition(extents.begin(), extents.end(),
                        [](const Extent &extent) { return extent.dim.symbols.size() == 1; });
  return extents;
}

mlir::FailureOr<llvm::StringMap<int64_t>> heddle::graph::symbolValues(mlir::Operation *op) {
  std::vector<Extent> extents = symbolicExtents(op);
  llvm::StringMap<int64_t> values;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Extent &extent : extents) {
      int64_t rest = extent.dim.value / extent.dim.coefficient;
      llvm::SmallVector<llvm::StringRef> unknown;
      for (llvm::StringRef symbol : extent.dim.symbols) {
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
  for (const auto &[dim, place] : extents) {
    int64_t product = dim.coefficient;
    bool fits = true;
    for (llvm::StringRef symbol : dim.symbols) {
      auto known = values.find(symbol);
      if (known == values.end())
        return place->emitError() << "symbol \"" << symbol << "\" occurs in \"" << dim.name()
                                  << "\" alone, so that its value is not known";
      fits &= !llvm::MulOverflow(product, known->second, product);
    }
    if (fits && product == dim.value)
      continue;
    if (dim.symbols.size() == 1 && dim.coefficient == 1)
      return place->emitError() << "symbol \"" << dim.symbols[0] << "\" is " << dim.value << " here and "
                                << product << " before";
    auto error = place->emitError() << "extent " << dim.value << " is called \"" << dim.name()
                                    << "\", which is ";
    return fits ? error << product : error << "more than any extent";
  }
  return values;
}
