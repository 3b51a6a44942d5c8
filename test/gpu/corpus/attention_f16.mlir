// float16 on tensor cores.
func.func @main(%q: tensor<2x4x130x64xf16> {graph.name = "q"}, %k: tensor<2x2x130x64xf16> {graph.name = "k"}, %v: tensor<2x2x130x64xf16> {graph.name = "v"})
    -> (tensor<2x4x130x64xf16> {graph.name = "y"}) {
  %y = graph.attention %q, %k, %v scale 0.125 causal : tensor<2x4x130x64xf16>, tensor<2x2x130x64xf16>, tensor<2x2x130x64xf16> -> tensor<2x4x130x64xf16>
  return %y : tensor<2x4x130x64xf16>
}
