//===- GraphShapeOps.td - Views, copies, reductions --------*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_SHAPE_OPS_TD
#define HEDDLE_GRAPH_SHAPE_OPS_TD

include "dialects/Graph/GraphBase.td"

def Graph_ReshapeOp : Graph_Pure<"reshape", [Graph_View, Graph_Differentiable, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "Other extents over the same row-major order";
  let description = [{
    A view where the operand's layout allows it, as in PyTorch; else a copy, which the layout phase makes an op.
    Example: `%y = graph.reshape %x : tensor<4x512x768xf32> -> tensor<4x512x12x64xf32>`.
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_TransposeOp : Graph_Pure<"transpose", [Graph_View, Graph_Differentiable, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "Dimensions in another order";
  let description = [{
    Result dimension d is operand dimension permutation[d].
    Example: `%y = graph.transpose %x [0, 2, 1, 3] : tensor<4x512x12x64xf32> -> tensor<4x12x512x64xf32>`.
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_SliceOp : Graph_Pure<"slice", [Graph_View, Graph_Differentiable, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "A strided part";
  let description = [{
    Element i of result dimension d is element offsets[d] + i * strides[d] of the operand; strides are positive.
    Example: `%y = graph.slice %x offsets [0, 1] strides [1, 2] : tensor<4x64xf32> -> tensor<4x32xf32>`.
  }];
  let arguments = (ins Graph_Tensor:$operand, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = [{
    $operand `offsets` $offsets `strides` $strides attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_BroadcastOp : Graph_Pure<"broadcast", [Graph_View, Graph_Differentiable, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "Dimensions of extent 1 repeated";
  let description = [{
    Operand and result have the same rank; an operand dimension equals the result's or is a static 1.
    Example: `%y = graph.broadcast %x : tensor<1x64xf32> -> tensor<512x64xf32>`.
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Graph_ConcatOp : Graph_Pure<"concat", [Graph_Differentiable]> {
  let summary = "Tensors of one element type side by side";
  let description = [{
    Example: `%y = graph.concat %a, %b axis 3 : tensor<4x12x512x32xf32>, tensor<4x12x512x32xf32> -> tensor<4x12x512x64xf32>`.
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operands `axis` $axis attr-dict `:` type($operands) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_CopyOp : Graph_Pure<"copy", [SameOperandsAndResultType, Graph_Elementwise, Graph_Differentiable]> {
  let summary = "The same values, contiguous";
  let description = [{
    What makes a strided view contiguous where its reader needs that. `explain` lists every copy.
    Example: `%y = graph.copy %x : tensor<4x8xf32>`.
  }];
  let arguments = (ins Graph_Tensor:$operand);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

def Graph_ReduceOp : Graph_Pure<"reduce", [Graph_Differentiable, AllElementTypesMatch<["operand", "result"]>]> {
  let summary = "Reduction over dimensions, which stay with extent 1";
  let description = [{
    Sums of f16 and bf16 are taken in float32 and rounded once. Mean is the sum divided by the number of elements. The
    maximum of a NaN is NaN. The gradient of a maximum or minimum is shared equally among the elements that are equal to it.

    Example: `%y = graph.reduce mean %x axes [2] : tensor<4x512x768xf32> -> tensor<4x512x1xf32>`.
  }];
  let arguments = (ins Graph_ReduceKindAttr:$kind, Graph_Float:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$kind $operand `axes` $axes attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif
