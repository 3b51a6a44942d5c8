// A bias for each head and a mask for each sequence, both broadcast, in float32.
func.func @main(%q: tensor<2x3x70x32xf32> {graph.name = "q"}, %k: tensor<2x3x70x32xf32> {graph.name = "k"}, %v: tensor<2x3x70x32xf32> {graph.name = "v"}, %bias: tensor<1x3x70x70xf32> {graph.name = "bias"}, %mask: tensor<2x1x70x70xi1> {graph.name = "mask"})
    -> (tensor<2x3x70x32xf32> {graph.name = "y"}) {
  %wb = graph.broadcast %bias : tensor<1x3x70x70xf32> -> tensor<2x3x70x70xf32>
  %wm = graph.broadcast %mask : tensor<2x1x70x70xi1> -> tensor<2x3x70x70xi1>
  %y = graph.attention %q, %k, %v mask %wm : tensor<2x3x70x70xi1> bias %wb : tensor<2x3x70x70xf32> scale 0.1767766952966369 : tensor<2x3x70x32xf32>, tensor<2x3x70x32xf32>, tensor<2x3x70x32xf32> -> tensor<2x3x70x32xf32>
  return %y : tensor<2x3x70x32xf32>
}
