// One query against many keys, as in decoding.
func.func @main(%q: tensor<3x4x1x64xf32> {graph.name = "q"}, %k: tensor<3x4x515x64xf32> {graph.name = "k"}, %v: tensor<3x4x515x64xf32> {graph.name = "v"})
    -> (tensor<3x4x1x64xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 : tensor<3x4x1x64xf32>, tensor<3x4x515x64xf32>, tensor<3x4x515x64xf32> -> tensor<3x4x1x64xf32>
  return %y : tensor<3x4x1x64xf32>
}
