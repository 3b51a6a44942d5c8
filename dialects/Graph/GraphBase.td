//===- GraphBase.td - Constraints and classes of graph ops -*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_BASE_TD
#define HEDDLE_GRAPH_BASE_TD

include "dialects/Graph/GraphAttrs.td"
include "dialects/Interfaces/AttentionLike.td"
include "dialects/Interfaces/Differentiable.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

// Extents must be known, the rank bounded, and the element type one that every layer below can hold.
class Graph_TensorOf<string pred, string elements> : Type<
    CPred<"::heddle::graph::isGraphTensor($_self) && " # pred>,
    "tensor of static extents of at least 1, rank at most 6, at most 1e15 elements of " # elements, "::mlir::RankedTensorType">;

def Graph_Tensor : Graph_TensorOf<"true", "f32, bf16, f16, i32, i64 or i1">;
def Graph_Float : Graph_TensorOf<"::heddle::graph::hasFloatElements($_self)", "f32, bf16 or f16">;
def Graph_F32 : Graph_TensorOf<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isF32()", "f32">;
def Graph_Int : Graph_TensorOf<"::heddle::graph::hasIntElements($_self)", "i32 or i64">;
def Graph_Number : Graph_TensorOf<
    "(::heddle::graph::hasFloatElements($_self) || ::heddle::graph::hasIntElements($_self))",
    "f32, bf16, f16, i32 or i64">;
def Graph_Bool : Graph_TensorOf<"::heddle::graph::hasBoolElements($_self)", "i1">;

class Graph_Op<string opMnemonic, list<Trait> traits = []> : Op<Graph_Dialect, opMnemonic, traits>;

// A pure op.
class Graph_Pure<string opMnemonic, list<Trait> traits = []> : Graph_Op<opMnemonic, traits # [Pure]>;

// Moves no data in eager execution.
def Graph_View : NativeOpTrait<"ViewLike"> { let cppNamespace = "::heddle::graph"; }
// Computes each element from the elements at the same index.
def Graph_Elementwise : NativeOpTrait<"ElementwiseOp"> { let cppNamespace = "::heddle::graph"; }

// Has a gradient: buildVjp is in the Gradients files.
def Graph_Differentiable : DeclareOpInterfaceMethods<DifferentiableOp>;

#endif
