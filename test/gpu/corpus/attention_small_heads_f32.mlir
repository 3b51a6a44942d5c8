// Heads of 16 in float32.
func.func @main(%q: tensor<2x4x50x16xf32> {graph.name = "q"}, %k: tensor<2x4x50x16xf32> {graph.name = "k"}, %v: tensor<2x4x50x16xf32> {graph.name = "v"})
    -> (tensor<2x4x50x16xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.25 : tensor<2x4x50x16xf32>, tensor<2x4x50x16xf32>, tensor<2x4x50x16xf32> -> tensor<2x4x50x16xf32>
  return %y : tensor<2x4x50x16xf32>
}
