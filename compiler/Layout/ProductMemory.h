//===- ProductMemory.h - What is held while a product runs ------*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LAYOUT_PRODUCTMEMORY_H
#define HEDDLE_COMPILER_LAYOUT_PRODUCTMEMORY_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle {

/// Bytes of a tensor's elements; a truth value takes one.
int64_t tensorBytes(mlir::Value value);

/// For each matmul of a module's functions, the bytes that live while it runs: its operands, its result, and
/// what earlier ops computed and later ones read. Arguments, parameters and constants are not counted, since
/// they live always. A cast of a parameter counts from its first reader on, which is where fusion puts it.
///
/// Around products nothing can be fused away, so that this is known before groups are formed; between them
/// it is not.
class ProductMemory {
public:
  explicit ProductMemory(mlir::ModuleOp module);
  /// While this matmul of the module, as it was, runs.
  int64_t at(mlir::Operation *matmul) const { return live_.lookup(matmul); }
  /// The most of any.
  int64_t peak() const { return peak_; }

private:
  void addBlock(mlir::Block &block);

  llvm::DenseMap<mlir::Operation *, int64_t> live_;
  int64_t peak_ = 0;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LAYOUT_PRODUCTMEMORY_H
