#include "dialects/Graph/GraphDialect.h"
#include "dialects/Graph/SymbolicDim.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle::graph;

#define GET_ATTRDEF_CLASSES
#include "dialects/Graph/GraphAttrs.cpp.inc"
#include "dialects/Graph/GraphEnums.cpp.inc"

llvm::LogicalResult DimsAttr::verifyEncoding(mlir::ArrayRef<int64_t> shape, mlir::Type elementType,
                                             llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const {
  if (getNames().size() != shape.size())
    return emitError() << "#graph.dims names " << getNames().size() << " dimensions of a tensor of rank "
                       << shape.size();
  for (auto [name, extent] : llvm::zip_equal(getNames(), shape))
    if (!SymbolicDim::parse(name.getValue(), extent))
      return emitError() << "#graph.dims: \"" << name.getValue()
                         << "\" is no product of sorted symbols that can be " << extent;
  return mlir::success();
}

void GraphDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Graph/GraphAttrs.cpp.inc"
      >();
}
