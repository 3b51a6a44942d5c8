// A sliding window of 100 keys in bf16, two key heads for six query heads.
func.func @main(%q: tensor<2x6x300x64xbf16> {graph.name = "q"}, %k: tensor<2x2x300x64xbf16> {graph.name = "k"}, %v: tensor<2x2x300x64xbf16> {graph.name = "v"})
    -> (tensor<2x6x300x64xbf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 causal window 100 : tensor<2x6x300x64xbf16>, tensor<2x2x300x64xbf16>, tensor<2x2x300x64xbf16> -> tensor<2x6x300x64xbf16>
  return %y : tensor<2x6x300x64xbf16>
}
