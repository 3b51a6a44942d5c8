// The same in bf16.
func.func @main(%q: tensor<2x4x130x64xbf16> {graph.name = "q"}, %k: tensor<2x2x130x64xbf16> {graph.name = "k"}, %v: tensor<2x2x130x64xbf16> {graph.name = "v"})
    -> (tensor<2x4x130x64xbf16> {graph.name = "y"}, tensor<2x2x4x130xf32> {graph.name = "statistics"}) {
  %y, %l = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x4x130x64xbf16>, tensor<2x2x130x64xbf16>, tensor<2x2x130x64xbf16> -> tensor<2x4x130x64xbf16>, tensor<2x2x4x130xf32>
  return %y, %l : tensor<2x4x130x64xbf16>, tensor<2x2x4x130xf32>
}
