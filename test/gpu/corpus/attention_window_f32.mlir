// A sliding window of 33 keys in float32, more keys than queries.
func.func @main(%q: tensor<1x3x70x64xf32> {graph.name = "q"}, %k: tensor<1x3x330x64xf32> {graph.name = "k"}, %v: tensor<1x3x330x64xf32> {graph.name = "v"})
    -> (tensor<1x3x70x64xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 causal window 33 : tensor<1x3x70x64xf32>, tensor<1x3x330x64xf32>, tensor<1x3x330x64xf32> -> tensor<1x3x70x64xf32>
  return %y : tensor<1x3x70x64xf32>
}
