// Heads of 256 in bf16, one key head.
func.func @main(%q: tensor<1x4x97x256xbf16> {graph.name = "q"}, %k: tensor<1x1x97x256xbf16> {graph.name = "k"}, %v: tensor<1x1x97x256xbf16> {graph.name = "v"})
    -> (tensor<1x4x97x256xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.0625 causal : tensor<1x4x97x256xbf16>, tensor<1x1x97x256xbf16>, tensor<1x1x97x256xbf16> -> tensor<1x4x97x256xbf16>
  return %y : tensor<1x4x97x256xbf16>
}
