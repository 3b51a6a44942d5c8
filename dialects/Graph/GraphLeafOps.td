//===- GraphLeafOps.td - Parameters, constants, indices ----*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_LEAF_OPS_TD
#define HEDDLE_GRAPH_LEAF_OPS_TD

include "dialects/Graph/GraphBase.td"

def Graph_ParameterOp : Graph_Pure<"parameter"> {
  let summary = "A weight of the model";
  let description = [{
    A weight, made of one or more tensors of the state dict, its *parts*, that lie one after the other along dimension
    0. Merged parameters (Q, K and V; gate and up) have several parts: a placement, never a concatenation at run time.
    The parts agree in all dimensions but the first, and their first dimensions add up to the result's.

    ```mlir
    %w = graph.parameter [#graph.part<"q.weight", [8, 8], normal, 0.02>,
                          #graph.part<"k.weight", [8, 8], normal, 0.02>] : tensor<16x8xf32>
    ```
  }];
  let arguments = (ins TypedArrayAttrBase<Graph_PartAttr, "parts">:$parts);
  let results = (outs Graph_Float:$result);
  let assemblyFormat = "$parts attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Graph_ConstantOp : Graph_Pure<"constant", [AllTypesMatch<["value", "result"]>, ConstantLike]> {
  let summary = "A constant tensor";
  let description = [{
    Splat constants become literals of the kernels that use them; others become constant buffers of the plan.
    Example: `%c = graph.constant dense<1.0e-5> : tensor<f32>`.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_IotaOp : Graph_Pure<"iota"> {
  let summary = "The index along one dimension";
  let description = [{
    Element (i0, …, in) is i_axis. Example: `%i = graph.iota 0 : tensor<512xi32, #graph.dims<["seq"]>>`.
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Graph_Number:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
