// Keys of 192 and values of 128 in bf16.
func.func @main(%q: tensor<1x3x90x192xbf16> {graph.name = "q"}, %k: tensor<1x3x90x192xbf16> {graph.name = "k"}, %v: tensor<1x3x90x128xbf16> {graph.name = "v"})
    -> (tensor<1x3x90x128xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.07216878364870323 causal : tensor<1x3x90x192xbf16>, tensor<1x3x90x192xbf16>, tensor<1x3x90x128xbf16> -> tensor<1x3x90x128xbf16>
  return %y : tensor<1x3x90x128xbf16>
}
