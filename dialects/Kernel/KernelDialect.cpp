#include "dialects/Kernel/KernelDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace heddle::kernel;
using llvm::LogicalResult;
using mlir::success;

#include "dialects/Kernel/KernelDialect.cpp.inc"
#include "dialects/Kernel/KernelEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Kernel/KernelAttrs.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Kernel/KernelTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
}

static bool isElement(mlir::Type type) {
  return type.isF32() || type.isBF16() || type.isF16() || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64) || type.isSignlessInteger(1);
}

LogicalResult BufferType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                 mlir::Type elementType) {
  if (!isElement(elementType))
    return emitError() << "buffer elements are " << elementType << ", wanted f32, bf16, f16, i32, i64 or i1";
  return success();
}

LogicalResult RowType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                              mlir::Type elementType) {
  if (!isElement(elementType))
    return emitError() << "row elements are " << elementType << ", wanted f32, bf16, f16, i32, i64 or i1";
  return success();
}

LogicalResult MappingAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                  int64_t threadsPerRow, int64_t rowsPerBlock, bool flat) {
  int64_t threads = threadsPerRow * rowsPerBlock;
  if (threadsPerRow < 1 || rowsPerBlock < 1 || threads % 32 != 0 || threads > 1024)
    return emitError() << "mapping of " << rowsPerBlock << " rows of " << threadsPerRow
                       << " threads: wanted a multiple of 32 threads, at most 1024";
  bool powerOfTwo = (threadsPerRow & (threadsPerRow - 1)) == 0;
  if (!flat && (threadsPerRow < 32 ? !powerOfTwo : threadsPerRow % 32 != 0))
    return emitError() << "mapping of " << threadsPerRow
                       << " threads to a row: wanted a power of two up to 32 or a multiple of 32";
  if (!flat && threadsPerRow > 32 && (rowsPerBlock > 32 || (rowsPerBlock & (rowsPerBlock - 1)) != 0))
    return emitError() << "mapping of " << rowsPerBlock << " rows of " << threadsPerRow
                       << " threads: wanted a power of two up to 32 rows";
  return success();
}
