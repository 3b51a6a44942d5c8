// Keys of 40 and values of 104 in float32.
func.func @main(%q: tensor<2x3x50x40xf32> {graph.name = "q"}, %k: tensor<2x3x50x40xf32> {graph.name = "k"}, %v: tensor<2x3x50x104xf32> {graph.name = "v"})
    -> (tensor<2x3x50x104xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.15811388300841897 causal : tensor<2x3x50x40xf32>, tensor<2x3x50x40xf32>, tensor<2x3x50x104xf32> -> tensor<2x3x50x104xf32>
  return %y : tensor<2x3x50x104xf32>
}
