//===- FuncBuilder.h - Arguments and index arithmetic of a kernel -*- C++ -*-===//
#ifndef HEDDLE_COMPILER_LOWERING_FUNCBUILDER_H
#define HEDDLE_COMPILER_LOWERING_FUNCBUILDER_H

#include "compiler/Lowering/LoweredKernel.h"
#include "compiler/Lowering/RowsDomain.h"

namespace heddle {

/// An affine access: the map with its dimensions and symbols.
struct MapAccess {
  mlir::AffineMap map;
  llvm::SmallVector<mlir::Value, 4> indices, symbols;
};

/// Builds a kernel.func whose arguments are found while its body is made: buffers for graph values, counts
/// for symbols.
class FuncBuilder {
public:
  FuncBuilder(mlir::MLIRContext *context, mlir::Location loc, llvm::StringRef name);

  mlir::OpBuilder &builder() { return builder_; }
  mlir::Location loc() const { return loc_; }
  mlir::Location named(llvm::StringRef name) const;

  /// The buffer argument of a graph value.
  mlir::Value buffer(mlir::Value graphValue);
  /// A buffer argument of its own that starts at element `offset` of the value.
  mlir::Value bufferAt(mlir::Value graphValue, int64_t offset, llvm::StringRef name);
  /// The buffer argument of attention's turns.
  mlir::Value turns();
  /// The count argument of a symbol.
  mlir::Value symbol(llvm::StringRef name);
  /// A count argument of its own, with this value in this plan.
  mlir::Value count(llvm::StringRef name, int64_t value);
  /// An extent as an index value: a constant, or counts multiplied at the function's start.
  mlir::Value extent(const SymbolicDim &dim);

  /// The access Σ coefficient × index, with loops[i] the index value of loop i; a gathered row adds
  /// `gatherStride` × `row`.
  MapAccess access(const LoopForm &form, llvm::ArrayRef<mlir::Value> loops,
                   const std::optional<SymbolicDim> &gatherStride = std::nullopt, mlir::Value row = {});

  /// Orders arguments (buffers, then counts) and hands the kernel over. `values` gives each symbol's value.
  LoweredKernel finish(const llvm::StringMap<int64_t> &values);

private:
  mlir::AffineExpr coefficientExpr(const SymbolicDim &dim, llvm::SmallVectorImpl<mlir::Value> &symbols);

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  mlir::OwningOpRef<kernel::FuncOp> func_;
  mlir::Block *body_;
  struct Buffer {
    LoweredKernel::Buffer source;
    mlir::Value argument;
    bool shared; ///< Found again by `buffer`.
  };
  llvm::SmallVector<Buffer, 6> buffers_;
  struct Count {
    std::string name;
    mlir::Value argument;
    std::optional<int64_t> value;
  };
  llvm::SmallVector<Count, 4> counts_;
  llvm::StringMap<mlir::Value> extents_;
  mlir::Operation *lastExtent_ = nullptr;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_FUNCBUILDER_H
