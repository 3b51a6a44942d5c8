// Heads of 256 in float32.
func.func @main(%q: tensor<1x2x97x256xf32> {graph.name = "q"}, %k: tensor<1x2x97x256xf32> {graph.name = "k"}, %v: tensor<1x2x97x256xf32> {graph.name = "v"})
    -> (tensor<1x2x97x256xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.0625 causal : tensor<1x2x97x256xf32>, tensor<1x2x97x256xf32>, tensor<1x2x97x256xf32> -> tensor<1x2x97x256xf32>
  return %y : tensor<1x2x97x256xf32>
}
