// LayerNorm with a bias in float32: two reductions over a row that stays in registers.
func.func @main(%x: tensor<65x1600xf32> {graph.name = "x"}) -> (tensor<65x1600xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [1600], normal, 0.5>] : tensor<1600xf32>
  %b = graph.parameter [#graph.part<"b", [1600], normal, 0.5>] : tensor<1600xf32>
  %y = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<65x1600xf32>, tensor<1600xf32>, tensor<1600xf32>
  return %y : tensor<65x1600xf32>
}
