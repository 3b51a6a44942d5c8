// Causal attention in float32, head size 64.
func.func @main(%q: tensor<2x3x129x64xf32> {graph.name = "q"}, %k: tensor<2x3x129x64xf32> {graph.name = "k"}, %v: tensor<2x3x129x64xf32> {graph.name = "v"})
    -> (tensor<2x3x129x64xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x3x129x64xf32>, tensor<2x3x129x64xf32>, tensor<2x3x129x64xf32> -> tensor<2x3x129x64xf32>
  return %y : tensor<2x3x129x64xf32>
}
