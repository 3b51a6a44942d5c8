#include "dialects/Graph/SymbolicDim.h"
#include "dialects/Graph/GraphDialect.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace heddle::graph;

std::string SymbolicDim::name() const {
  if (isStatic())
    return "";
  std::string product = llvm::join(symbols, "*");
  return coefficient == 1 ? product : std::to_string(coefficient) + "*" + product;
}

std::string SymbolicDim::str() const { return isStatic() ? std::to_string(coefficient) : name(); }

std::optional<SymbolicDim> SymbolicDim::parse(llvm::StringRef name, int64_t value) {
  if (name.empty())
    return fixed(value);
  SymbolicDim dim;
  dim.value = value;
  llvm::SmallVector<llvm::StringRef> factors;
  name.split(factors, '*');
  for (auto [index, factor] : llvm::enumerate(factors)) {
    int64_t number;
    if (index == 0 && !factor.getAsInteger(10, number)) {
      if (number <= 0)
        return std::nullopt;
      dim.coefficient = number;
      continue;
    }
    if (factor.empty() || !(llvm::isAlpha(factor[0]) || factor[0] == '_') ||
        !llvm::all_of(factor, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      return std::nullopt;
    dim.symbols.push_back(factor);
  }
  if (dim.symbols.empty() || !std::is_sorted(dim.symbols.begin(), dim.symbols.end()) ||
      value % dim.coefficient != 0)
    return std::nullopt;
  return dim;
}

SymbolicDim SymbolicDim::times(const SymbolicDim &other) const {
  SymbolicDim product{coefficient * other.coefficient, symbols, value * other.value};
  product.symbols.append(other.symbols.begin(), other.symbols.end());
  llvm::sort(product.symbols);
  return product;
}

std::optional<SymbolicDim> SymbolicDim::dividedBy(const SymbolicDim &other) const {
  if (other.coefficient == 0 || coefficient % other.coefficient != 0)
    return std::nullopt;
  SymbolicDim quotient{coefficient / other.coefficient, symbols, other.value == 0 ? 0 : value / other.value};
  for (llvm::StringRef symbol : other.symbols) {
    auto it = llvm::find(quotient.symbols, symbol);
    if (it == quotient.symbols.end())
      return std::nullopt;
    quotient.symbols.erase(it);
  }
  return quotient;
}

SymbolicShape heddle::graph::symbolicShape(mlir::RankedTensorType type) {
  SymbolicShape shape;
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(type.getEncoding());
  for (auto [index, extent] : llvm::enumerate(type.getShape())) {
    std::optional<SymbolicDim> dim;
    if (dims && index < dims.getNames().size())
      dim = SymbolicDim::parse(dims.getNames()[index].getValue(), extent);
    shape.push_back(dim ? *dim : SymbolicDim::fixed(extent));
  }
  return shape;
}

mlir::RankedTensorType heddle::graph::tensorType(mlir::MLIRContext *context,
                                                 llvm::ArrayRef<SymbolicDim> shape, mlir::Type elementType) {
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::StringAttr> names;
  for (const SymbolicDim &dim : shape) {
    extents.push_back(dim.value);
    names.push_back(mlir::StringAttr::get(context, dim.name()));
  }
  bool symbolic = llvm::any_of(shape, [](const SymbolicDim &dim) { return !dim.isStatic(); });
  return mlir::RankedTensorType::get(extents, elementType,
                                     symbolic ? DimsAttr::get(context, names) : DimsAttr());
}

mlir::RankedTensorType heddle::graph::withElementType(mlir::RankedTensorType type, mlir::Type elementType) {
  return mlir::RankedTensorType::get(type.getShape(), elementType, type.getEncoding());
}

SymbolicDim heddle::graph::elementCount(llvm::ArrayRef<SymbolicDim> shape) {
  SymbolicDim count;
  for (const SymbolicDim &dim : shape)
    count = count.times(dim);
  return count;
}
