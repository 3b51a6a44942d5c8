//===- AttentionLike.td - What attention and its gradient share -*- tablegen -*-===//
#ifndef HEDDLE_INTERFACES_ATTENTIONLIKE_TD
#define HEDDLE_INTERFACES_ATTENTIONLIKE_TD

include "mlir/IR/OpBase.td"

def AttentionLike : OpInterface<"AttentionLike"> {
  let cppNamespace = "::heddle";
  let description = [{
    The scores of attention: operands and attributes that say what they are. graph.attention computes them, and
    graph.attention_grad computes them again. Implemented by accessors of the same names.
  }];
  let methods = [
    InterfaceMethod<"[B, H, Sq, D].", "::mlir::Value", "getQuery">,
    InterfaceMethod<"[B, G, Sk, D].", "::mlir::Value", "getKey">,
    InterfaceMethod<"[B, G, Sk, E].", "::mlir::Value", "getValue">,
    InterfaceMethod<"Null where there is none.", "::mlir::Value", "getMask">,
    InterfaceMethod<"Null where there is none.", "::mlir::Value", "getBias">,
    InterfaceMethod<"Empty, or the mask.", "::mlir::MutableOperandRange", "getMaskMutable">,
    InterfaceMethod<"Empty, or the bias.", "::mlir::MutableOperandRange", "getBiasMutable">,
    InterfaceMethod<"Of the products.", "::llvm::APFloat", "getScale">,
    InterfaceMethod<"Of the scaled products.", "::std::optional<::llvm::APFloat>", "getSoftcap">,
    InterfaceMethod<"Anchored at the last key.", "bool", "getCausal">,
    InterfaceMethod<"Keys that a causal query sees.", "::std::optional<uint64_t>", "getWindow">,
    InterfaceMethod<"How many operands, from the first on, are heads, [batch, heads, sequence, width].", "unsigned",
                    "numHeadOperands">,
    InterfaceMethod<"How many results, from the first on, are heads.", "unsigned", "numHeadResults">
  ];
}

#endif
