// Attention without a mask in bf16 on tensor cores, more keys than queries.
func.func @main(%q: tensor<2x3x65x128xbf16> {graph.name = "q"}, %k: tensor<2x3x193x128xbf16> {graph.name = "k"}, %v: tensor<2x3x193x128xbf16> {graph.name = "v"})
    -> (tensor<2x3x65x128xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.08838834764831845 : tensor<2x3x65x128xbf16>, tensor<2x3x193x128xbf16>, tensor<2x3x193x128xbf16> -> tensor<2x3x65x128xbf16>
  return %y : tensor<2x3x65x128xbf16>
}
