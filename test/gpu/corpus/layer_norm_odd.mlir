// LayerNorm of rows whose length is odd, so that no row but the first begins at a vector.
func.func @main(%x: tensor<5x1023xf32> {graph.name = "x"}) -> (tensor<5x1023xf32> {graph.name = "y"}) {
  %w = graph.parameter [#graph.part<"w", [1023], normal, 0.5>] : tensor<1023xf32>
  %b = graph.parameter [#graph.part<"b", [1023], normal, 0.5>] : tensor<1023xf32>
  %y = graph.layer_norm %x, %w, %b epsilon 1.0e-5 : tensor<5x1023xf32>, tensor<1023xf32>, tensor<1023xf32>
  return %y : tensor<5x1023xf32>
}
