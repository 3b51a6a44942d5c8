// A graph of one function with names passes, and parameters may be read twice by name.
// RUN: heddle-opt %s --verify-graph | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "y"}) {
  %a = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  %b = graph.parameter [#graph.part<"w", [4], normal, 0.02>] : tensor<4xf32>
  // CHECK: graph.add
  %y = graph.add %a, %b : tensor<4xf32>
  return %y : tensor<4xf32>
}
