// Heads of 160 and values of 136 in float32: a warp takes 16 queries.
func.func @main(%q: tensor<1x2x70x160xf32> {graph.name = "q"}, %k: tensor<1x2x70x160xf32> {graph.name = "k"}, %v: tensor<1x2x70x136xf32> {graph.name = "v"})
    -> (tensor<1x2x70x136xf32> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.0790569415042095 : tensor<1x2x70x160xf32>, tensor<1x2x70x160xf32>, tensor<1x2x70x136xf32> -> tensor<1x2x70x136xf32>
  return %y : tensor<1x2x70x136xf32>
}
