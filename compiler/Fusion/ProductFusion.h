//===- ProductFusion.h - What a product takes of its readers ----*- C++ -*-===//
//
// A product group holds a matmul and the ops behind it that cuBLASLt computes while it writes: a bias along
// the columns, GELU in its tanh form, ReLU, a residual. The CPU's products follow the same rules, and take
// the gate of SwiGLU and a float32 result's GELU besides.
//
//===----------------------------------------------------------------------===//
#ifndef HEDDLE_COMPILER_FUSION_PRODUCTFUSION_H
#define HEDDLE_COMPILER_FUSION_PRODUCTFUSION_H

#include "dialects/Graph/GraphDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// The product that a group stands for: result = activation(matmul + bias + residual), or silu(matmul's first
/// half of columns) * second half, where the activation is `graph.silu`.
struct ProductParts {
  graph::MatmulOp matmul;
  mlir::Value bias;              ///< As the add reads it, without implicit casts; null: none.
  mlir::Value residual;          ///< The same.
  mlir::Operation *activation{}; ///< `graph.gelu tanh`, `graph.relu` or `graph.silu`; null: none.
};

/// Reads the parts of a product group, or of an eager one, which holds a matmul and casts alone.
ProductParts productParts(graph::GroupOp group);

/// Outlines every matmul of the function that is in no group yet, with what its product takes; the group's
/// reasons say what it left to others. `own`: whether the device's products end in Heddle's own epilogues:
/// they multiply two halves, and their GELU (runtime/product/Epilogue.cpp) is as exact as float32.
void fuseProducts(mlir::func::FuncOp func, bool own);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_PRODUCTFUSION_H
