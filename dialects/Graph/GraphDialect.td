//===- GraphDialect.td - The graph dialect -----------------*- tablegen -*-===//
#ifndef HEDDLE_GRAPH_DIALECT_TD
#define HEDDLE_GRAPH_DIALECT_TD

include "mlir/IR/OpBase.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::heddle::graph";
  let summary = "Whole-tensor operations at the grain of a PyTorch user's code";
  let description = [{
    One op is what eager execution runs as one step. Values are builtin tensors with static extents; which of them are
    *symbolic* (batch, sequence: they may differ in the next plan without a new kernel) is marked in the type's
    encoding, `#graph.dims`. View ops (`transpose`, `reshape`, `slice`, `broadcast`) move no data.

    Elementwise ops take operands of one type: broadcasting is the explicit view `graph.broadcast`, and changes of
    element type are the explicit op `graph.cast`.

    ```mlir
    func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
      %w = graph.parameter [#graph.part<"norm.weight", [8], constant, 1.0>] : tensor<8xf32>
      %r = graph.reshape %w : tensor<8xf32> -> tensor<1x8xf32>
      %b = graph.broadcast %r : tensor<1x8xf32> -> tensor<4x8xf32>
      %y = graph.mul %x, %b : tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif
