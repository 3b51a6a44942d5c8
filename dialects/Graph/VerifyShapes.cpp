#include "dialects/Graph/VerifyShapes.h"
#include "dialects/Graph/GraphBuilder.h"

#include "llvm/ADT/StringExtras.h"

std::string heddle::graph::shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

llvm::LogicalResult heddle::graph::verifyShape(mlir::Operation *op, llvm::StringRef name, mlir::Value value,
                                               llvm::ArrayRef<int64_t> wanted) {
  if (typeOf(value).getShape() == wanted)
    return mlir::success();
  return op->emitOpError() << name << " has shape " << shapeText(typeOf(value).getShape()) << ", wanted "
                           << shapeText(wanted);
}
