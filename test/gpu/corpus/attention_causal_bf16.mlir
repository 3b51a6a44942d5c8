// Causal attention in bf16, head size 64, two key heads for six query heads.
func.func @main(%q: tensor<2x6x257x64xbf16> {graph.name = "q"}, %k: tensor<2x2x257x64xbf16> {graph.name = "k"}, %v: tensor<2x2x257x64xbf16> {graph.name = "v"})
    -> (tensor<2x6x257x64xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x6x257x64xbf16>, tensor<2x2x257x64xbf16>, tensor<2x2x257x64xbf16> -> tensor<2x6x257x64xbf16>
  return %y : tensor<2x6x257x64xbf16>
}
