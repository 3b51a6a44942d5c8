// A bias for each head and a mask for each sequence, both broadcast, in bf16.
func.func @main(%q: tensor<2x3x70x32xbf16> {graph.name = "q"}, %k: tensor<2x3x70x32xbf16> {graph.name = "k"}, %v: tensor<2x3x70x32xbf16> {graph.name = "v"}, %bias: tensor<1x3x70x70xbf16> {graph.name = "bias"}, %mask: tensor<2x1x70x70xi1> {graph.name = "mask"})
    -> (tensor<2x3x70x32xbf16> {graph.name = "y"}) {
  %wb = graph.broadcast %bias : tensor<1x3x70x70xbf16> -> tensor<2x3x70x70xbf16>
  %wm = graph.broadcast %mask : tensor<2x1x70x70xi1> -> tensor<2x3x70x70xi1>
  %y = graph.attention %q, %k, %v mask %wm : tensor<2x3x70x70xi1> bias %wb : tensor<2x3x70x70xbf16> scale 0.1767766952966369 : tensor<2x3x70x32xbf16>, tensor<2x3x70x32xbf16>, tensor<2x3x70x32xbf16> -> tensor<2x3x70x32xbf16>
  return %y : tensor<2x3x70x32xbf16>
}
