// Heads of 56 in bf16: rows begin at multiples of 16 bytes, the tile is padded.
func.func @main(%q: tensor<1x3x77x56xbf16> {graph.name = "q"}, %k: tensor<1x3x77x56xbf16> {graph.name = "k"}, %v: tensor<1x3x77x56xbf16> {graph.name = "v"})
    -> (tensor<1x3x77x56xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.1336306209562122 causal : tensor<1x3x77x56xbf16>, tensor<1x3x77x56xbf16>, tensor<1x3x77x56xbf16> -> tensor<1x3x77x56xbf16>
  return %y : tensor<1x3x77x56xbf16>
}
