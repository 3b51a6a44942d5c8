//===- PlanDialect.cpp - Registration and attributes ----------------------===//
#include "dialects/Plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle::plan;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;

/// A reference's inside: `none`, or a symbol with an optional `+ bytes`.
static mlir::ParseResult parsePlace(mlir::AsmParser &parser, mlir::FlatSymbolRefAttr &buffer,
                                    int64_t &byteOffset) {
  byteOffset = 0;
  if (failed(parser.parseOptionalKeyword("none")) && parser.parseAttribute(buffer))
    return failure();
  if (succeeded(parser.parseOptionalPlus()))
    return parser.parseInteger(byteOffset);
  return success();
}

static void printPlace(mlir::AsmPrinter &printer, mlir::FlatSymbolRefAttr buffer, int64_t byteOffset) {
  if (buffer)
    printer << buffer;
  else
    printer << "none";
  if (byteOffset)
    printer << " + " << byteOffset;
}

static mlir::FailureOr<llvm::SmallVector<int64_t>> parseSizes(mlir::AsmParser &parser) {
  llvm::SmallVector<int64_t> sizes;
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square,
                                     [&] { return parser.parseInteger(sizes.emplace_back()); }))
    return failure();
  return sizes;
}

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.cpp.inc"
#include "dialects/Plan/PlanInterfaces.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Plan/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Plan/PlanOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

std::optional<int64_t> heddle::plan::elementBytes(mlir::Type type) {
  if (type.isF32() || type.isSignlessInteger(32))
    return 4;
  if (type.isBF16() || type.isF16())
    return 2;
  if (type.isSignlessInteger(64))
    return 8;
  if (type.isSignlessInteger(1) || type.isUnsignedInteger(8))
    return 1;
  return std::nullopt;
}

static std::optional<int64_t> product(llvm::ArrayRef<int64_t> factors, int64_t start = 1) {
  for (int64_t factor : factors)
    if (factor < 0 || llvm::MulOverflow(start, factor, start))
      return std::nullopt;
  return start;
}

std::optional<int64_t> heddle::plan::tensorBytes(mlir::RankedTensorType type) {
  std::optional<int64_t> element = elementBytes(type.getElementType());
  if (!element || !type.hasStaticShape())
    return std::nullopt;
  return product(type.getShape(), *element);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

std::optional<int64_t> PartAttr::getNumElements() { return product(getShape()); }

LogicalResult PartAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError, llvm::StringRef name,
                               llvm::ArrayRef<int64_t> shape, int64_t elementOffset, InitKind init,
                               mlir::FloatAttr scale) {
  if (!product(shape))
    return emitError() << "part \"" << name << "\": shape [" << shape
                       << "], wanted extents of 0 or more whose product "
                       << "fits in 64 bits";
  if (elementOffset < 0)
    return emitError() << "part \"" << name << "\": element offset " << elementOffset << ", wanted 0 or more";
  if (!scale.getType().isF64())
    return emitError() << "part \"" << name << "\": scale of type " << scale.getType() << ", wanted f64";
  return success();
}

LogicalResult RefAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                              mlir::FlatSymbolRefAttr buffer, int64_t byteOffset) {
  if (byteOffset < 0)
    return emitError() << "reference at byte " << byteOffset << ", wanted 0 or more";
  if (!buffer && byteOffset)
    return emitError() << "reference to no buffer at byte " << byteOffset << ", wanted 0";
  return success();
}
