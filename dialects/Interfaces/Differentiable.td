//===- Differentiable.td - Ops that have a gradient --------*- tablegen -*-===//
#ifndef HEDDLE_INTERFACES_DIFFERENTIABLE_TD
#define HEDDLE_INTERFACES_DIFFERENTIABLE_TD

include "mlir/IR/OpBase.td"

def DifferentiableOp : OpInterface<"DifferentiableOp"> {
  let cppNamespace = "::heddle";
  let description = [{
    An op that can say how a loss changes with its operands when it is known how the loss changes with its results (its
    vector-Jacobian product). Autodiff (compiler/Autodiff) asks for it; an op without it ends a compilation in which a
    parameter needs it.
  }];
  let methods = [InterfaceMethod<[{
      The op, or what has taken its place, with the further results that its gradient reads; autodiff calls this before it
      asks for any gradient. Uses of the results that were there are moved to the new op, and the op is erased.
    }],
    "::mlir::Operation *", "keepForVjp", (ins "::mlir::OpBuilder &":$builder), /*methodBody=*/"",
    /*defaultImplementation=*/"return $_op;">,
  InterfaceMethod<[{
      Builds the gradients of the operands that `wanted` names from those of the results. `results` has one value for each
      result, of the result's type, null where nothing reads it; not all are null. `operands` has a null value for each
      operand; each that is wanted is set to a value of its type. Failure, with an error at the op, where this form of it
      has no gradient.
    }],
    "::llvm::LogicalResult", "buildVjp",
    (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$results,
         "const ::llvm::BitVector &":$wanted, "::llvm::MutableArrayRef<::mlir::Value>":$operands)>];
}

#endif
