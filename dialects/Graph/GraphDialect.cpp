#include "dialects/Graph/GraphDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace heddle::graph;

#include "dialects/Graph/GraphDialect.cpp.inc"

namespace {
/// Short names for the encodings, which would fill every line otherwise.
struct GraphAsmInterface : public mlir::OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(mlir::Attribute attr, llvm::raw_ostream &os) const override {
    if (auto dims = llvm::dyn_cast<DimsAttr>(attr)) {
      os << "dims";
      for (mlir::StringAttr name : dims.getNames())
        if (name.getValue().empty())
          os << "_";
        else
          for (char c : name.getValue())
            os << (c == '*' ? 'x' : c);
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void GraphDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Graph/GraphOps.cpp.inc"
      >();
  addInterfaces<GraphAsmInterface>();
}

bool heddle::graph::hasFloatElements(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && (tensor.getElementType().isF32() || tensor.getElementType().isBF16() ||
                    tensor.getElementType().isF16());
}

bool heddle::graph::hasIntElements(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor &&
         (tensor.getElementType().isSignlessInteger(32) || tensor.getElementType().isSignlessInteger(64));
}

bool heddle::graph::hasBoolElements(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getElementType().isSignlessInteger(1);
}

bool heddle::graph::isGraphTensor(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > kMaxRank)
    return false;
  double elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent < 1)
      return false;
    elements *= static_cast<double>(extent);
  }
  return elements <= kMaxElements &&
         (hasFloatElements(type) || hasIntElements(type) || hasBoolElements(type));
}

mlir::Operation *GraphDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,
                                                   mlir::Type type, mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  return elements && elements.getType() == type ? ConstantOp::create(builder, loc, type, elements) : nullptr;
}

/// Anything but these on a function's arguments or results is a typing error.
static llvm::LogicalResult verifyBoundaryAttr(mlir::Operation *op, mlir::NamedAttribute attr, bool ofResult) {
  llvm::StringRef name = attr.getName();
  if (name == kNameAttr && llvm::isa<mlir::StringAttr>(attr.getValue()))
    return mlir::success();
  if (!ofResult && (name == kBoundAttr || name == kIgnoredAttr) &&
      llvm::isa<mlir::IntegerAttr>(attr.getValue()))
    return mlir::success();
  if (auto parts = llvm::dyn_cast<mlir::ArrayAttr>(attr.getValue());
      ofResult && name == kGradientAttr && parts && llvm::all_of(parts, llvm::IsaPred<PartAttr>))
    return mlir::success();
  if (auto element = llvm::dyn_cast<mlir::TypeAttr>(attr.getValue());
      ofResult && name == kElementAttr && element &&
      llvm::isa<mlir::Float32Type, mlir::BFloat16Type, mlir::Float16Type>(element.getValue()))
    return mlir::success();
  return op->emitError() << "unknown or malformed attribute '" << name << "' of "
                         << (ofResult ? "a result, wanted graph.name (a string), graph.gradient (parts) or "
                                        "graph.element (f32, bf16 or f16)"
                                      : "an argument, wanted graph.name (a string), graph.bound or "
                                        "graph.ignored (an integer)");
}

llvm::LogicalResult GraphDialect::verifyRegionArgAttribute(mlir::Operation *op, unsigned, unsigned,
                                                           mlir::NamedAttribute attr) {
  return verifyBoundaryAttr(op, attr, /*ofResult=*/false);
}

llvm::LogicalResult GraphDialect::verifyRegionResultAttribute(mlir::Operation *op, unsigned, unsigned,
                                                              mlir::NamedAttribute attr) {
  return verifyBoundaryAttr(op, attr, /*ofResult=*/true);
}
