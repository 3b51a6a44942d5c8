// Scores capped softly at 3, in float32.
func.func @main(%q: tensor<2x3x65x32xf32> {graph.name = "q"}, %k: tensor<2x3x65x32xf32> {graph.name = "k"}, %v: tensor<2x3x65x32xf32> {graph.name = "v"})
    -> (tensor<2x3x65x32xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.1767766952966369 softcap 3.0 : tensor<2x3x65x32xf32>, tensor<2x3x65x32xf32>, tensor<2x3x65x32xf32> -> tensor<2x3x65x32xf32>
  return %y : tensor<2x3x65x32xf32>
}
