#include "dialects/Plan/PlanDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle::plan;
using llvm::LogicalResult;
using mlir::success;

#include "dialects/Plan/PlanDialect.cpp.inc"
#include "dialects/Plan/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Plan/PlanAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Plan/PlanOps.cpp.inc"

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

LogicalResult BufferOp::verify() {
  auto type = llvm::cast<mlir::RankedTensorType>(getType());
  if (!type.hasStaticShape() || type.getEncoding())
    return emitOpError() << "type " << type << ", wanted static extents and no encoding";
  if (getParts() && getRole() != Role::Parameter)
    return emitOpError("only parameters have parts");
  return success();
}

LogicalResult KernelOp::verify() { return success(); }
LogicalResult LaunchOp::verify() { return success(); }
LogicalResult ProductOp::verify() { return success(); }
LogicalResult CopyOp::verify() { return success(); }
